"""Prompts of the keeper, each beside the answer it asks for."""

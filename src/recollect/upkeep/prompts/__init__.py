"""Prompts of upkeep, each beside the answer it asks for."""

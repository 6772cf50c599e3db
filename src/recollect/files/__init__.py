"""Memories as files: JSON Lines for everything, and the readable JSON folder."""

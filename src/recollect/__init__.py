"""recollect: memory for AI assistants."""

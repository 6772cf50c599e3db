"""Adapters to frameworks, each imported by its own name: `from recollect.integrations.mem0 import Memory`."""

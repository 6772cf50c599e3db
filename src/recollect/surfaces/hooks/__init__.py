"""Hooks of coding agents: an event comes in as the agent's JSON, an answer goes out in the agent's format."""

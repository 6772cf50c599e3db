"""The Model Context Protocol: a memory as tools, resources and prompts, over stdio and HTTP."""

"""The ways in: the command line, and later servers and integrations. Each only calls verbs."""

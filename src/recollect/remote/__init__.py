"""A memory behind a server: the same verbs, over HTTP."""

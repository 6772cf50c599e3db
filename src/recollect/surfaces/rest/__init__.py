"""REST: the verbs of a memory over HTTP, behind keys."""

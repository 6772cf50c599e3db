"""A memory that keeps itself in order: what is in it, and whether it is sound."""

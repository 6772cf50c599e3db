"""The search index: a cache that follows the database's changes and may be deleted at any time."""

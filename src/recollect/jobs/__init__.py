"""The durable queue: jobs are promised in the caller's transaction and done at least once."""

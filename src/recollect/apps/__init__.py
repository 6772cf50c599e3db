"""The per-app memory keeper: what an app keeps of its conversations, within its cap."""

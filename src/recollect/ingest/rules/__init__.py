"""The rules: from what a message says to typed candidates, and what they do to what is known. Pure."""

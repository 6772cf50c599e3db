"""What an LLM is asked during upkeep: each prompt is a file beside the answer it must give."""

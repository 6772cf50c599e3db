"""What an LLM is asked: each prompt is a file beside the answer it must give."""

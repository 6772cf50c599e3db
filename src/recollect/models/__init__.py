"""Embedders, rerankers, LLMs and tokenizers, each behind a small port, with public fakes."""

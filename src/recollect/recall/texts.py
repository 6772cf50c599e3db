"""The text of an item as models see it: with its day and its speaker, which questions ask for."""

from datetime import datetime

MAX_CHARS = 4_000
"""More of a text tells an embedder nothing new."""


def model_text(text: str, *, at: datetime | None = None, speaker: str | None = None) -> str:
    """A text to embed or to rerank: "20 January 2023 Gina: Lost my job…"."""
    day = f"{at.day} {at:%B %Y} " if at is not None else ""
    who = f"{speaker}: " if speaker else ""
    return f"{day}{who}{text[:MAX_CHARS]}"

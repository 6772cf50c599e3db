"""A summary of a stretch of conversation, with its topics."""

from dataclasses import dataclass
from pathlib import Path

from recollect.models.prompts import PromptFile

MAX_LENGTH = 600


@dataclass(frozen=True, slots=True)
class Summary:
    """What the model answers."""

    summary: str
    topics: list[str]

    def __post_init__(self) -> None:
        if not self.summary.strip() or len(self.summary) > MAX_LENGTH:
            raise ValueError(f"the summary must have 1 to {MAX_LENGTH} characters")
        if len(self.topics) > 8 or not all(0 < len(topic.strip()) <= 60 for topic in self.topics):
            raise ValueError("there must be at most 8 topics of 1 to 60 characters")


SUMMARY = PromptFile(Path(__file__).with_suffix(".md"), Summary, purpose="summarise", max_tokens=400)

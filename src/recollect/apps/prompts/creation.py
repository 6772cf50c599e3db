"""What an app should remember of a conversation that has ended."""

from dataclasses import dataclass
from pathlib import Path

from recollect.models.prompts import PromptFile

PURPOSE = "app-memory"
MAX_LENGTH = 1_200


@dataclass(frozen=True, slots=True)
class Creation:
    """What the model answers."""

    memory: str
    importance: int
    tags: list[str]

    def __post_init__(self) -> None:
        if not self.memory.strip() or len(self.memory) > MAX_LENGTH:
            raise ValueError(f"the memory must have 1 to {MAX_LENGTH} characters")
        if not 0 <= self.importance <= 10:
            raise ValueError("importance must be from 0 to 10")
        if len(self.tags) > 8 or not all(0 < len(tag.strip()) <= 60 for tag in self.tags):
            raise ValueError("there must be at most 8 tags of 1 to 60 characters")


CREATION = PromptFile(Path(__file__).with_suffix(".md"), Creation, purpose=PURPOSE, max_tokens=400)

"""What remains of a conversation that has ended."""

from dataclasses import dataclass
from pathlib import Path

from recollect.models.prompts import PromptFile

MAX_LENGTH = 1_200


@dataclass(frozen=True, slots=True)
class Session:
    """What the model answers."""

    summary: str
    memory: str

    def __post_init__(self) -> None:
        for name, text in (("summary", self.summary), ("memory", self.memory)):
            if not text.strip() or len(text) > MAX_LENGTH:
                raise ValueError(f"the {name} must have 1 to {MAX_LENGTH} characters")


SESSION = PromptFile(Path(__file__).with_suffix(".md"), Session, purpose="session", max_tokens=700)

"""The lines of a memory file, told from notes."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from recollect.models.prompts import PromptFile

MAX_LENGTH = 240


@dataclass(frozen=True, slots=True)
class Line:
    """One line, as the model answers it."""

    numbers: list[int]
    heading: Literal["What is", "What happened", "What was done"]
    text: str
    significance: int

    def __post_init__(self) -> None:
        if not self.numbers:
            raise ValueError("a line must give the numbers of its notes")
        if not 0 < len(self.text.strip()) <= MAX_LENGTH:
            raise ValueError(f"a line must have 1 to {MAX_LENGTH} characters")
        if not 1 <= self.significance <= 5:
            raise ValueError("the significance must be from 1 to 5")


@dataclass(frozen=True, slots=True)
class Lines:
    """What the model answers."""

    lines: list[Line]


REFLECTION = PromptFile(Path(__file__).with_suffix(".md"), Lines, purpose="reflect", max_tokens=2_000)

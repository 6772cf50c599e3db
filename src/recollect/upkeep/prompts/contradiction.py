"""Whether two memories contradict each other."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from recollect.models.prompts import PromptFile

MAX_REASON = 300


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the model answers."""

    verdict: Literal["contradiction", "compatible"]
    reason: str

    def __post_init__(self) -> None:
        if not 0 < len(self.reason.strip()) <= MAX_REASON:
            raise ValueError(f"the reason must have 1 to {MAX_REASON} characters")


CONTRADICTION = PromptFile(Path(__file__).with_suffix(".md"), Judgement, purpose="judge", max_tokens=150)

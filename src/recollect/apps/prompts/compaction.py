"""Which memory of an app has to make room, or into which one it is merged."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from recollect.models.prompts import PromptFile

PURPOSE = "app-compaction"
MAX_LENGTH = 1_200


@dataclass(frozen=True, slots=True)
class Compaction:
    """What the model answers; memories go by their number in the prompt."""

    action: Literal["delete", "edit"]
    targetMemoryId: int
    newContent: str | None = None
    reason: str = ""

    def __post_init__(self) -> None:
        if self.action == "edit" and not (self.newContent or "").strip():
            raise ValueError("an edit needs newContent")
        if len(self.newContent or "") > MAX_LENGTH or len(self.reason) > MAX_LENGTH:
            raise ValueError(f"newContent and reason have at most {MAX_LENGTH} characters")


COMPACTION = PromptFile(Path(__file__).with_suffix(".md"), Compaction, purpose=PURPOSE, max_tokens=400)

"""What is worth remembering in some messages."""

from dataclasses import dataclass
from pathlib import Path

from recollect.ingest.rules.candidate import Candidate, Cardinality, Kind
from recollect.models.prompts import PromptFile


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing worth remembering, as the model answers it."""

    turn: int
    kind: Kind
    text: str
    subject: str
    key: str
    value: str
    cardinality: Cardinality
    confidence: float
    importance: float
    correction: bool
    negated: bool

    def __post_init__(self) -> None:
        if not 0 < len(self.text.strip()) <= 500 or not 0 < len(self.subject.strip()) <= 100:
            raise ValueError("text must have 1 to 500 characters, subject 1 to 100")
        if len(self.key) > 100 or len(self.value) > 300 or bool(self.key) != bool(self.value):
            raise ValueError("key and value must both be given or both be empty, and be short")
        if not 0 <= self.confidence <= 1 or not 0 <= self.importance <= 1:
            raise ValueError("confidence and importance must be from 0 to 1")

    def candidate(self, rule: str) -> Candidate:
        """The same as the rules give it."""
        return Candidate(
            self.kind,
            self.text.strip(),
            self.subject.strip(),
            self.kind,
            self.key,
            self.value,
            self.cardinality,
            self.confidence,
            self.importance,
            rule,
            0,
            0,
            correction=self.correction,
            negated=self.negated,
        )


@dataclass(frozen=True, slots=True)
class Extraction:
    """What the model answers."""

    facts: list[Fact]


EXTRACTION = PromptFile(Path(__file__).with_suffix(".md"), Extraction, purpose="extract", max_tokens=1_500)

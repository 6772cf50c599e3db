"""What extraction finds: a typed statement that stands alone, with its key, time and grounds."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Kind = Literal[
    "decision", "preference", "identity", "constraint", "instruction", "goal", "entity",
    "procedure", "fact", "error",
]  # fmt: skip
Cardinality = Literal["one", "many"]
Role = Literal["user", "assistant", "tool", "document", "import"]

IMPORTANCE: dict[Kind, float] = {
    "fact": 0.5,
    "decision": 0.7,
    "preference": 0.6,
    "entity": 0.5,
    "procedure": 0.5,
    "constraint": 0.6,
    "goal": 0.8,
    "identity": 0.8,
    "instruction": 0.8,
    "error": 0.6,
}
"""The importance a candidate has unless its rule knows better."""


@dataclass(frozen=True, slots=True)
class Said:
    """One message as extraction sees it; `speaker` is a name, or empty for an unnamed user."""

    text: str
    at: datetime
    role: Role = "user"
    speaker: str = ""

    @property
    def name(self) -> str:
        """The name that stands for the speaker in what is written down."""
        return self.speaker or ("User" if self.role == "user" else self.role.capitalize())


@dataclass(frozen=True, slots=True)
class Candidate:
    """One thing worth remembering; `text` can be read without the conversation it came from.

    `key` is empty where nothing newer could replace it; with a key, (subject, key) names what the
    `value` is about, and `cardinality` says whether a new value replaces the old or stands beside
    it. `start` and `end` are the place of the source sentence in the message, `rule` the name of
    the rule that fired.
    """

    kind: Kind
    text: str
    subject: str
    category: str
    key: str
    value: str
    cardinality: Cardinality
    confidence: float
    importance: float
    rule: str
    start: int
    end: int
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    correction: bool = False
    negated: bool = False

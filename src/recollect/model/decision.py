"""Decision: what became of one candidate, and why. Explanation: the path from message to memory."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from recollect.model.conversation import Message
from recollect.model.record import Record


class Outcome(StrEnum):
    """What was done with a candidate."""

    ADD = "add"
    CONFIRM = "confirm"
    SUPERSEDE = "supersede"
    IGNORE = "ignore"
    CONTRADICTION = "contradiction"
    QUARANTINE = "quarantine"
    PROMOTE = "promote"
    REMOVE = "remove"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One candidate of a message: what it became, by which rule it was found, and why."""

    id: str
    space: str
    outcome: Outcome
    reason: str
    rule: str
    text: str
    decided_at: datetime
    message: str | None = None
    memory: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why a memory is as it is, or what a message gave: sources with their text, and every decision."""

    id: str
    memory: Record | None = None
    messages: tuple[Message, ...] = ()
    memories: tuple[Record, ...] = ()
    decisions: tuple[Decision, ...] = ()

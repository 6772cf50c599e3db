"""Receipt: what a call did and why. Nothing is reported that did not happen."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Action(StrEnum):
    """What became of one thing."""

    STORED = "stored"
    MERGED = "merged"
    UPDATED = "updated"
    IGNORED = "ignored"
    QUARANTINED = "quarantined"
    FORGOTTEN = "forgotten"
    RESTORED = "restored"


@dataclass(frozen=True, slots=True)
class Entry:
    """What became of one message or memory, and why where it is not plain."""

    action: Action
    id: str
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The outcome of a write."""

    entries: tuple[Entry, ...]
    conversation: str | None = None

    @property
    def id(self) -> str:
        """The id of the one thing this call was about."""
        (entry,) = self.entries
        return entry.id

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of everything this call was about, in the order it was passed."""
        return tuple(entry.id for entry in self.entries)

    @property
    def counts(self) -> Mapping[str, int]:
        """How many of each action."""
        return Counter(str(entry.action) for entry in self.entries)


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """What an erasure removed for good: rows by table, and what was left to rebuild."""

    target: str
    removed: Mapping[str, int] = field(default_factory=dict)
    rebuild: tuple[str, ...] = ()

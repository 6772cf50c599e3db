"""Filter and AsOf: which memories, and as seen from when. Typed values, never text for SQL."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from recollect.model.conversation import Trust
from recollect.model.record import Kind, Status

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class AsOf:
    """A point in one or both time dimensions: what was true at `valid`, as we knew at `recorded`."""

    valid: datetime | None = None
    recorded: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which memories. Empty parts do not restrict; parts are joined by and, values in one by or.

    Without `statuses`, what is believed: the active ones, and with a time also those superseded since.
    `since` and `until` are about when it was said or true, `recorded_since` and `recorded_until` about
    when we came to know it. The last three are for recall, which finds
    messages and chunks too: `items` (out of message, chunk, memory), a conversation, speakers.
    """

    kinds: tuple[Kind, ...] = ()
    statuses: tuple[Status, ...] = ()
    categories: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    subject: str | None = None
    tags: tuple[str, ...] = ()
    words: str | None = None
    min_importance: float = 0.0
    min_trust: Trust | None = None
    pinned: bool | None = None
    since: datetime | None = None
    until: datetime | None = None
    recorded_since: datetime | None = None
    recorded_until: datetime | None = None
    items: tuple[str, ...] = ()
    conversation: str | None = None
    speakers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Part of a list, and where the next part starts (None at the end)."""

    items: Sequence[T]
    next: str | None = None

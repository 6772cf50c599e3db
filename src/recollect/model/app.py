"""App: a space with a cap on what is kept of its conversations; its memories, figures and energy."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from recollect.model.space import Space

PREFIX = "app:"
DEFAULT_CAP = 10
DEFAULT_LENGTH = 200


class Point(StrEnum):
    """When an app's memories are put into a context."""

    UNANSWERED = "unanswered"
    """Turning to a conversation that waits for an answer."""
    REVIEW = "review"
    """Looking back at a conversation that is over."""
    SELECTION = "selection"
    """Choosing a conversation to improve."""


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    """An app: the space `app:<id>`, how many memories it keeps, and of about how many characters."""

    id: str
    name: str
    cap: int
    length: int
    installed: bool
    created_at: datetime

    @property
    def space(self) -> str:
        """Where its conversations and memories live."""
        return PREFIX + self.id

    @classmethod
    def of(cls, space: Space) -> "App | None":
        """The app that a space is, if it was registered as one."""
        policy = space.policy
        if not space.path.startswith(PREFIX) or "/" in space.path or "installed" not in policy:
            return None
        id = space.path.removeprefix(PREFIX)
        return cls(
            id=id,
            name=policy.get("name", id),
            cap=policy.get("cap", DEFAULT_CAP),
            length=policy.get("length", DEFAULT_LENGTH),
            installed=policy["installed"],
            created_at=space.created_at,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AppMemory:
    """What an app keeps of one conversation, or of several that were merged; importance is 0 to 10 here."""

    id: str
    app_id: str
    content: str
    created_at: datetime
    updated_at: datetime
    importance: int
    source_conversation_id: str | None = None
    tags: tuple[str, ...] = ()
    related_conversations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Purged:
    """What a purge erased for good: the memories of the list, and all that the space had derived."""

    app_id: str
    deleted_count: int
    erased: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AppStats:
    """Figures of one app, or of all installed ones; `counters` only ever grow.

    `utilisation` is the share of apps that have any memory, `injection_rate` that of conversations which
    were given some.
    """

    apps: int
    with_memories: int
    memories: int
    room: int
    conversations: int
    conversations_with_memories: int
    created_per_hour: float
    compactions_per_app_and_day: float
    utilisation: float
    injection_rate: float
    energy: int
    counters: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class AppEnergy:
    """What keeping app memories costs, in tokens, and when the shared budget would run low at this pace."""

    since_last_poll: int
    total: int
    by_app: Mapping[str, int]
    level: float
    left: int
    capacity: int
    refill_per_hour: int
    per_hour: float
    next_day: int
    low_at: datetime | None


@dataclass(frozen=True, slots=True)
class Injection:
    """That an app's memories were put into a context, when and where."""

    space: str
    point: Point
    conversation: str | None
    at: datetime

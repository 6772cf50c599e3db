"""What the index follows: the database's changes in the order of their sequence numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

KINDS = ("message", "chunk", "memory")


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One item as it is now, or its erasure (then only seq, kind, id and space matter).

    `turn` numbers a conversation's messages without gaps, so that neighbours are found. `facets`
    are exact labels to filter by, such as `kind:fact` or `tag:work`. `vector` is float16.
    """

    seq: int
    kind: str
    id: str
    space: str
    text: str = ""
    conversation: str | None = None
    turn: int | None = None
    speaker: str | None = None
    at: int = 0
    recorded: int = 0
    importance: float = 0.5
    status: str = "active"
    facets: tuple[str, ...] = ()
    erased: bool = False
    vector: bytes | None = None


class Feed(Protocol):
    """The database as the index sees it."""

    def head(self) -> int:
        """The newest committed sequence number; 0 where nothing was ever written."""
        ...

    def changes(self, after: int, limit: int) -> Sequence[Change]:
        """Changes with a greater sequence number, in order; fewer than `limit` means no more.

        An item that changed several times may be given once, at its newest number.
        """
        ...

"""Found: what recall returns, and why each of it was found."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from recollect.model.conversation import Chunk, Message
from recollect.model.record import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One thing recall found: its score, the parts of it, the words that matched, and the way.

    `path` is `key` (a keyed fact that answers to the query), `direct`, `neighbour` (a turn beside a hit)
    or `link`. `sources` are the ids of the messages it rests on.
    """

    item: Record | Message | Chunk
    score: float
    path: str
    scores: dict[str, float] = field(default_factory=dict)
    terms: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The id of the thing."""
        return self.item.id

    @property
    def text(self) -> str:
        """Its text: what was said, remembered or summarised."""
        return self.item.summary if isinstance(self.item, Chunk) else self.item.text

    @property
    def kind(self) -> str:
        """`message`, `chunk`, or the kind of memory."""
        if isinstance(self.item, Record):
            return str(self.item.kind)
        return "message" if isinstance(self.item, Message) else "chunk"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """What a query found, best first, and what could not be done."""

    query: str
    found: tuple[Found, ...]
    warnings: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Found]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)

"""Shelf: the memories of one space as a run sees them, read from one snapshot.

Steps plan on it without touching the database. What they plan is done to the shelf at once, so that the
next step builds on it, in a dry run as in a real one.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from recollect.model.ids import made_at
from recollect.model.record import Record, Source, Status, Usage
from recollect.model.relation import Link
from recollect.store import contexts, links, memories, vectors
from recollect.store.database import Tx
from recollect.upkeep.deeds import Deed

if TYPE_CHECKING:
    from recollect.upkeep.neighbours import Near

KEPT = (Status.ACTIVE, Status.PENDING, Status.SUPERSEDED, Status.ARCHIVED)
"""What upkeep looks at: what is quarantined or forgotten waits for a person."""
Edge = tuple[str, str, str]


@dataclass(slots=True)
class Shelf:
    """The memories of a space by id, their links, their vectors, and which were shown together."""

    space: str
    now: datetime
    records: dict[str, Record]
    links: dict[Edge, Link] = field(default_factory=dict)
    together: Mapping[tuple[str, str], int] = field(default_factory=dict)
    vectors: Mapping[str, bytes] = field(default_factory=dict)
    tokens: Callable[[str], int] = len
    _near: "Near | None" = None
    _ends: dict[str, list[Link]] | None = None

    def near(self) -> "Near":
        """Which of the believed and waiting memories are near each other, found once."""
        if self._near is None:
            from recollect.upkeep.neighbours import near

            self._near = near(self.of(Status.ACTIVE, Status.PENDING), self.vectors)
        return self._near

    def links_of(self, id: str) -> list[Link]:
        """The links from or to a memory."""
        if self._ends is None:
            self._ends = defaultdict(list)
            for link in self.links.values():
                self._ends[link.source].append(link)
                self._ends[link.target].append(link)
        return self._ends.get(id, [])

    def weight(self, record: Record) -> int:
        """The tokens a context needs for a memory as it is carried; none for what it does not carry."""
        return self.tokens(record.at(record.usage.carried)) if record.status == Status.ACTIVE else 0

    def of(self, *statuses: Status) -> list[Record]:
        """The memories in some statuses, oldest first."""
        return sorted((r for r in self.records.values() if r.status in statuses), key=lambda r: r.id)

    def do(self, deeds: Iterable[Deed]) -> Iterator[Deed]:
        """Do deeds here as they will be done in the database, and pass them on."""
        for deed in deeds:
            for revision in deed.revisions:
                at = max(self.now, revision.old.recorded_at)
                version = revision.old.version + 1
                self._put(replace(revision.new, version=version, recorded_at=at))
            for id, source in deed.sources:
                self._put(_with_source(self.records[id], source))
            for id, more in deed.used:
                self._put(replace(self.records[id], usage=_sum(self.records[id].usage, more)))
            for one in deed.carried:
                record = self.records[one.id]
                self._put(replace(record, usage=replace(record.usage, carried=one.after)))
            for link in deed.links:
                self._add(link)
            yield deed

    def _add(self, link: Link) -> None:
        self.links_of(link.source)
        assert self._ends is not None
        edge = (link.source, link.target, str(link.type))
        if edge not in self.links:
            self.links[edge] = link
            self._ends[link.source].append(link)
            self._ends[link.target].append(link)

    def _put(self, record: Record) -> None:
        self.records[record.id] = record


def last_used(record: Record) -> datetime:
    """When a memory was last used, or else first written; upkeep's own versions do not make it younger."""
    return max(made_at(record.id), record.usage.last_used_at or made_at(record.id))


def read_shelf(tx: Tx, space: str, now: datetime, tokens: Callable[[str], int]) -> Shelf:
    """Everything a run needs to know of a space."""
    kept = {r.id: r for r in memories.every(tx, "memories", [space]) if r.status in KEPT}
    covered = vectors.coverage(tx)
    held = vectors.of(tx, covered[0].model, list(kept)) if covered else {}
    return Shelf(
        space=space,
        now=now,
        records=kept,
        links={(k.source, k.target, str(k.type)): k for k in links.inside(tx, [space])},
        together=contexts.shown_together(tx, space),
        vectors=held,
        tokens=tokens,
    )


def _with_source(record: Record, source: Source) -> Record:
    if source in record.sources:
        return record
    return replace(record, sources=tuple(sorted((*record.sources, source), key=lambda s: s.id)))


def _sum(held: Usage, more: Usage) -> Usage:
    times = [at for at in (held.last_used_at, more.last_used_at) if at is not None]
    return replace(
        held,
        retrieved=held.retrieved + more.retrieved,
        cited=held.cited + more.cited,
        ignored=held.ignored + more.ignored,
        last_used_at=max(times, default=None),
    )

"""Rank: use decides what is believed and what sleeps. Importance itself is never rewritten (decision 5)."""

from collections.abc import Iterator
from dataclasses import replace

from recollect.model.decay import decay
from recollect.model.ids import made_at
from recollect.model.record import Record, SourceKind, Status
from recollect.upkeep.deeds import Deed, Revision
from recollect.upkeep.options import UpkeepOptions
from recollect.upkeep.shelf import Shelf, last_used
from recollect.upkeep.standing import Standing

CITED = 2
SAID = 2
"""A memory that waits is believed once it was cited so often, or said in so many messages."""


def rank(shelf: Shelf, options: UpkeepOptions) -> Iterator[Deed]:
    """Believe what proved itself, wake what was used in its sleep, archive what has faded."""
    standing = Standing(shelf, options)
    for record in shelf.of(Status.PENDING, Status.ARCHIVED):
        if (_confirmed(record) or _woken(record)) and not standing.rivalled(record):
            standing.enter(record)
            yield moved(shelf, record, Status.ACTIVE, "promoted")
    for record in shelf.of(Status.ACTIVE):
        old = shelf.now - made_at(record.id) >= options.archive_after
        if old and worth(record, shelf) < options.archive_below and not standing.untouchable(record):
            standing.leave(record)
            yield moved(shelf, record, Status.ARCHIVED, "archived")


def worth(record: Record, shelf: Shelf) -> float:
    """Importance times how present it still is."""
    return record.importance * decay(last_used(record), record.usage.cited, shelf.now)


def moved(shelf: Shelf, record: Record, status: Status, count: str) -> Deed:
    """A deed that gives a memory another status."""
    return Deed(
        count=count,
        tokens=shelf.weight(record),
        revisions=(Revision(record, replace(record, status=status)),),
    )


def _confirmed(record: Record) -> bool:
    """Whether a memory that waits was cited, or said again, often enough; held ones wait for a person."""
    if record.status != Status.PENDING or "held" in record.metadata:
        return False
    said = sum(source.kind == SourceKind.MESSAGE for source in record.sources)
    return record.usage.cited >= CITED or said >= SAID


def _woken(record: Record) -> bool:
    """Whether an archived memory was used after it was archived."""
    used = record.usage.last_used_at
    return record.status == Status.ARCHIVED and used is not None and used > record.recorded_at

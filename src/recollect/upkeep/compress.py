"""Compress: the older a memory and the longer unused, the smaller contexts carry it.

Nothing is thrown away: the full text stays, is found by recall, and is what `expand` shows. What is cited
is carried whole again at once.
"""

from collections.abc import Iterator

from recollect.model.record import Level, Record, Status
from recollect.upkeep.deeds import Carried, Deed
from recollect.upkeep.options import UpkeepOptions
from recollect.upkeep.shelf import Shelf, last_used

SIZES = (Level.BRIEF, Level.SUMMARY, Level.FULL)
PROVEN = 3
"""From so many citations on, if they are most of its uses, a memory is carried one size larger."""
PASSED_OVER = 5
"""Shown so often without ever being cited, it is carried one size smaller."""


def compress(shelf: Shelf, options: UpkeepOptions) -> Iterator[Deed]:
    """Mark what contexts carry at another level from now on."""
    for record in shelf.of(Status.ACTIVE):
        before, after = record.usage.carried, level(record, shelf, options)
        if record.at(before) == record.at(after):
            continue
        smaller = SIZES.index(after) < SIZES.index(before)
        lowered = _moved(record) < 0
        tokens = shelf.tokens(record.at(before)) - shelf.tokens(record.at(after)) if smaller else 0
        yield Deed(
            count=("demoted" if lowered else "compressed") if smaller else "promoted",
            tokens=tokens,
            carried=(Carried(record.id, before, after),),
        )


def level(record: Record, shelf: Shelf, options: UpkeepOptions) -> Level:
    """The largest level a context should carry: by age since the last use, moved one size by use."""
    if record.pinned or record.significance >= options.significant:
        return Level.FULL
    age = shelf.now - last_used(record)
    by_age = 2 - (age >= options.summary_after) - (age >= options.brief_after)
    return SIZES[max(0, min(2, by_age + _moved(record)))]


def _moved(record: Record) -> int:
    used = record.usage
    proven = used.cited >= PROVEN and used.cited > used.ignored
    return proven - (used.cited == 0 and used.ignored >= PASSED_OVER)

"""Forget: what was superseded and not used for a long time is set aside; `restore` brings it back."""

from collections.abc import Iterator

from recollect.model.record import Status
from recollect.upkeep.deeds import Deed
from recollect.upkeep.options import UpkeepOptions
from recollect.upkeep.rank import moved
from recollect.upkeep.shelf import Shelf, last_used
from recollect.upkeep.standing import Standing


def forget(shelf: Shelf, options: UpkeepOptions) -> Iterator[Deed]:
    """Set aside superseded memories that nobody used since, unless something would be lost with them."""
    standing = Standing(shelf, options)
    for record in shelf.of(Status.SUPERSEDED):
        idle = shelf.now - max(record.recorded_at, last_used(record)) >= options.forget_after
        if idle and not standing.untouchable(record):
            yield moved(shelf, record, Status.FORGOTTEN, "forgotten")

"""How a memory is kept in order: every number of upkeep that can be chosen, with its default."""

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class UpkeepOptions:
    """The defaults are those of the design; the trade-off behind them is measured in docs/upkeep.md."""

    similar: float = 0.92
    summary_after: timedelta = timedelta(days=7)
    brief_after: timedelta = timedelta(days=30)
    archive_after: timedelta = timedelta(days=30)
    archive_below: float = 0.05
    forget_after: timedelta = timedelta(days=90)
    significant: int = 4
    max_episodes: int = 500
    max_links: int = 5


DEFAULTS = UpkeepOptions()

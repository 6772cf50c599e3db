"""Run, UpkeepReport and Undone: what a run of upkeep or a merge did, and what undoing it did."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

COUNTS = (
    "deduped",
    "compressed",
    "promoted",
    "demoted",
    "archived",
    "forgotten",
    "contradictions_found",
    "linked",
    "episodes_merged",
    "tokens_reclaimed",
)
"""What every report of upkeep counts; tokens are those that contexts would otherwise carry."""


class RunKind(StrEnum):
    """What sort of run."""

    UPKEEP = "upkeep"
    MERGE = "merge"


class RunStatus(StrEnum):
    """Where a run is; a settled one is too old to be undone."""

    RUNNING = "running"
    DONE = "done"
    UNDOING = "undoing"
    UNDONE = "undone"
    SETTLED = "settled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run over some spaces (a merge: the source, then the target), which can be undone as a whole.

    `reached` is how many of its steps are complete.
    """

    id: str
    kind: RunKind
    status: RunStatus
    spaces: tuple[str, ...]
    started_at: datetime
    counts: Mapping[str, int] = field(default_factory=dict)
    reached: int = 0
    finished_at: datetime | None = None
    undone_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UpkeepReport:
    """What a run did, or with `dry_run` would do; `skipped` were changed by somebody while it ran."""

    run: str | None
    spaces: tuple[str, ...]
    counts: Mapping[str, int]
    skipped: int = 0
    dry_run: bool = False
    resumed: bool = False


@dataclass(frozen=True, slots=True)
class Left:
    """A memory that an undo left as it is, and why."""

    id: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """What an undo put back, by kind, and what it left alone because it was changed since."""

    run: str
    restored: Mapping[str, int]
    left: tuple[Left, ...] = ()

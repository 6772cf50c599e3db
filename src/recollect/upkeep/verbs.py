"""The verbs of upkeep: `memory.upkeep()` runs it, `memory.upkeep.undo(run)` takes a run back."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from recollect.ingest import gate
from recollect.model.ids import checked_id
from recollect.model.space import checked_space
from recollect.model.upkeep import Run, Undone, UpkeepReport
from recollect.store import runs
from recollect.store.scope import Scope
from recollect.upkeep.options import UpkeepOptions

if TYPE_CHECKING:
    from recollect.ingest.llms import LLMs

Progress = Callable[[str, int], None]


class Upkeep:
    """A memory that keeps itself in order; every run of it can be undone as a whole."""

    def __init__(
        self,
        scope: Scope,
        options: UpkeepOptions,
        stir: Callable[[], None],
        settle: Callable[[], None],
        llms: "Callable[[], LLMs]",
    ) -> None:
        self._scope = scope
        self._options = options
        self._stir = stir
        self._settle = settle
        self._llms = llms

    def __call__(self, *, dry_run: bool = False, progress: Progress | None = None) -> UpkeepReport:
        """Keep the view in order: duplicates, levels, ranks, contradictions, forgetting, links, episodes.

        With `dry_run` nothing is changed and the report says what would be. A run that was interrupted
        is gone on with.
        """
        from recollect.upkeep.contradictions import scan_all
        from recollect.upkeep.run import upkeep

        self._settle()
        report = upkeep(
            self._scope,
            self._options,
            dry_run=dry_run,
            progress=progress or _silent,
            detector=partial(scan_all, judged=bool(self._llms().wanted)),
        )
        self._stir()
        return report

    def undo(self, run: str, *, progress: Progress | None = None) -> Undone:
        """Put back everything a run changed; what somebody changed since is left alone, and named."""
        from recollect.upkeep.undo import undo

        self._settle()
        undone = undo(self._scope, checked_id(run, "the run"), progress or _silent)
        self._stir()
        return undone

    def runs(self, *, limit: int = 50) -> Sequence[Run]:
        """The runs that touched spaces of the view, newest first."""
        gate.count(limit, "limit", 1, 1_000)
        seen = set(self._scope.view.spaces)
        found = self._scope.read(lambda tx: runs.listed(tx, limit))
        return [run for run in found if seen & set(run.spaces)]

    def merge(
        self, source: str, target: str, *, dry_run: bool = False, progress: Progress | None = None
    ) -> UpkeepReport:
        """Move the memories of one space into another: duplicates joined, conflicts to the contradictions.

        Both must exist. What was said stays where it was said; sources are kept.
        """
        from recollect.upkeep.merge import merge

        self._settle()
        spaces = (checked_space(source), checked_space(target))
        report = merge(self._scope, spaces, self._options, dry_run=dry_run, progress=progress or _silent)
        self._stir()
        return report


def _silent(_step: str, _done: int) -> None:
    """Nobody watches."""

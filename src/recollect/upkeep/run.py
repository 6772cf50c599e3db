"""A run of upkeep: step by step through the spaces of a view, in batches that are whole or not there.

Planning reads one snapshot and holds no lock; each batch of what was planned is one short write
transaction with its journal, so readers and writers go on meanwhile. A run that was interrupted is gone
on with by the next: what is done is not planned again. All of a run happens at one moment, its start, so
that going on with it decides as the first attempt would have.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from recollect.errors import Conflict
from recollect.model.ids import new_id
from recollect.model.upkeep import COUNTS, Run, RunKind, RunStatus, UpkeepReport
from recollect.store import apps, runs
from recollect.store.database import Tx, batches
from recollect.store.scope import Scope
from recollect.upkeep.commit import commit
from recollect.upkeep.compress import compress
from recollect.upkeep.dedupe import dedupe
from recollect.upkeep.deeds import Deed, counted
from recollect.upkeep.episodes import cap_episodes, merge_episodes
from recollect.upkeep.forget import forget
from recollect.upkeep.link import discover
from recollect.upkeep.options import UpkeepOptions
from recollect.upkeep.rank import rank
from recollect.upkeep.scan import Detector, scan
from recollect.upkeep.shelf import Shelf, read_shelf

BATCH = 300
BREATH = 0.005
"""Seconds between two batches, so that whoever waits to write comes in."""
UNDOABLE = timedelta(days=90)
COUNTED_BY = "o200k"
SCAN = "contradictions"

Progress = Callable[[str, int], None]
Step = Callable[[Shelf, UpkeepOptions], Iterable[Deed]]
STEPS: tuple[tuple[str, Step | None], ...] = (
    ("dedupe", dedupe),
    ("compress", compress),
    ("rank", rank),
    (SCAN, None),
    ("forget", forget),
    ("link", discover),
    ("episodes", merge_episodes),
    ("cap", cap_episodes),
)
"""What a run does in each space, in this order. The detector of contradictions is not a planner: it
writes by itself (upkeep/scan.py)."""


@dataclass(slots=True)
class Work:
    """One run under way: where it writes, and what it has done so far."""

    scope: Scope
    run: Run
    progress: Progress
    dry: bool = False
    skipped: int = 0

    def do(self, name: str, deeds: Sequence[Deed]) -> None:
        """Commit what a step planned, batch by batch; in a dry run, only count it."""
        if self.dry:
            self.add(counted(deeds))
            return
        done = 0
        for batch in batches(deeds, BATCH):
            if done:
                time.sleep(BREATH)
            made = self.scope.write(lambda tx, batch=batch: commit(tx, self.run, batch))  # type: ignore[misc]
            if made.run is None:
                raise Conflict(f"run {self.run.id} was stopped: it is being undone, or finished elsewhere")
            self.run = made.run
            self.skipped += made.skipped
            done += len(batch)
            self.progress(name, done)

    def add(self, counts: Counter[str]) -> None:
        """Count what a dry run would do."""
        self.run = replace(self.run, counts=dict(Counter(self.run.counts) + counts))

    def reach(self, place: int) -> None:
        """Note that so many steps are complete; the next batch writes it down."""
        self.run = replace(self.run, reached=place)

    def report(self, resumed: bool) -> UpkeepReport:
        """What was done."""
        counts = dict.fromkeys(COUNTS, 0) | dict(self.run.counts)
        return UpkeepReport(
            run=None if self.dry else self.run.id,
            spaces=self.run.spaces,
            counts=counts,
            skipped=self.skipped,
            dry_run=self.dry,
            resumed=resumed,
        )


def upkeep(
    scope: Scope,
    options: UpkeepOptions,
    *,
    dry_run: bool,
    progress: Progress,
    detector: Detector | None = None,
) -> UpkeepReport:
    """Keep the view in order: all steps in all its spaces, or with `dry_run` what they would do."""
    fresh = begun(scope, RunKind.UPKEEP, scope.view.spaces, keep=not dry_run)
    work = Work(scope, fresh, progress, dry=dry_run)
    resumed = fresh.reached > 0 or bool(fresh.counts)
    for number, space in enumerate(scope.view.spaces):
        first = number * len(STEPS)
        if work.run.reached < first + len(STEPS):
            _keep(work, space, options, first, detector)
    if not dry_run:
        scope.write(lambda tx: finish(tx, scope, work.run))
    return work.report(resumed)


def _keep(work: Work, space: str, options: UpkeepOptions, first: int, detector: Detector | None) -> None:
    """All steps that are left, in one space."""
    if work.scope.read(lambda tx: apps.find(tx, space)) is not None:
        return  # an app's keeper says what it keeps
    at, tokens = work.run.started_at, counter()
    shelf = work.scope.read(lambda tx: read_shelf(tx, space, at, tokens))
    for place, (name, step) in enumerate(STEPS, first + 1):
        if work.run.reached >= place:
            continue
        work.progress(name, 0)
        if step is None:
            if detector is not None:
                _scan(work, space, detector)
        else:
            planned = list(step(shelf, options))
            work.do(name, list(shelf.do(planned)))
        work.reach(place)


def _scan(work: Work, space: str, detector: Detector) -> None:
    seen = work.scope.seeing(space)

    def report(done: int) -> None:
        work.progress(SCAN, done)

    if work.dry:
        work.add(Counter({"contradictions_found": detector(seen, report, True)}))
    else:
        work.run = scan(seen, work.run, detector, report)


def begun(scope: Scope, kind: RunKind, spaces: Sequence[str], *, keep: bool) -> Run:
    """The run to go on with, or a new one, which is stored unless it is only a rehearsal."""
    now = scope.now()
    fresh = Run(id=new_id(now), kind=kind, status=RunStatus.RUNNING, spaces=tuple(spaces), started_at=now)

    def work(tx: Tx) -> Run:
        for run in runs.unfinished(tx):
            if run.status == RunStatus.UNDOING and set(run.spaces) & set(spaces):
                raise Conflict(f"run {run.id} is half undone: finish with `recollect upkeep undo {run.id}`")
            if keep and (run.kind, run.spaces) == (kind, tuple(spaces)):
                return run
        if keep:
            runs.save(tx, fresh)
        return fresh

    return scope.write(work) if keep else scope.read(work)


def finish(tx: Tx, scope: Scope, run: Run) -> None:
    """Close a run, and let go of the journals that are too old."""
    now, stored = scope.now(), runs.get(tx, run.id)
    if stored is not None and stored.status == RunStatus.RUNNING:
        runs.save(tx, replace(stored, status=RunStatus.DONE, reached=run.reached, finished_at=now))
    runs.settle(tx, now - UNDOABLE)


def counter() -> Callable[[str], int]:
    """What counts tokens."""
    from recollect.models.tokens import tokenizer_for

    return tokenizer_for(COUNTED_BY).count

"""Scan: the seam to the contradiction detector.

A detector looks through the view, stores what it finds with store/contradictions, and may link, mark
doubtful and so on, in as many transactions as it likes; in a dry run it only counts. It is given a clock
that stands still at the run's own moment. By that moment everything it wrote is recognised and taken into
the run's journal, also after a kill in between, so that undo takes it back with the rest.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from recollect.model.upkeep import Run
from recollect.store import runs
from recollect.store.database import Tx
from recollect.store.scope import Scope


class Detector(Protocol):
    """Finds what contradicts each other in a view."""

    def __call__(self, scope: Scope, progress: Callable[[int], None], dry_run: bool) -> int:
        """How many contradictions are new; with `dry_run` nothing is stored."""


def scan(scope: Scope, run: Run, detector: Detector, progress: Callable[[int], None]) -> Run:
    """Let the detector look through the view, and take what it wrote into the run, which is counted there."""
    detector(replace(scope, clock=lambda: run.started_at), progress, False)
    return scope.write(lambda tx: _adopt(tx, scope, run))


def _adopt(tx: Tx, scope: Scope, run: Run) -> Run:
    marks = runs.unnoted(tx, run, scope.view.spaces)
    runs.note(tx, run.id, marks)
    found = sum(mark.kind == "contradiction" for mark in marks)
    fresh = replace(run, counts=dict(Counter(run.counts) + Counter(contradictions_found=found)))
    runs.save(tx, fresh)
    return fresh

"""Scan: the seam to the contradiction detector.

A detector is `scan_all(scope, progress)`: it looks through the view, stores what it finds with
store/contradictions.put, and may link, mark doubtful and so on, in as many transactions as it likes. It is
given a clock that stands still at the run's own moment. By that moment everything it wrote is recognised
and taken into the run's journal, also after a kill in between, so that undo takes it back with the rest.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from recollect.model.upkeep import Run
from recollect.store import contradictions, runs
from recollect.store.database import Tx
from recollect.store.scope import Scope
from recollect.upkeep.rehearsal import Rehearsal

Detector = Callable[[Scope, Callable[[int], None]], object]


def scan(scope: Scope, run: Run, detector: Detector, progress: Callable[[int], None]) -> Run:
    """Let the detector look through the view, and take what it wrote into the run, which is counted there."""
    detector(replace(scope, clock=lambda: run.started_at), progress)
    return scope.write(lambda tx: _adopt(tx, scope, run))


def rehearse(scope: Scope, detector: Detector, progress: Callable[[int], None]) -> int:
    """How many contradictions the detector would store."""
    at, found = scope.now(), [0]

    def watch(tx: Tx) -> None:
        found[0] += contradictions.detected_at(tx, scope.view.spaces, at)

    detector(replace(scope, database=Rehearsal(scope.database, watch), clock=lambda: at), progress)
    return found[0]


def _adopt(tx: Tx, scope: Scope, run: Run) -> Run:
    marks = runs.unnoted(tx, run, scope.view.spaces)
    runs.note(tx, run.id, marks)
    found = sum(mark.kind == "contradiction" for mark in marks)
    fresh = replace(run, counts=dict(Counter(run.counts) + Counter(contradictions_found=found)))
    runs.save(tx, fresh)
    return fresh

"""The seam to the contradiction detector: what it writes belongs to the run, and goes with it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from recollect import Contradiction, Link, LinkType, Memory
from recollect.ingest.remember import existing
from recollect.model.ids import derived_id
from recollect.store import contradictions, links, memories
from recollect.store.scope import Scope
from recollect.upkeep.options import DEFAULTS
from recollect.upkeep.run import upkeep
from recollect.upkeep.scan import Detector


def detector(a: str, b: str) -> Detector:
    """Finds that two memories contradict each other, and marks one of them doubtful."""

    def scan_all(scope: Scope, progress: Callable[[int], None], dry_run: bool) -> int:
        now = scope.now()
        clash = Contradiction(
            id=derived_id(now, a, b),
            space="user:alex",
            memory_a=a,
            memory_b=b,
            reason="test",
            detected_at=now,
        )

        def work(tx: Any) -> None:
            if contradictions.put(tx, clash):
                links.put(tx, [Link(source=b, target=a, type=LinkType.CONTRADICTS, created_at=now)])
                old = existing(tx, scope, a)
                memories.replace_version(tx, old, replace(old, doubtful=True, recorded_at=now))

        if not dry_run:
            scope.write(work)
        progress(2)
        return 1

    return scan_all


def lines(memory: Memory, path: Path) -> list[str]:
    memory.transfers.export(path)
    return path.read_text("utf-8").splitlines()[1:]


def test_what_a_detector_writes_is_counted_and_undone(memory: Memory, tmp_path: Path) -> None:
    a, b = memory.remember("Alex drinks coffee").id, memory.remember("Alex never drinks coffee").id
    before = lines(memory, tmp_path / "before")
    seen: list[tuple[str, int]] = []

    def report(step: str, done: int) -> None:
        seen.append((step, done))

    found = detector(a, b)
    dry = upkeep(memory._scope, DEFAULTS, dry_run=True, progress=report, detector=found)
    assert dry.counts["contradictions_found"] == 1
    assert lines(memory, tmp_path / "dry") == before
    done = upkeep(memory._scope, DEFAULTS, dry_run=False, progress=report, detector=found)
    assert done.counts == dry.counts
    assert ("contradictions", 2) in seen
    assert memory.get(a).doubtful
    (run,) = memory.upkeep.runs()
    assert run.counts["contradictions_found"] == 1
    assert memory.upkeep.undo(run.id).left == ()
    assert lines(memory, tmp_path / "after") == before

"""Upkeep and its undo killed at random moments: batches are whole, the next call goes on, nothing is lost."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

from clock import Clock
from recollect import Conflict, Filter, Memory, Status
from recollect.models.fakes import HashEmbedder

sys.path.insert(0, str(Path(__file__).parent))

from filled import exported, fill

KEEPER = Path(__file__).with_name("keeper.py")
KILLS = 6


def opened(where: str, clock: Clock) -> Memory:
    return Memory(where, view="user:alex", embedder=HashEmbedder(), clock=clock, background=False)


def outline(memory: Memory) -> list[str]:
    """What the memories are now, but for how many versions it took, and for the links found on the way."""
    found = memory.list(Filter(statuses=tuple(Status)), limit=1_000).items
    told = [
        (r.text, r.status, r.tags, r.importance, r.sources, r.artifacts, r.usage, r.valid_to) for r in found
    ]
    return sorted(map(repr, told))


def settled(memory: Memory) -> list[str]:
    """What there is when nothing is left to do."""
    while any(memory.upkeep().counts.values()):
        pass
    return outline(memory)


def killed(where: str, clock: Clock, lines: int, *, waits: bool, undoing: str = "") -> bool:
    """Kill upkeep or an undo after some lines, where it waits or goes on; whether it was faster."""
    at = clock.forward(seconds=1).isoformat()
    command = [sys.executable, str(KEEPER), where, at, str(lines * waits), undoing]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    keeper = subprocess.Popen(command, text=True, **pipes)
    assert keeper.stdout is not None
    read = [keeper.stdout.readline() for _ in range(lines)]
    keeper.kill()
    rest, _ = keeper.communicate()
    return "done\n" in (*read, *rest.splitlines(keepends=True))


def test_kills_at_any_moment(where: str, clock: Clock, tmp_path: Path) -> None:
    with opened(where, clock) as memory:
        fill(memory, clock, 11, 40)
        before = exported(memory, tmp_path / "before")
    chance = random.Random(3)
    with opened(str(tmp_path / "calm.db"), clock) as calm:
        calm.transfers.load(tmp_path / "before")
        calm.jobs.run()
        expected = settled(calm)
    finished = [killed(where, clock, chance.randint(2, 14), waits=i % 2 == 0) for i in range(KILLS)]
    assert not finished[0], "it waited between two batches, and was killed there"
    with opened(where, clock) as memory:
        assert settled(memory) == expected
        assert all(finding.ok for finding in memory.doctor())
        (run, *later) = reversed(memory.upkeep.runs())
        for other in reversed(later):
            memory.upkeep.undo(other.id)
    for i in range(KILLS):
        killed(where, clock, chance.randint(2, 8), waits=i % 2 == 0, undoing=run.id)
    with opened(where, clock) as memory:
        if memory.upkeep.runs()[-1].status == "undoing":
            with pytest.raises(Conflict, match="half undone"):
                memory.upkeep()
        if memory.upkeep.runs()[-1].status != "undone":
            memory.upkeep.undo(run.id)
        assert exported(memory, tmp_path / "after") == before
        assert all(finding.ok for finding in memory.doctor())

"""Workers killed in the middle of digesting: the memories are those of an undisturbed run."""

import random
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

from recollect import Filter, Memory, Status
from recollect.jobs import queue
from recollect.models.fakes import HashEmbedder
from recollect.surfaces.demo_talk import long_talk

DIGESTER = Path(__file__).with_name("digester.py")
TURNS = 160
KILLS = 8


def opened(where: str) -> Memory:
    return Memory(where, view="user:alex", embedder=HashEmbedder(), background=False)


def outline(memory: Memory) -> list[tuple[object, ...]]:
    """All that was made of the conversation but the times it was recorded at."""
    (chat,) = memory.conversations.list().items
    turns = {m.id: m.turn for m in memory.conversations.messages(chat.id)}
    records = memory.list(Filter(statuses=tuple(Status)), limit=1_000).items
    facts = [
        (r.kind, r.text, r.status, r.confidence, r.version, tuple(sorted(turns[s.id] for s in r.sources)))
        for r in records
    ]
    chunks = [(c.level, c.first_turn, c.summary) for c in memory.conversations.recent(chat.id).chunks]
    return sorted(map(repr, facts)) + sorted(map(repr, chunks))


def test_killed_workers_leave_no_trace(where: str, tmp_path: Path) -> None:
    with opened(str(tmp_path / "calm.db")) as calm:
        calm.add_many(long_talk(TURNS))
        calm.jobs.run()
        expected = outline(calm)
    with opened(where) as memory:
        memory.add_many(long_talk(TURNS))
    chance = random.Random(3)
    for _ in range(KILLS):
        worker = subprocess.Popen([sys.executable, str(DIGESTER), where], stdout=subprocess.PIPE, text=True)
        assert worker.stdout is not None
        for _ in range(chance.randint(1, 3)):
            worker.stdout.readline()
        worker.kill()
        worker.communicate()
        with opened(where) as memory:
            _free(memory)
    with opened(where) as memory:
        memory.jobs.run()
        assert outline(memory) == expected
        assert memory.stats().unembedded == {"fake:hash-64": 0}
        assert all(finding.ok for finding in memory.doctor())


def _free(memory: Memory) -> None:
    """Put back what a killed worker held, as the queue does when the lease has run out."""
    later = memory._scope.now() + timedelta(hours=1)
    memory._scope.database.queue(lambda tx: queue.tidy(tx, later))
    due = "UPDATE jobs SET run_at = 0, attempts = 0 WHERE status = 'ready' AND kind <> 'idle'"
    memory._scope.database.queue(lambda tx: tx.run(due))

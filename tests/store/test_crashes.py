"""Writers that are killed, and many writers at once: nothing acknowledged is lost, nothing locks up."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

from recollect import Filter, Memory, Status
from recollect.models.fakes import HashEmbedder

WRITER = Path(__file__).with_name("writer.py")
KILLS = 50


def start(where: str, name: str, count: int) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, str(WRITER), where, name, str(count)], stdout=subprocess.PIPE, text=True
    )


def open_as(where: str, name: str) -> Memory:
    return Memory(where, view=f"user:{name}", embedder=HashEmbedder(), background=False)


def acknowledged(output: str) -> tuple[list[str], list[tuple[str, str]]]:
    """The message ids and the (memory id, value) pairs a writer was told are stored."""
    said: list[str] = []
    kept: list[tuple[str, str]] = []
    for line in output.splitlines():
        word, *rest = line.split() or [""]
        if word == "said":
            said += rest
        elif word == "kept" and len(rest) == 2:
            kept.append((rest[0], rest[1]))
    return said, kept


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_kill_at_random_moments(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    where = str(tmp_path / "m.db") if kind == "sqlite" else str(request.getfixturevalue("postgres_url"))
    chance = random.Random(7)
    said: list[str] = []
    kept: list[tuple[str, str]] = []
    for _ in range(KILLS):
        writer = start(where, "alex", 1_000)
        assert writer.stdout is not None
        lines = [writer.stdout.readline() for _ in range(chance.randint(1, 12))]
        writer.kill()
        rest, _ = writer.communicate()
        more_said, more_kept = acknowledged("".join(lines) + rest.rpartition("\n")[0] + "\n")
        said += more_said
        kept += more_kept
    with open_as(where, "alex") as memory:
        stored = [
            m.id
            for chat in memory.conversations.list(limit=1_000).items
            for m in memory.conversations.messages(chat.id, limit=100_000)
        ]
        assert set(said) <= set(stored)
        assert len(stored) == len(set(stored))
        assert len(stored) % 3 == 0, "each call stored all three of its messages or none"
        found = {r.id: r for r in memory.list(Filter(statuses=tuple(Status)), limit=1_000).items}
        assert {id for id, _ in kept} <= set(found)
        assert sum(r.status == "active" for r in found.values()) == 1, "one value is current"
        assert all(finding.ok for finding in memory.doctor())
        memory.jobs.run()
        _past_the_leases(memory)
        assert memory.stats().unembedded == {"fake:hash-64": 0}, "no job was lost"
        texts = len(stored) + len(found) + memory.stats().chunks
        assert memory.stats().vectors == {"fake:hash-64": texts}, "none was done twice"
        chat = memory.conversations.list().items[0]
        assert chat.digested == chat.turns
        assert chat.turns - chat.chunked <= 20


def _past_the_leases(memory: Memory) -> None:
    """Let the leases of the killed workers run out, by the queue's own rule, and do their work."""
    memory._scope.database.queue(lambda tx: tx.run("UPDATE jobs SET leased_until = 0, run_at = 0"))
    memory.jobs.run()
    memory._scope.database.queue(lambda tx: tx.run("UPDATE jobs SET run_at = 0"))
    memory.jobs.run()


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_eight_processes_at_once(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """They start on a file that does not exist yet, so that they also race to create it."""
    where = str(tmp_path / "m.db") if kind == "sqlite" else str(request.getfixturevalue("postgres_url"))
    writers = {f"w{i}": start(where, f"w{i}", 12) for i in range(8)}
    outputs = {name: writer.communicate(timeout=300)[0] for name, writer in writers.items()}
    assert [writer.returncode for writer in writers.values()] == [0] * 8
    for name, output in outputs.items():
        said, kept = acknowledged(output)
        assert len(said) == 36
        with open_as(where, name) as memory:
            (chat,) = memory.conversations.list().items
            assert [m.id for m in memory.conversations.messages(chat.id)] == said
            assert [r.value for r in memory.history(key="count") if r.status == "active"][-1] == "11"
            assert memory.get(kept[-1][0]).status == "active"
    with open_as(where, "w0") as memory:
        assert all(finding.ok for finding in memory.doctor())
        numbers = memory._scope.read(
            lambda tx: [
                r["seq"]
                for table in ("messages", "memories", "vectors")
                for r in tx.rows(f"SELECT seq FROM {table} WHERE tenant = :tenant")
            ]
        )
        assert len(numbers) == len(set(numbers)), "every change has a number of its own"


def test_another_process_is_seen_on_the_next_call(where: str) -> None:
    with open_as(where, "alex") as memory:
        assert memory.list().items == []
        writer = start(where, "alex", 1)
        output, _ = writer.communicate(timeout=60)
        _, kept = acknowledged(output)
        assert [r.id for r in memory.list().items] == [kept[0][0]]

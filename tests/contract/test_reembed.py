"""Changing the embedder on both databases: the old vectors serve until the new are complete."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from clock import Clock
from recollect import Conflict, Memory, ModelMismatch, NewMessage
from recollect.model.reembedding import Reembedding
from recollect.models.fakes import HashEmbedder

REEMBEDDER = Path(__file__).with_name("reembedder.py")
OLD, NEW, STATIC = "fake:hash-64", "fake:hash-32", "static:recollect-256"


def filled(memory: Memory, count: int = 600) -> None:
    memory.add_many([NewMessage(text=f"message number {i} about topic{i}") for i in range(count)])
    memory.jobs.run()


def first(memory: Memory, query: str) -> str:
    return memory.recall(query).found[0].text


def models(memory: Memory) -> set[str]:
    return set(memory.stats().vectors)


@pytest.mark.parametrize("to", [NEW, STATIC])
def test_the_old_vectors_serve_until_the_new_are_complete(memory: Memory, to: str) -> None:
    filled(memory)
    seen: list[Reembedding] = []

    def watch(now: Reembedding) -> None:
        """In the middle of it: recall works, and what is added is found by the old vectors."""
        seen.append(now)
        if len(seen) > 3:
            return
        memory.add(f"a late message about zeppelin{len(seen)}")
        memory._engine.worker._handlers["embed"](memory.jobs.list(["ready"])[0])
        assert "topic17" in first(memory, "topic17")
        assert f"zeppelin{len(seen)}" in first(memory, f"zeppelin{len(seen)}")
        assert memory._engine.toolbox.embedders.of(memory._scope).name == OLD

    done = memory.vectors.reembed(to, progress=watch)
    assert [now.target for now in seen[:3]] == [to] * 3
    assert [now.done for now in seen[:2]] == [256, 512]
    assert (done.serving, done.target, done.remaining, done.complete) == (to, None, 0, True)
    assert models(memory) == {to}
    memory.jobs.run()
    assert memory.stats().unembedded == {to: 0}
    assert "topic17" in first(memory, "topic17")
    assert "zeppelin2" in first(memory, "zeppelin2")
    memory.add("one more message about airships")
    memory.jobs.run()
    assert models(memory) == {to}
    assert "airships" in first(memory, "airships")
    assert all(finding.ok for finding in memory.doctor())


def test_it_is_a_job_too_and_can_be_given_up(memory: Memory) -> None:
    filled(memory, 20)
    begun = memory.vectors.begin_reembed(NEW)
    assert (begun.serving, begun.target, begun.done, begun.remaining) == (OLD, NEW, 0, 20)
    assert memory.vectors.begin_reembed(NEW) == begun
    with pytest.raises(Conflict, match="already re-embedding to fake:hash-32"):
        memory.vectors.begin_reembed(STATIC)
    assert memory.vectors.cancel_reembed().complete
    memory.jobs.run()
    assert models(memory) == {OLD}
    memory.vectors.begin_reembed(NEW)
    memory.jobs.run()
    assert memory.vectors.status() == Reembedding(serving=NEW, target=None, done=20, remaining=0)
    assert memory.vectors.reembed(NEW).complete


def test_other_processes_follow(where: str, memory: Memory, clock: Clock) -> None:
    """One has no wish, one wishes the new, one wished the old and saw the change begin."""
    filled(memory, 20)
    memory.vectors.begin_reembed(NEW)
    options: dict[str, Any] = {"view": "user:alex", "clock": clock, "background": False}
    with (
        Memory(where, **options) as automatic,
        Memory(where, embedder=NEW, **options) as new,
        Memory(where, embedder=OLD, **options) as old,
    ):
        assert all("topic7" in first(m, "topic7") for m in (automatic, new, old))
        memory.jobs.run()
        assert models(memory) == {NEW}
        assert all("topic7" in first(m, "topic7") for m in (automatic, new, old))
        old.add("a message about airships")
        old.jobs.run()
        assert models(old) == {NEW}
    with pytest.raises(ModelMismatch, match="recollect reembed --to fake:hash-64"):
        Memory(where, embedder=OLD, **options)


def test_a_job_that_began_before_the_switch_leaves_no_old_vectors(where: str, clock: Clock) -> None:
    """The embed job is at work with the old embedder while the switch happens."""

    class Slow(HashEmbedder):
        before = staticmethod(lambda: None)

        def embed(self, texts: Sequence[str], *, query: bool = False) -> Any:
            if not query:
                self.before()
            return super().embed(texts, query=query)

    slow = Slow()
    with Memory(where, view="user:alex", embedder=slow, clock=clock, background=False) as memory:
        filled(memory, 10)
        memory.add("said while the embedder changes")

        def change() -> None:
            slow.before = staticmethod(lambda: None)
            memory.vectors.reembed(NEW)

        slow.before = staticmethod(change)
        memory.jobs.run()
        assert memory.stats().vectors == {NEW: 11}
        assert memory.stats().unembedded == {NEW: 0}


def test_killed_in_the_middle_it_goes_on_where_it_was(where: str) -> None:
    with Memory(where, view="user:alex", embedder=OLD, background=False) as memory:
        filled(memory, 2_000)
        whole = memory.stats().vectors[OLD]
    reached = []
    for _ in range(3):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        worker = subprocess.Popen([sys.executable, str(REEMBEDDER), where], text=True, **pipes)
        assert worker.stdout is not None
        reached.append(int(worker.stdout.readline()))
        worker.kill()
        worker.communicate()
        with Memory(where, view="user:alex", background=False) as memory:
            assert memory.vectors.status().serving == OLD
            assert "topic77" in first(memory, "topic77")
    assert reached == sorted(set(reached)), "every start goes on after the last one"
    with Memory(where, view="user:alex", background=False) as memory:
        assert memory.vectors.reembed(NEW).serving == NEW
        assert memory.stats().vectors == {NEW: whole}
        assert "topic77" in first(memory, "topic77")


def test_the_index_of_the_old_vectors_goes(sqlite_memory: Memory) -> None:
    filled(sqlite_memory, 20)
    root = Path(f"{sqlite_memory._scope.database.path}-index")  # type: ignore[attr-defined]
    first(sqlite_memory, "topic7")
    sqlite_memory._engine.toolbox.indexes.save()
    (old,) = root.iterdir()
    sqlite_memory.vectors.reembed(NEW)
    assert not old.exists()
    first(sqlite_memory, "topic7")
    sqlite_memory._engine.toolbox.indexes.save()
    assert len(list(root.iterdir())) == 1

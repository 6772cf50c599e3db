"""Vectors: every text gets one, by the embedder the memory belongs to; on both databases."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clock import Clock
from recollect import Memory, ModelMismatch, ModelUnavailable, NewMessage
from recollect.models.fakes import HashEmbedder
from recollect.store import vectors


def held(memory: Memory) -> dict[str, Any]:
    def read(tx: Any) -> dict[str, bytes]:
        rows = tx.rows("SELECT id, model FROM vectors WHERE tenant = :tenant ORDER BY id")
        return {r["id"]: vectors.of(tx, r["model"], [r["id"]])[r["id"]] for r in rows}

    return {id: np.frombuffer(raw, dtype="<f2") for id, raw in memory._scope.read(read).items()}


def test_every_text_gets_its_vector(memory: Memory) -> None:
    said = memory.add_many([NewMessage(text=f"message number {i}") for i in range(600)])
    noted = memory.remember("a memory")
    assert memory.jobs.run()
    found = held(memory)
    assert {*said.ids, noted.id} <= set(found)
    assert all(abs(float(np.linalg.norm(v.astype("f4"))) - 1) < 0.01 for v in found.values())
    assert memory.stats().vectors == {"fake:hash-64": len(found)}
    assert memory.stats().unembedded == {"fake:hash-64": 0}


def test_a_changed_text_gets_a_new_vector_and_an_unchanged_one_keeps_its(memory: Memory) -> None:
    id = memory.remember("apples").id
    memory.jobs.run()
    before = held(memory)[id]
    memory.update(id, importance=0.9)
    memory.jobs.run()
    assert np.array_equal(held(memory)[id], before)
    memory.update(id, text="zeppelins")
    assert id not in held(memory), "a vector of the old text would be wrong"
    memory.jobs.run()
    assert not np.array_equal(held(memory)[id], before)


def test_another_embedder_is_refused_with_a_way_out(where: str, memory: Memory, clock: Clock) -> None:
    memory.add("hello")
    memory.jobs.run()
    with pytest.raises(ModelMismatch, match="fake:hash-64.*not by fake:hash-32"):
        Memory(where, embedder=HashEmbedder(32), clock=clock, background=False)
    with Memory(where, embedder="fake:hash-64", background=False) as same:
        same.add("again")
        same.jobs.run()
    with Memory(where, background=False) as automatic:
        automatic.add("and again")
        automatic.jobs.run()
        assert automatic.stats().vectors == {"fake:hash-64": 3}


class Moody(HashEmbedder):
    """Fails as long as it is told to."""

    broken = True

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Any:
        if self.broken:
            raise ModelUnavailable("the model is out for lunch")
        return super().embed(texts, query=query)


def test_a_failing_model_leaves_a_job_and_a_visible_error(where: str, clock: Clock) -> None:
    moody = Moody()
    with Memory(where, embedder=moody, clock=clock, background=False) as memory:
        receipt = memory.add("kept whatever happens")
        memory.jobs.run()
        (job,) = (job for job in memory.jobs.list() if job.kind == "embed")
        assert (job.status, job.attempts) == ("ready", 1)
        assert job.error == "ModelUnavailable: the model is out for lunch"
        assert memory.conversations.message(receipt.id).text == "kept whatever happens"
        moody.broken = False
        clock.forward(minutes=1)
        memory.jobs.run()
        assert set(held(memory)) == {receipt.id}


def test_a_memory_that_is_refused_leaves_nothing_open(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.db", embedder=HashEmbedder(), background=False) as memory:
        memory.add("hello")
        memory.jobs.run()
    with pytest.raises(ModelMismatch) as kept:
        Memory(tmp_path / "m.db", embedder=HashEmbedder(32), background=False)
    assert kept.tb is not None, "whoever keeps the error keeps what it refers to"
    assert not (tmp_path / "m.db-wal").exists()

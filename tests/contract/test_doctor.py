"""Doctor and stats, on both databases: what is damaged is found."""

from typing import Any

import pytest

from recollect import Memory


@pytest.fixture
def ill(memory: Memory) -> Memory:
    memory.add("hello world")
    memory.update(memory.remember("a fact", key="k", value="v").id, value="w")
    memory.jobs.run()
    return memory


def bad(memory: Memory) -> set[str]:
    return {finding.check for finding in memory.doctor() if not finding.ok}


def change(memory: Memory, sql: str) -> None:
    def work(tx: Any) -> None:
        tx.run(sql)

    memory._scope.write(work)


def test_a_sound_memory_passes(ill: Memory) -> None:
    assert bad(ill) == set()


@pytest.mark.parametrize(
    ("sql", "check"),
    [
        ("UPDATE messages SET body = 'hallo world' WHERE tenant = :tenant", "messages"),
        ("UPDATE memories SET value = 'x' WHERE tenant = :tenant", "memories"),
        ("UPDATE memory_versions SET body = 'other' WHERE tenant = :tenant", "memory versions"),
        ("UPDATE memories SET kind = 'nonsense' WHERE tenant = :tenant", "memories"),
        ("DELETE FROM texts WHERE tenant = :tenant AND kind = 'message'", "words of messages"),
        ("UPDATE jobs SET status = 'dead' WHERE tenant = :tenant", "jobs"),
    ],
)
def test_damage_is_found(ill: Memory, sql: str, check: str) -> None:
    change(ill, sql)
    assert bad(ill) == {check}


def test_stats_count_the_view(ill: Memory) -> None:
    ill.view("user:bob").remember("bob's")
    stats = ill.stats()
    assert (stats.spaces, stats.conversations, stats.messages) == (1, 1, 1)
    assert stats.memories == {"active": 1}
    assert stats.kinds == {"fact": 1}
    assert stats.bytes > 10_000
    assert ill.view("user:alex", "user:bob").stats().memories == {"active": 2}

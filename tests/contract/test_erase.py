"""Erasure: gone from every table, with what was derived from it alone; on both databases."""

from pathlib import Path
from typing import Any

import pytest

from recollect import InvalidInput, Memory, NewMessage, NotFound, Source, SourceKind
from recollect.model.conversation import Chunk, Trust
from recollect.model.ids import new_id
from recollect.store import chunks, texts

SECRET = "zanzibarquux"


def rows(memory: Memory) -> dict[str, int]:
    """How many rows each table holds for this tenant."""
    tables = (
        "spaces conversations messages chunks memories memory_versions provenance artifacts usage links "
        "contradictions decisions documents vectors texts energy"
    ).split()

    def count(tx: Any) -> dict[str, int]:
        return {
            table: tx.rows(f"SELECT count(*) AS n FROM {table} WHERE tenant = :tenant")[0]["n"]
            for table in tables
        }

    return memory._scope.read(count)


def fill(memory: Memory) -> dict[str, str]:
    """Two messages, a memory from each, one from both, one from a memory, and a chunk over both."""
    first = memory.add(f"my password hint is {SECRET}")
    second = memory.add("I like tea")
    source = lambda id: Source(SourceKind.MESSAGE, id)  # noqa: E731
    only = memory.remember(f"hint: {SECRET}", sources=[source(first.id)]).id
    both = memory.remember("likes tea, has a hint", sources=[source(first.id), source(second.id)]).id
    derived = memory.remember(f"guess: {SECRET}", sources=[Source(SourceKind.MEMORY, only)]).id
    kept = memory.remember("likes tea", sources=[source(second.id)]).id
    memory.links.add(only, kept)
    memory.update(only, text=f"the hint is {SECRET}")
    now = memory._scope.now()
    turn = memory.conversations.message(first.id).turn
    chunk = Chunk(
        id=new_id(now),
        space="user:alex",
        conversation=first.conversation or "",
        level=0,
        first_turn=turn,
        last_turn=turn + 1,
        summary=f"Alex gave a hint: {SECRET}",
        topics=("hint",),
        tokens=9,
        trust=Trust.USER,
        recorded_at=now,
    )
    memory._scope.write(lambda tx: chunks.insert(tx, [chunk]))
    memory.jobs.run()
    return {
        "first": first.id,
        "second": second.id,
        "chat": first.conversation or "",
        "only": only,
        "both": both,
        "derived": derived,
        "kept": kept,
    }


def test_erasing_a_message_takes_what_came_from_it_alone(memory: Memory) -> None:
    ids = fill(memory)
    receipt = memory.erase(message=ids["first"])
    assert receipt.removed["messages"] == 1
    assert receipt.removed["memories"] == 2
    assert receipt.removed["chunks"] == 1
    assert receipt.rebuild == (ids["both"],)
    for gone in ("only", "derived"):
        with pytest.raises(NotFound):
            memory.get(ids[gone])
    assert memory.get(ids["both"]).rebuild
    assert [s.id for s in memory.get(ids["both"]).sources] == [ids["second"]]
    assert not memory.get(ids["kept"]).rebuild
    assert all(finding.ok for finding in memory.doctor())


def test_erasing_a_user_leaves_nothing(memory: Memory) -> None:
    fill(memory)
    memory.view("project:phoenix/user:alex").remember(f"nested {SECRET}")
    memory.view("user:bob").remember("bob stays")
    memory.erase(user="alex")
    left = {table: n for table, n in rows(memory).items() if n}
    assert left == {"spaces": 1, "memories": 1, "texts": 1}
    assert [s.path for s in memory.spaces.list()] == ["user:bob"]


@pytest.mark.parametrize("target", ["message", "conversation", "memory", "space"])
def test_each_target_is_gone_from_rows_words_and_vectors(memory: Memory, target: str) -> None:
    ids = fill(memory)
    names = {
        "message": ids["first"],
        "conversation": ids["chat"],
        "memory": ids["only"],
        "space": "user:alex",
    }
    memory.erase(**{target: names[target]})
    if target == "memory":
        memory.erase(message=ids["first"])

    def held(tx: Any) -> str:
        columns = "body, coalesce(summary, '') AS summary"
        return " ".join(
            str(tuple(r[c] for c in ("body", "summary")))
            for table in ("memories", "memory_versions")
            for r in tx.rows(f"SELECT {columns} FROM {table} WHERE tenant = :tenant")
        )

    assert SECRET not in memory._scope.read(held)
    assert all(finding.ok for finding in memory.doctor())
    assert SECRET not in str(memory.list().items)


def test_the_bytes_are_gone_from_the_sqlite_file(sqlite_memory: Memory, tmp_path: Path) -> None:
    sqlite_memory.add_many([NewMessage(text=f"filler {i} with common words") for i in range(500)])
    ids = fill(sqlite_memory)
    sqlite_memory.add_many([NewMessage(text=f"more filler {i} with other words") for i in range(500)])
    files = [tmp_path / "memory.db", tmp_path / "memory.db-wal"]

    def bytes_of_secret() -> int:
        return sum(file.read_bytes().count(SECRET.encode()) for file in files if file.exists())

    assert bytes_of_secret() > 0
    sqlite_memory.erase(message=ids["first"])
    assert bytes_of_secret() == 0
    assert sqlite_memory.stats().messages == 1_001
    again = sqlite_memory.add(f"again {SECRET}")
    sqlite_memory._scope.write(texts.compact)  # one segment only: compacting must still rewrite it
    sqlite_memory.erase(message=again.id)
    assert bytes_of_secret() == 0


def test_erasing_a_memory_keeps_its_sources(memory: Memory) -> None:
    ids = fill(memory)
    memory.erase(memory=ids["only"])
    assert memory.conversations.message(ids["first"]).text.endswith(SECRET)
    with pytest.raises(NotFound):
        memory.get(ids["derived"])


def test_what_to_erase_must_be_said(memory: Memory) -> None:
    fill(memory)
    before = rows(memory)
    with pytest.raises(InvalidInput, match="one thing at a time"):
        memory.erase()
    with pytest.raises(InvalidInput, match="one thing at a time"):
        memory.erase(space="user:alex", user="alex")
    for bad in ({"space": "user:%"}, {"user": "nobody"}, {"message": "00000000-0000-7000-8000-000000000000"}):
        with pytest.raises(NotFound):
            memory.erase(**bad)
    with pytest.raises(InvalidInput):
        memory.erase(message="everything")
    assert rows(memory) == before


def test_an_erased_text_gets_no_vector_afterwards(memory: Memory) -> None:
    receipt = memory.add("soon gone")
    memory.erase(message=receipt.id)
    memory.jobs.run()
    assert rows(memory)["vectors"] == 0


def test_a_context_that_showed_it_goes_too_even_if_nobody_wrote_it_down_yet(memory: Memory) -> None:
    id = memory.remember(f"the hint is {SECRET}").id
    memory.jobs.run()
    shown = memory.context(f"what about {SECRET}?")
    assert id in shown.ids()
    memory.erase(memory=id)
    memory._count_uses()
    kept = memory._scope.read(
        lambda tx: tx.rows("SELECT id FROM contexts WHERE tenant = :tenant AND id = :id", id=shown.id)
    )
    assert kept == []

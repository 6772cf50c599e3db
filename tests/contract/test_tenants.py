"""Walls: between tenants, and between the spaces of one tenant; on both databases."""

from collections.abc import Callable

import psycopg
import pytest

from clock import Clock
from recollect import InvalidInput, Memory, NewMessage, NotFound, Source, SourceKind
from recollect.models.fakes import HashEmbedder


@pytest.fixture
def other(where: str, clock: Clock, memory: Memory) -> Memory:
    """Another tenant that uses the same space name in the same database."""
    opened = Memory(
        where, tenant="other", view="user:alex", embedder=HashEmbedder(), clock=clock, background=False
    )
    try:
        yield opened
    finally:
        opened.close()


def test_another_tenant_sees_and_changes_nothing(memory: Memory, other: Memory) -> None:
    message = memory.add("the launch code is 0000")
    record = memory.remember("the launch code is 0000", key="code", value="0000").id
    peer = memory.remember("and another").id
    chat = message.conversation or ""
    attempts: list[Callable[[], object]] = [
        lambda: other.get(record),
        lambda: other.update(record, text="mine now"),
        lambda: other.forget(record),
        lambda: other.history(record),
        lambda: other.links.add(record, peer),
        lambda: other.links.walk(record),
        lambda: other.erase(memory=record),
        lambda: other.erase(message=message.id),
        lambda: other.erase(conversation=chat),
        lambda: other.erase(user="alex"),
        lambda: other.conversations.get(chat),
        lambda: other.conversations.message(message.id),
        lambda: other.conversations.end(chat),
        lambda: other.add("hello", conversation=chat),
        lambda: other.remember("stolen", sources=[Source(SourceKind.MEMORY, record)]),
    ]
    for attempt in attempts:
        with pytest.raises(NotFound):
            attempt()
    assert other.list().items == []
    assert other.history(key="code") == []
    assert other.spaces.list() == []
    assert other.stats().messages == 0
    assert memory.get(record).version == 1
    assert memory.conversations.get(chat).status == "active"


def test_tenants_may_use_the_same_ids(memory: Memory, other: Memory) -> None:
    mine = memory.add("mine")
    theirs = other.add(NewMessage(text="theirs", id=mine.id))
    assert theirs.entries[0].action == "stored"
    assert memory.conversations.message(mine.id).text == "mine"
    assert other.conversations.message(mine.id).text == "theirs"


def test_a_view_sees_its_spaces_and_writes_to_the_first(memory: Memory) -> None:
    memory.remember("alex's")
    memory.view("project:phoenix").remember("phoenix's")
    memory.view("user:bob").remember("bob's")
    both = memory.view("project:phoenix/user:alex", "project:phoenix", "user:alex")
    assert {r.text for r in both.list().items} == {"alex's", "phoenix's"}
    both.remember("alex in phoenix")
    assert [r.text for r in memory.view("project:phoenix/user:alex").list().items] == ["alex in phoenix"]
    assert {s.path for s in memory.spaces.list()} == {
        "user:alex",
        "user:bob",
        "project:phoenix",
        "project:phoenix/user:alex",
    }


def test_names_with_wildcards_stay_apart(memory: Memory) -> None:
    memory.view("user:al%").remember("percent")
    memory.view("user:al_x").remember("underscore")
    memory.remember("plain")
    assert [r.text for r in memory.view("user:al%").list().items] == ["percent"]
    assert [r.text for r in memory.view("user:al_x").list().items] == ["underscore"]
    assert memory.erase(user="al%").removed["memories"] == 1
    assert [r.text for r in memory.list().items] == ["plain"]


@pytest.mark.parametrize(
    "bad",
    ["", "alex", "user:", "User:alex", "user:a/b", "user: alex", "user:a\0", "user:\ud800", "/", "x" * 300],
)
def test_bad_spaces(memory: Memory, bad: str) -> None:
    with pytest.raises(InvalidInput):
        memory.view(bad)
    with pytest.raises(InvalidInput):
        memory.spaces.create(bad)
    assert memory.spaces.list() == []


def test_spaces_keep_their_policy(memory: Memory) -> None:
    made = memory.spaces.create("app:calendar", policy={"cap": 10})
    assert made.policy == {"cap": 10}
    assert memory.spaces.create("app:calendar") == made
    assert memory.spaces.get("app:calendar") == made
    with pytest.raises(NotFound):
        memory.spaces.get("app:mail")


def test_row_level_security_is_a_second_wall(postgres_url: str) -> None:
    with Memory(postgres_url, tenant="a", background=False) as memory:
        memory.remember("for a only")
    with psycopg.connect(postgres_url) as connection:
        count = "SELECT count(*) FROM memories"
        assert connection.execute(count).fetchone() == (0,), "no tenant set: nothing is visible"
        connection.execute("SELECT set_config('recollect.tenant', 'b', true)")
        assert connection.execute(count).fetchone() == (0,)
        connection.execute("SELECT set_config('recollect.tenant', 'a', true)")
        assert connection.execute(count).fetchone() == (1,)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("INSERT INTO spaces (tenant, path, created_at) VALUES ('b', 'user:x', 0)")


def test_no_state_is_left_on_a_pooled_connection(postgres_url: str) -> None:
    with Memory(postgres_url, tenant="a", background=False) as memory:
        memory.remember("x")
        database = memory._scope.database
        with database._pool.connection() as connection:  # type: ignore[attr-defined]
            row = connection.execute("SELECT current_setting('recollect.tenant', true) AS t").fetchone()
        assert row["t"] in (None, "")

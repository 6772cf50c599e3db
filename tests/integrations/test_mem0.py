"""mem0's verbs, in the shapes its documentation gives, old and new keyword forms."""

from typing import Any

import pytest

from recollect import InvalidInput, NotFound
from recollect import Memory as Recollect
from recollect.integrations.mem0 import Memory
from recollect.integrations.mem0_filters import fits

TALK = [
    {"role": "system", "content": "You are helpful."},
    {"role": "user", "content": "My name is Alice and I live in Berlin."},
    {"role": "assistant", "content": "Nice to meet you, Alice!"},
    {"role": "user", "content": [{"type": "text", "text": "I love sci-fi movies."}, {"type": "image_url"}]},
]
SHAPE = {"id", "memory", "hash", "metadata", "created_at", "updated_at", "user_id"}


@pytest.fixture
def m(memory: Recollect) -> Memory:
    return Memory(memory=memory)


def texts(answer: dict[str, Any]) -> list[str]:
    return sorted(r["memory"] for r in answer["results"])


def test_what_is_said_becomes_memories_with_metadata(m: Memory) -> None:
    added = m.add(TALK, user_id="alice", metadata={"category": "movies"})["results"]
    assert {r["event"] for r in added} == {"ADD"}
    assert any("Berlin" in r["memory"] for r in added)
    assert all(r["metadata"] == {"category": "movies"} for r in added)
    listed = m.get_all(user_id="alice")
    assert texts(listed) == sorted(r["memory"] for r in added)
    assert all(r.keys() >= SHAPE and r["user_id"] == "alice" for r in listed["results"])
    assert m.get_all(filters={"user_id": "alice", "category": "music"}) == {"results": []}
    found = m.search("Where does she live?", user_id="alice")["results"]
    assert "Berlin" in found[0]["memory"]
    assert found[0].keys() == SHAPE | {"score"}
    assert m.search("Where does she live?", filters={"user_id": "alice"}, top_k=1)["results"] == found[:1]
    moved = m.add("I live in Lisbon now.", user_id="alice")["results"]
    assert [r["event"] for r in moved] == ["UPDATE"]
    assert not any("Berlin" in text for text in texts(m.get_all(user_id="alice")))


def test_what_extraction_noted_stays_and_is_not_shown(m: Memory, memory: Recollect) -> None:
    added = m.add("I don't like sushi. I enjoy hiking.", user_id="alice", metadata={"a": 1})["results"]
    kept = [memory.view("user:alice").get(r["id"]) for r in added]
    assert {name for r in kept for name in r.metadata} >= {"negated", "many"}
    assert all(r["metadata"] == {"a": 1} for r in m.get_all(user_id="alice")["results"])


def test_messages_as_they_are(m: Memory) -> None:
    added = m.add(TALK, user_id="alice", infer=False)["results"]
    assert [r["role"] for r in added] == ["user", "assistant", "user"]
    assert [r["memory"] for r in added][-1] == "I love sci-fi movies."
    one = m.add({"role": "user", "content": "A single one"}, user_id="alice", infer=False)["results"]
    assert (m.get(one[0]["id"]) or {})["memory"] == "A single one"
    assert len(m.get_all(user_id="alice", limit=2)["results"]) == 2
    assert m.add([], user_id="alice") == {"results": []}


def test_a_memory_is_changed_and_deleted_with_its_history(m: Memory) -> None:
    (added,) = m.add("I planned a trip", user_id="alice", infer=False, metadata={"a": 1})["results"]
    id = added["id"]
    assert m.update(id, data="I love India") == {"message": "Memory updated successfully!"}
    assert m.update(memory_id=id, data="I love Japan", metadata={"b": 2})["message"]
    shown = m.get(id)
    assert shown is not None
    assert (shown["memory"], shown["metadata"], shown["user_id"]) == ("I love Japan", {"b": 2}, "alice")
    assert m.delete(memory_id=id) == {"message": "Memory deleted successfully!"}
    assert m.get(id) is None
    told = [(h["event"], h["old_memory"], h["new_memory"], h["is_deleted"]) for h in m.history(id)]
    assert told == [
        ("ADD", None, "I planned a trip", 0),
        ("UPDATE", "I planned a trip", "I love India", 0),
        ("UPDATE", "I love India", "I love Japan", 0),
        ("DELETE", "I love Japan", None, 1),
    ]
    nobody = "00000000-0000-7000-8000-000000000000"
    assert m.get(nobody) is None
    with pytest.raises(NotFound):
        m.delete(nobody)


def test_agents_and_runs_within_a_user_and_alone(m: Memory) -> None:
    m.add("of user", user_id="a/b %", infer=False)
    m.add("of agent for user", user_id="a/b %", agent_id="cook", infer=False)
    m.add("of run", user_id="a/b %", agent_id="cook", run_id="r1", infer=False)
    m.add("of agent", agent_id="cook", infer=False)
    m.add("of other", user_id="other", infer=False)
    assert texts(m.get_all(user_id="a/b %")) == ["of agent for user", "of run", "of user"]
    assert texts(m.get_all(agent_id="cook")) == ["of agent", "of agent for user", "of run"]
    assert texts(m.get_all(filters={"AND": [{"user_id": "a/b %"}, {"run_id": "r1"}]})) == ["of run"]
    either = {"OR": [{"user_id": "other"}, {"run_id": {"in": ["r1"]}}]}
    assert texts(m.get_all(filters=either)) == ["of other", "of run"]
    assert texts(m.search("of", run_id="r1")) == ["of run"]
    assert m.delete_all(user_id="a/b %", run_id="r1") == {"message": "Memories deleted successfully!"}
    assert texts(m.get_all(user_id="a/b %")) == ["of agent for user", "of user"]
    m.delete_all(user_id="a/b %")
    assert texts(m.get_all(agent_id="cook")) == ["of agent"]


def test_what_came_in_another_way_is_seen(m: Memory, memory: Recollect) -> None:
    memory.remember("The cat is called Miso")
    (found,) = m.search("cat", user_id="alex")["results"]
    assert (found["memory"], found["user_id"]) == ("The cat is called Miso", "alex")


def test_nobody_and_the_unknown_are_refused(m: Memory) -> None:
    for call in (m.get_all, m.delete_all, lambda: m.add("x"), lambda: m.search("x", filters={"a": 1})):
        with pytest.raises(ValueError, match="At least one of 'user_id'"):
            call()
    with pytest.raises(InvalidInput, match="'prompt' has no counterpart"):
        m.add("x", user_id="a", prompt="…")  # type: ignore[call-arg]
    with pytest.raises(InvalidInput, match="a message is a text"):
        m.add([{"text": "x"}], user_id="a")
    m.add("x", user_id="a", infer=False)
    with pytest.raises(InvalidInput, match="no operator 'like'"):
        m.get_all(user_id="a", filters={"b": {"like": "c"}})
    with pytest.raises(InvalidInput, match="whole number"):
        m.get_all(user_id="a", limit=-1)
    assert m.get_all(user_id="nobody") == m.search("x", user_id="nobody") == {"results": []}


def test_a_secret_is_not_kept_and_not_said_to_be(m: Memory) -> None:
    secret = "the password is hunter2-Zebra9"
    added = m.add(secret, user_id="a", infer=False, metadata={"note": secret})
    assert "hunter2" not in str(added)
    assert "hunter2" not in str(m.get_all(user_id="a"))


def test_a_memory_of_its_own(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_DB", str(tmp_path / "own.db"))
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "fake:hash-64")
    with pytest.warns(UserWarning, match="mem0's configuration is not used"):
        opened = Memory.from_config({"vector_store": {"provider": "qdrant"}})
    with opened as m:
        m.add("My name is Alice", user_id="alice")
    with Memory() as again:
        assert "Alice" in str(again.get_all(user_id="alice"))


@pytest.mark.parametrize(
    ("filters", "fit"),
    [
        ({"n": 3}, True),
        ({"n": {"gt": 2, "lte": 3}}, True),
        ({"n": {"gt": "2"}}, False),
        ({"missing": {"lt": 2}}, False),
        ({"s": {"contains": "Ber"}}, True),
        ({"s": {"icontains": "ber"}}, True),
        ({"s": "*"}, True),
        ({"missing": "*"}, False),
        ({"n": [1, 3]}, True),
        ({"n": {"nin": [1, 3]}}, False),
        ({"NOT": [{"n": 3}]}, False),
        ({"NOT": [{"n": {"ne": 3}}]}, True),
        ({"OR": [{"n": 4}, {"AND": [{"n": 3}, {"s": {"eq": "Berlin"}}]}]}, True),
    ],
)
def test_filters(filters: dict[str, Any], fit: bool) -> None:
    assert fits(filters, {"n": 3, "s": "Berlin"}) is fit


def test_a_join_takes_filters() -> None:
    with pytest.raises(InvalidInput, match="AND, OR and NOT take a list"):
        fits({"AND": ["x"]}, {})

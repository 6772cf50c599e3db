"""LangGraph's store: its own in-memory store as the reference, and a real graph that uses ours.

LangGraph publishes a conformance suite for checkpointers, none for stores: the reference is what it ships.
"""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypedDict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.store.base import (
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore

from clock import Clock
from recollect import InvalidInput, Memory
from recollect.integrations.langgraph import RecollectStore
from recollect.models.fakes import HashEmbedder


@pytest.fixture
def store(memory: Memory) -> RecollectStore:
    return RecollectStore(memory)


NAMESPACES = st.sampled_from([("a",), ("a", "b"), ("a", "b", "c"), ("b",), ("a/b",), ("ü", "*")])
KEYS = st.sampled_from(["k", "l", "b/k"])
VALUES = st.fixed_dictionaries(
    {"n": st.integers(0, 3)},
    optional={"s": st.sampled_from(["x", "tea", ""]), "deep": st.fixed_dictionaries({"m": st.booleans()})},
)
FILTERS = st.sampled_from(
    [
        None,
        {"n": 1},
        {"n": {"$gte": 1, "$lt": 3}},
        {"n": {"$ne": 2}},
        {"deep": {"m": True}},
        {"s": {"$eq": "x"}},
    ]
)
OPS = st.one_of(
    st.tuples(NAMESPACES, KEYS, VALUES).map(lambda given: PutOp(*given)),
    st.tuples(NAMESPACES, KEYS).map(lambda given: PutOp(*given, None)),
    st.tuples(NAMESPACES, KEYS).map(lambda given: GetOp(*given)),
    st.tuples(st.one_of(st.just(()), NAMESPACES), FILTERS).map(lambda given: SearchOp(*given, limit=50)),
)


def told(result: Any) -> Any:
    """A result without its times; in no order, which the reference does not promise."""
    if isinstance(result, list):
        return sorted((item.namespace, item.key, str(item.value)) for item in result)
    return None if result is None else (result.namespace, result.key, result.value)


@settings(max_examples=20, deadline=None)
@given(batches=st.lists(st.lists(OPS, min_size=1, max_size=4), max_size=5))
def test_it_does_what_the_store_of_langgraph_does(batches: list[list[Any]], tmp_path_factory: Any) -> None:
    path = tmp_path_factory.mktemp("store") / "m.db"
    reference = InMemoryStore()
    with Memory(path, embedder=HashEmbedder(), background=False) as memory:
        ours = RecollectStore(memory)
        for ops in batches:
            assert [told(r) for r in ours.batch(ops)] == [told(r) for r in reference.batch(ops)]
        live = {item.namespace for item in reference.search((), limit=100)}
        assert ours.list_namespaces() == sorted(live)


def test_a_put_is_a_new_version_and_keeps_its_beginning(
    store: RecollectStore, memory: Memory, clock: Clock
) -> None:
    store.put(("users", "1"), "food", {"likes": "pizza"})
    first = store.get(("users", "1"), "food")
    clock.forward(minutes=5)
    store.put(("users", "1"), "food", {"likes": "sushi"})
    second = store.get(("users", "1"), "food")
    assert first is not None
    assert second is not None
    assert (second.value, second.created_at) == ({"likes": "sushi"}, first.created_at)
    assert second.updated_at > first.updated_at
    (record,) = memory.list().items
    assert [v.text for v in memory.history(record.id)] == ["likes: pizza", "likes: sushi"]
    store.delete(("users", "1"), "food")
    assert store.get(("users", "1"), "food") is None
    assert store.list_namespaces() == []


def test_search_by_meaning_prefix_filter_and_page(store: RecollectStore, memory: Memory) -> None:
    for i, text in enumerate(["I love pizza", "I play tennis", "pizza dough needs rest"]):
        store.put(("users", "1", "notes"), str(i), {"text": text, "n": i})
    store.put(("users", "2"), "0", {"text": "pizza is mine", "n": 0})
    store.put(("users", "1"), "secret", {"text": "pizza pizza pizza"}, index=False)
    memory.jobs.run()
    found = store.search(("users", "1"), query="pizza dough", limit=2)
    assert [item.key for item in found] == ["2", "0"]
    assert (found[0].score or 0) > (found[1].score or 0) > 0
    all_of_it = store.search(("users", "1"), query="pizza", limit=10)
    assert {item.key: item.score is None for item in all_of_it}["secret"] is True
    assert len(all_of_it) == 4
    assert store.search(("users",), query="pizza", filter={"n": {"$gt": 0}})[0].key == "2"
    assert len(store.search(("users",), limit=2)) == 2
    assert len(store.search(("users",), limit=10, offset=4)) == 1


def test_fields_say_what_is_searched(memory: Memory) -> None:
    store = RecollectStore(memory, fields=["title"])
    store.put(("docs",), "a", {"title": "On tea", "body": "nothing but coffee"})
    store.put(("docs",), "b", {"title": "On tea", "tags": ["x", "y"]}, index=["tags[*]"])
    texts = {r.metadata["store"]["key"]: r.text for r in memory.list().items}
    assert texts == {"a": "On tea", "b": "x\ny"}


def test_filters_compare_like_with_like(store: RecollectStore) -> None:
    for key, n in (("a", 2), ("b", 9), ("c", 10), ("d", "10"), ("e", None)):
        store.put(("n",), key, {"n": n, "list": [n, {"m": n}]})

    def keys(filter: dict[str, Any]) -> str:
        return "".join(sorted(item.key for item in store.search(("n",), filter=filter)))

    assert keys({"n": {"$gte": 9}}) == "bc"
    assert keys({"n": {"$lt": 9.5}}) == "ab"
    assert keys({"n": {"$gt": "1"}}) == "d"
    assert keys({"n": {"$lte": 10, "$ne": 9}}) == "ac"
    assert keys({"list": [9, {"m": 9}]}) == "b"
    assert keys({"n": {"deeper": 1}}) == ""
    with pytest.raises(ValueError, match="Unsupported operator"):
        keys({"n": {"$like": 1}})


def test_namespaces_by_prefix_suffix_depth_and_page(store: RecollectStore) -> None:
    spaces = [("a", "b", "c"), ("a", "b", "d", "e"), ("a", "c", "f"), ("b", "a", "f"), ("users", "1")]
    for namespace in spaces:
        store.put(namespace, "k", {"x": 1})
    assert store.list_namespaces(prefix=("a", "*", "f")) == [("a", "c", "f")]
    assert store.list_namespaces(suffix=("f",)) == [("a", "c", "f"), ("b", "a", "f")]
    assert store.list_namespaces(prefix=("a",), max_depth=2) == [("a", "b"), ("a", "c")]
    assert store.list_namespaces(limit=2, offset=3) == [("b", "a", "f"), ("users", "1")]
    both = (MatchCondition("prefix", ("a",)), MatchCondition("suffix", ("*", "e")))
    assert store.batch([ListNamespacesOp(both)]) == [[("a", "b", "d", "e")]]


def test_what_is_refused(store: RecollectStore) -> None:
    with pytest.raises(NotImplementedError, match="TTL is not supported by RecollectStore"):
        store.put(("a",), "k", {"x": 1}, ttl=5)
    with pytest.raises(NotImplementedError, match="do not expire"):
        store.batch([PutOp(("a",), "k", {"x": 1}, ttl=5.0)])
    with pytest.raises(InvalidNamespaceError):
        store.put(("a.b",), "k", {"x": 1})
    with pytest.raises(InvalidNamespaceError):
        store.batch([PutOp(("a.b",), "k", {"x": 1})])
    with pytest.raises(InvalidInput, match="plain JSON"):
        store.put(("a",), "k", {"x": object()})
    with pytest.raises(ValueError, match="Unknown operation"):
        store.batch([("what",)])  # type: ignore[list-item]
    assert store.list_namespaces() == []


def test_big_values_and_secrets(store: RecollectStore) -> None:
    big = {"text": "pizza " * 20_000, "n": 1}
    store.put(("a",), "big", big)
    store.put(("a",), "s", {"login": {"password": "hunter2-Zebra9"}, "note": "token=ghp_" + "a1B2" * 9})
    found = store.get(("a",), "big")
    assert found is not None
    assert found.value == big
    kept = str(store.get(("a",), "s"))
    assert "hunter2" not in kept
    assert "a1B2" not in kept


def test_many_who_put_at_once_leave_one_item(store: RecollectStore, memory: Memory) -> None:
    everybody = threading.Barrier(6)

    def put(i: int) -> None:
        everybody.wait()
        store.put(("a",), "k", {"n": i})

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(put, range(6)))
    (item,) = store.search(("a",))
    (record,) = memory.list().items
    written = [v.metadata["store"]["value"]["n"] for v in memory.history(record.id)]
    assert sorted(written) == [0, 1, 2, 3, 4, 5]
    assert item.value == {"n": written[-1]}


class State(TypedDict):
    said: str
    answer: str


def test_a_real_graph_remembers(store: RecollectStore) -> None:
    def learn(state: State, runtime: Runtime[None]) -> dict[str, str]:
        assert runtime.store is not None
        runtime.store.put(("users", "alex"), "said", {"text": state["said"]})
        return {}

    async def answer(_: State, runtime: Runtime[None]) -> dict[str, str]:
        assert runtime.store is not None
        (found,) = await runtime.store.asearch(("users", "alex"), query="tea", limit=1)
        return {"answer": found.value["text"]}

    graph = StateGraph(State)
    graph.add_node("learn", learn)
    graph.add_node("answer", answer)
    graph.add_edge(START, "learn")
    graph.add_edge("learn", "answer")
    graph.add_edge("answer", END)
    made = graph.compile(store=store)
    ended = asyncio.run(made.ainvoke({"said": "I drink green tea", "answer": ""}))
    assert ended["answer"] == "I drink green tea"

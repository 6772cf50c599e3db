"""Memories by hand: remember, get, list, update, history, forget, restore; on both databases."""

from datetime import UTC, datetime

import pytest

from clock import START, Clock
from recollect import (
    Artifact,
    ArtifactType,
    Conflict,
    Episode,
    EpisodeType,
    Filter,
    InvalidInput,
    Kind,
    Level,
    Memory,
    NewMessage,
    NotFound,
    Role,
    Source,
    SourceKind,
    Status,
    Trust,
)


def test_everything_said_about_a_memory_comes_back(memory: Memory) -> None:
    message = memory.add("We decided to use PostgreSQL, see ADR-012")
    told = Episode(
        type=EpisodeType.DECISION_MADE,
        title="Database chosen",
        context="Phoenix kick-off",
        participants=("Alex", "Bo"),
        outcome="PostgreSQL",
        valence=0.5,
        conversation=message.conversation,
        first_turn=1,
        last_turn=1,
    )
    receipt = memory.remember(
        "The team decided to use PostgreSQL as its database",
        kind="episode",
        episode=told,
        summary="DB: PostgreSQL (JSON support, team expertise)",
        brief="db:postgres(json,exp)",
        tag="db:pg",
        category="architecture",
        importance=0.9,
        confidence=0.8,
        tags=["db", "adr", "db"],
        pinned=True,
        valid_from=datetime(2026, 1, 1, tzinfo=UTC),
        sources=[Source(SourceKind.MESSAGE, message.id)],
        artifacts=[Artifact(ArtifactType.ADR, "ADR-012"), Artifact(ArtifactType.COMMIT, "abc123")],
        metadata={"by": {"team": ["phoenix", 1, None, True]}},
    )
    record = memory.get(receipt.id)
    assert record.episode == told
    assert record.kind == Kind.EPISODE
    assert (record.importance, record.significance, record.confidence) == (0.9, 5, 0.8)
    assert record.tags == ("db", "adr")
    assert record.pinned
    assert record.valid_from == datetime(2026, 1, 1, tzinfo=UTC)
    assert record.sources == (Source(SourceKind.MESSAGE, message.id),)
    assert {a.ref for a in record.artifacts} == {"ADR-012", "abc123"}
    assert record.metadata == {"by": {"team": ["phoenix", 1, None, True]}}
    assert [record.at(level) for level in Level] == [record.text, record.summary, record.brief, record.tag]
    assert record.trust == Trust.USER


def test_levels_that_are_not_given_are_made(memory: Memory) -> None:
    text = "The team decided to use PostgreSQL, because of its JSON support and our experience with it."
    record = memory.get(memory.remember(text, brief="db: pg").id)
    assert record.brief == "db: pg"
    assert record.summary
    assert record.tag
    assert len(record.tag) <= len(record.at(Level.SUMMARY)) <= len(text)


def test_trust_is_the_least_of_the_sources(memory: Memory) -> None:
    page = memory.add(NewMessage(text="read on a page", role=Role.TOOL, trust=Trust.DOCUMENT))
    fact = memory.remember("a fact", sources=[Source(SourceKind.MESSAGE, page.id)])
    assert memory.get(fact.id).trust == Trust.DOCUMENT
    derived = memory.remember("a conclusion", sources=[Source(SourceKind.MEMORY, fact.id)], trust="user")
    assert memory.get(derived.id).trust == Trust.DOCUMENT
    with pytest.raises(InvalidInput, match="bound when a memory is written"):
        memory.update(derived.id, trust="user")


def test_a_source_must_be_in_the_view(memory: Memory) -> None:
    foreign = memory.view("user:bob").add("bob's words")
    with pytest.raises(NotFound, match="to derive from"):
        memory.remember("stolen", sources=[Source(SourceKind.MESSAGE, foreign.id)])


def test_a_keyed_fact_takes_the_place_of_the_old_value(memory: Memory, clock: Clock) -> None:
    first = memory.remember("User's name is Alex", key="name", value="Alex", category="identity")
    moved = clock.forward(days=10)
    second = memory.remember("User's name is Sasha", key="name", value="Sasha", category="identity")
    assert [r.value for r in memory.list(Filter(keys=("name",))).items] == ["Sasha"]
    old = memory.get(first.id)
    assert old.status == Status.SUPERSEDED
    assert old.valid_to is not None
    assert old.valid_to >= moved
    assert [(s.id, s.via.type) for s in memory.links.walk(second.id)] == [(first.id, "supersedes")]
    assert [(r.value, r.status) for r in memory.history(key="name")] == [
        ("Alex", "active"),
        ("Alex", "superseded"),
        ("Sasha", "active"),
    ]


def test_the_same_value_again_is_merged(memory: Memory) -> None:
    first = memory.remember("lives in Berlin", key="city", value="Berlin", confidence=0.6)
    source = memory.add("I still live in Berlin")
    again = memory.remember(
        "lives in Berlin", key="city", value="Berlin", sources=[Source(SourceKind.MESSAGE, source.id)]
    )
    assert (again.entries[0].action, again.id) == ("merged", first.id)
    record = memory.get(first.id)
    assert record.confidence == 1.0
    assert [s.id for s in record.sources] == [source.id]


def test_keys_are_apart_by_subject_and_category(memory: Memory) -> None:
    memory.remember("Alex is 30", key="age", value="30")
    memory.remember("Bo is 40", key="age", value="40", subject="Bo")
    memory.remember("Alex likes age-old songs", key="age", value="old", category="preference")
    assert {r.value for r in memory.list(Filter(keys=("age",))).items} == {"30", "40", "old"}
    assert [r.value for r in memory.list(Filter(keys=("age",), subject="Bo")).items] == ["40"]


def test_an_older_value_learnt_late_does_not_win(memory: Memory) -> None:
    memory.remember(
        "lives in Lisbon", key="city", value="Lisbon", valid_from=datetime(2025, 1, 1, tzinfo=UTC)
    )
    late = memory.remember(
        "lived in Oslo", key="city", value="Oslo", valid_from=datetime(2020, 1, 1, tzinfo=UTC)
    )
    assert [r.value for r in memory.list(Filter(keys=("city",))).items] == ["Lisbon"]
    assert memory.get(late.id).valid_to == datetime(2025, 1, 1, tzinfo=UTC)
    then = memory.list(Filter(keys=("city",)), as_of=None)
    assert len(then.items) == 1


def test_update_makes_a_version_and_keeps_the_old_one(memory: Memory, clock: Clock) -> None:
    id = memory.remember("Ship on Friday", brief="ship: Fri", tags=["plan"]).id
    clock.forward(hours=1)
    new = memory.update(id, text="Ship on Monday", importance=0.9)
    assert (new.id, new.version, new.text, new.importance, new.tags) == (
        id,
        2,
        "Ship on Monday",
        0.9,
        ("plan",),
    )
    assert new.brief != "ship: Fri", "a level of the old text must not outlive it"
    old, current = memory.history(id)
    assert (old.text, old.version, old.retired_at) == ("Ship on Friday", 1, new.recorded_at)
    assert current == memory.get(id) == new
    assert [r.id for r in memory.list(Filter(words="monday")).items] == [id]
    assert memory.list(Filter(words="friday")).items == []


def test_update_refuses_nonsense(memory: Memory) -> None:
    id = memory.remember("x marks the spot").id
    for changes in (
        {},
        {"colour": "red"},
        {"importance": 2},
        {"text": ""},
        {"pinned": "yes"},
        {"tags": "abc"},
    ):
        with pytest.raises(InvalidInput):
            memory.update(id, **changes)  # type: ignore[arg-type]
    assert memory.get(id).version == 1


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "rumour"},
        {"importance": -0.1},
        {"importance": float("nan")},
        {"importance": True},
        {"confidence": "high"},
        {"key": "name"},
        {"value": "Alex"},
        {"tags": "not a list"},
        {"tags": [1]},
        {"tags": [""]},
        {"tags": [f"t{i}" for i in range(65)]},
        {"pinned": 1},
        {"valid_from": datetime(2026, 1, 1)},
        {"valid_to": START.replace(year=2020)},
        {"kind": "episode"},
        {"episode": {"title": "no"}},
        {"artifacts": [("file", "a.py")]},
        {"sources": ["abc"]},
        {"metadata": "text"},
        {"colour": "red"},
        {"summary": "a\0b"},
    ],
)
def test_bad_fields_change_nothing(memory: Memory, fields: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        memory.remember("a memory", **fields)  # type: ignore[arg-type]
    assert memory.stats().memories == {}


def test_list_filters(memory: Memory, clock: Clock) -> None:
    ids = {}
    for name, fields in {
        "tea": {"kind": "preference", "tags": ["drink"], "importance": 0.9, "category": "food"},
        "coffee": {"kind": "preference", "tags": ["drink", "hot"], "importance": 0.2},
        "rule": {"kind": "constraint", "pinned": True},
        "tool": {"kind": "fact", "trust": "tool"},
        "old": {"kind": "fact", "valid_from": datetime(2020, 6, 1, tzinfo=UTC)},
    }.items():
        ids[name] = memory.remember(f"about {name}", **fields).id  # type: ignore[arg-type]
        clock.forward(minutes=1)

    def names(**wanted: object) -> list[str]:
        found = memory.list(Filter(**wanted)).items  # type: ignore[arg-type]
        return [next(n for n, id in ids.items() if id == r.id) for r in found]

    assert names() == ["old", "tool", "rule", "coffee", "tea"]
    assert names(kinds=(Kind.PREFERENCE,)) == ["coffee", "tea"]
    assert names(kinds=(Kind.FACT, Kind.CONSTRAINT)) == ["old", "tool", "rule"]
    assert names(tags=("drink",)) == ["coffee", "tea"]
    assert names(tags=("drink", "hot")) == ["coffee"]
    assert names(tags=('x" OR 1=1',)) == []
    assert names(min_importance=0.5) == ["old", "tool", "rule", "tea"]
    assert names(categories=("food",)) == ["tea"]
    assert names(pinned=True) == ["rule"]
    assert names(min_trust=Trust.ASSISTANT) == ["old", "rule", "coffee", "tea"]
    assert names(until=datetime(2021, 1, 1, tzinfo=UTC)) == ["old"]
    assert names(since=datetime(2021, 1, 1, tzinfo=UTC)) == ["tool", "rule", "coffee", "tea"]
    assert names(words="coffee tea") == ["coffee", "tea"]
    assert names(words='"coffee" AND (tea OR *) NEAR: -x') == ["coffee", "tea"]
    assert names(words="nothing like it") == []


def test_list_by_page(memory: Memory) -> None:
    ids = [memory.remember(f"memory {i}").id for i in range(7)]
    seen: list[str] = []
    after = None
    while True:
        page = memory.list(limit=3, after=after)
        seen += [r.id for r in page.items]
        if page.next is None:
            break
        after = page.next
    assert seen == ids[::-1]
    for bad in (0, -1, 1_001, "3", True):
        with pytest.raises(InvalidInput):
            memory.list(limit=bad)  # type: ignore[arg-type]


def test_forget_is_undone_by_restore(memory: Memory) -> None:
    id = memory.remember("a secret plan").id
    before = memory.get(id)
    assert memory.forget(id).entries[0].action == "forgotten"
    assert memory.list().items == []
    assert memory.get(id).status == Status.FORGOTTEN
    assert memory.forget(id).entries[0].action == "ignored"
    assert memory.restore(id).entries[0].action == "restored"
    after = memory.get(id)
    assert (after.text, after.status, after.version) == (before.text, before.status, 3)
    assert memory.restore(id).entries[0].action == "ignored"


def test_restore_does_not_give_a_key_two_values(memory: Memory) -> None:
    old = memory.remember("likes tea", key="drink", value="tea").id
    memory.forget(old)
    memory.remember("likes coffee", key="drink", value="coffee")
    with pytest.raises(Conflict, match="another value by now"):
        memory.restore(old)
    assert [r.value for r in memory.list(Filter(keys=("drink",))).items] == ["coffee"]


def test_forgetting_several_is_all_or_nothing(memory: Memory) -> None:
    id = memory.remember("stays").id
    with pytest.raises(NotFound):
        memory.forget(id, "00000000-0000-7000-8000-000000000000")
    assert memory.get(id).status == Status.ACTIVE


@pytest.mark.parametrize("bad", ["", "42", "not-an-id", "00000000-0000-7000-8000-00000000000g", 7, None])
def test_ids_that_are_no_ids(memory: Memory, bad: object) -> None:
    for verb in (memory.get, memory.update, memory.history, memory.forget, memory.restore):
        with pytest.raises((InvalidInput, NotFound)):
            verb(bad)  # type: ignore[operator]


def test_history_needs_one_of_id_and_key(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="one of them"):
        memory.history()
    with pytest.raises(InvalidInput, match="one of them"):
        memory.history("00000000-0000-7000-8000-000000000000", key="name")
    assert memory.history(key="unheard of") == []

"""The steps, planned on shelves that were never in a database: what each does and what it spares."""

from datetime import datetime, timedelta

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from clock import START
from recollect import (
    Episode,
    EpisodeType,
    Kind,
    Level,
    Link,
    LinkType,
    Record,
    Source,
    SourceKind,
    Status,
    Trust,
    Usage,
)
from recollect.model.ids import derived_id
from recollect.upkeep.compress import compress
from recollect.upkeep.dedupe import dedupe
from recollect.upkeep.deeds import counted
from recollect.upkeep.episodes import cap_episodes, merge_episodes
from recollect.upkeep.forget import forget
from recollect.upkeep.link import discover
from recollect.upkeep.neighbours import near
from recollect.upkeep.options import DEFAULTS, UpkeepOptions
from recollect.upkeep.rank import rank
from recollect.upkeep.shelf import Shelf

SAID = (Source(SourceKind.MESSAGE, derived_id(START, "said")),)


def made(name: str, text: str, age: float = 0.0, **fields: object) -> Record:
    at = START - timedelta(days=age)
    given = {"kind": Kind.FACT, "trust": Trust.USER, "recorded_at": at, "valid_from": at} | fields
    return Record(id=derived_id(at, name), space="user:alex", text=text, made_by="test", **given)  # type: ignore[arg-type]


def shelf(*records: Record, links: tuple[Link, ...] = ()) -> Shelf:
    held = {(k.source, k.target, str(k.type)): k for k in links}
    return Shelf(space="user:alex", now=START, records={r.id: r for r in records}, links=held)


def test_a_hundred_equal_memories_become_one() -> None:
    many = [made(str(i), "Alex likes dark mode in all editors", age=i) for i in range(100)]
    (deed,) = dedupe(shelf(*many), DEFAULTS)
    assert deed.times == 99
    assert {r.new.status for r in deed.revisions if r.old.id != many[99].id} == {Status.SUPERSEDED}


@given(st.lists(st.sampled_from(["tea", "coffee", "RTX 4080", "RTX 4090", "not tea"]), max_size=12))
def test_dedupe_keeps_every_statement_once(things: list[str]) -> None:
    records = [made(str(i), f"Alex likes {thing} in the morning", age=i) for i, thing in enumerate(things)]
    held = shelf(*records)
    deeds = list(held.do(list(dedupe(held, DEFAULTS))))
    left = sorted(r.text for r in held.of(Status.ACTIVE))
    assert left == sorted({r.text for r in records})
    assert counted(deeds)["deduped"] == len(things) - len(set(things))


def test_events_on_different_days_are_different() -> None:
    one, two = (made(str(age), "Alex ran ten kilometres", age=age, kind=Kind.ERROR) for age in (1, 5))
    assert list(dedupe(shelf(one, two), DEFAULTS)) == []


@given(
    st.floats(0, 400),
    st.sampled_from([0.0, 0.3, 0.5, 0.6, 0.7, 1.0]),
    st.booleans(),
    st.integers(0, 9),
    st.integers(0, 9),
)
def test_levels(age: float, importance: float, pinned: bool, cited: int, ignored: int) -> None:
    text, summary, brief = "full " * 20, "summary " * 5, "brief"
    record = made(
        "a", text, age, importance=importance, pinned=pinned, summary=summary, brief=brief,
        usage=Usage(cited=cited, ignored=ignored),
    )  # fmt: skip
    held = shelf(record)
    deeds = list(held.do(list(compress(held, DEFAULTS))))
    after = held.records[record.id].usage.carried
    if pinned or importance > 0.62:
        assert after == Level.FULL
    elif 0 < cited < 3 and ignored < 5:
        assert after == (Level.FULL if age < 7 else Level.SUMMARY if age < 30 else Level.BRIEF)
    assert sum(d.tokens for d in deeds) == len(text) - len(record.at(after))
    assert list(compress(held, DEFAULTS)) == [], "once is enough"


def test_only_what_faded_and_stands_elsewhere_sleeps() -> None:
    def old(name: str, **fields: object) -> Record:
        return made(name, name, 300, **({"importance": 0.3, "sources": SAID} | fields))

    faded = old("faded")
    spared = [
        old("pinned", pinned=True),
        old("significant", importance=0.7),
        old("by hand", sources=()),
        old("the only one on a key", key="city", value="Berlin"),
        old("the only one on Ann", subject="Ann"),
        old("used", usage=Usage(cited=2, last_used_at=START - timedelta(days=200))),
        made("young", "young", 20, importance=0.0, sources=SAID),
        old("from a document", sources=(Source(SourceKind.DOCUMENT, SAID[0].id + "0"),)),
    ]
    deeds = list(rank(shelf(faded, *spared), DEFAULTS))
    assert [(d.count, d.revisions[0].old.id) for d in deeds] == [("archived", faded.id)]


def test_of_two_on_a_subject_one_stays_awake() -> None:
    ann = [made(str(i), f"Ann {i}", 300, importance=0.3, sources=SAID, subject="Ann") for i in range(2)]
    assert len(list(rank(shelf(*ann), DEFAULTS))) == 1


def test_waiting_memories_are_believed_when_they_proved_themselves() -> None:
    twice = (*SAID, Source(SourceKind.MESSAGE, derived_id(START, "again")))
    pending = {"status": Status.PENDING}
    cited = made("cited", "cited", usage=Usage(cited=2), **pending)
    said = made("said", "said", sources=twice, **pending)
    others = [
        made("once", "once", sources=SAID, **pending),
        made("held", "held", usage=Usage(cited=9), metadata={"held": True}, **pending),
        made("rival", "rival", usage=Usage(cited=9), key="city", value="Rome", **pending),
        made("city", "city", key="city", value="Berlin"),
    ]
    deeds = list(rank(shelf(cited, said, *others), DEFAULTS))
    assert {d.revisions[0].old.id for d in deeds} == {cited.id, said.id}
    assert {d.count for d in deeds} == {"promoted"}


def test_a_superseded_memory_is_kept_while_nothing_took_its_place() -> None:
    old = made("old", "old", 200, status=Status.SUPERSEDED, sources=SAID)
    new = made("new", "new", 150, sources=SAID)
    link = Link(source=new.id, target=old.id, type=LinkType.SUPERSEDES, created_at=START)
    assert list(forget(shelf(old, new), DEFAULTS)) == []
    (deed,) = forget(shelf(old, new, links=(link,)), DEFAULTS)
    assert deed.revisions[0].new.status == Status.FORGOTTEN
    asleep = made("new", "new", 150, sources=SAID, status=Status.FORGOTTEN)
    assert list(forget(shelf(old, asleep, links=(link,)), DEFAULTS)) == []


def episode(name: str, first: int, last: int, chat: str = "c", **fields: object) -> Record:
    told = Episode(
        type=EpisodeType.PIVOT, title=name, conversation=chat, first_turn=first, last_turn=last,
        participants=(name,),
    )  # fmt: skip
    return made(name, f"moment {name}", kind=Kind.EPISODE, episode=told, sources=SAID, **fields)


def test_overlapping_episodes_become_one() -> None:
    a, b = episode("a", 1, 4, importance=0.5), episode("b", 3, 6, importance=0.7, trust=Trust.DOCUMENT)
    apart, elsewhere = episode("apart", 20, 22), episode("elsewhere", 1, 4, chat="d")
    held = shelf(a, b, apart, elsewhere)
    (deed,) = held.do(list(merge_episodes(held, DEFAULTS)))
    told = held.records[b.id]
    assert deed.count == "episodes_merged"
    assert told.episode is not None
    assert (told.episode.first_turn, told.episode.last_turn) == (1, 6)
    assert told.episode.participants == ("b", "a")
    assert told.trust == Trust.DOCUMENT, "never more than the least of them"
    assert held.records[a.id].status == Status.SUPERSEDED


def test_the_least_valuable_episodes_sleep_above_the_cap() -> None:
    told = [episode(str(i), 10 * i, 10 * i + 1, importance=i / 10) for i in range(8)]
    held = shelf(*told)
    deeds = list(held.do(list(cap_episodes(held, UpkeepOptions(max_episodes=4)))))
    assert [d.revisions[0].old.episode.title for d in deeds if d.revisions[0].old.episode] == list("0123")
    assert list(cap_episodes(held, UpkeepOptions(max_episodes=1))) == [] or len(held.of(Status.ACTIVE)) == 4


def test_links_are_found_and_bounded() -> None:
    texts = [
        f"Ann Miller met Bob Stone at the {place}" for place in "zoo bar lake fair park mill port".split()
    ]
    people = [made(str(i), text, age=i) for i, text in enumerate(texts)]
    moments = [episode(name, i, i, importance=0.2) for i, name in enumerate(("p", "q", "r"))]
    held = shelf(*people, *moments)
    held.together = {(people[0].id, moments[2].id): 4}
    deeds = list(held.do(list(discover(held, DEFAULTS))))
    pairs = [(k.source, k.target, k.strength) for d in deeds for k in d.links]
    assert (max(people[0].id, moments[2].id), min(people[0].id, moments[2].id), 0.6) in pairs
    assert len({frozenset(pair[:2]) for pair in pairs}) == len(pairs)
    ends = [end for a, b, _ in pairs for end in (a, b)]
    assert max(ends.count(end) for end in ends) <= DEFAULTS.max_links
    assert list(discover(held, DEFAULTS)) == []


def vectors(records: list[Record], rng: np.random.Generator) -> dict[str, bytes]:
    return {r.id: rng.standard_normal(64).astype("<f2").tobytes() for r in records}


def test_neighbours_are_found_by_words_and_by_meaning() -> None:
    rng = np.random.default_rng(1)
    records = [made(str(i), f"word{i} thing{i % 50} place{i * 7}", age=i) for i in range(400)]
    twins = [made(f"twin{i}", records[i].text + ".", age=500 + i) for i in range(0, 400, 10)]
    held = vectors(records, rng) | {
        twin.id: (np.frombuffer(vectors([twin], rng)[twin.id], "<f2") * 0).tobytes() for twin in twins
    }
    close = made("close", "something else entirely", age=900)
    base = np.frombuffer(held[records[3].id], "<f2").astype(np.float32)
    held[close.id] = (base + 0.05 * rng.standard_normal(64)).astype("<f2").tobytes()
    found = near([*records, *twins, close], held)
    pairs = {frozenset(pair) for pair in found.by_words}
    assert all(frozenset((twin.id, records[10 * i].id)) in pairs for i, twin in enumerate(twins))
    assert len(found.by_words) < 2_000, "never all pairs"
    assert frozenset((close.id, records[3].id)) in {frozenset(pair) for pair in found.by_meaning}
    assert found.cosine(close.id, records[3].id) > 0.9
    assert found.cosine(close.id, twins[0].id) == 0.0


def test_nothing_to_do_for_nothing() -> None:
    empty = shelf()
    for step in (dedupe, compress, rank, forget, discover, merge_episodes, cap_episodes):
        assert list(step(empty, DEFAULTS)) == []  # type: ignore[operator]


def test_age_is_counted_from_the_first_version() -> None:
    young_version = made("a", "full " * 20, 40, summary="s " * 5, brief="b", recorded_at=START)
    assert isinstance(young_version.recorded_at, datetime)
    (deed,) = compress(shelf(young_version), DEFAULTS)
    assert deed.carried[0].after == Level.BRIEF

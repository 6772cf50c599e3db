"""Contradictions on both databases: found, shown, resolved, reopened; and what is doubtful then."""

from dataclasses import replace

import pytest

from clock import Clock
from recollect import Conflict, Filter, InvalidInput, Memory, NotFound, Status
from recollect.model.ids import ids_from
from recollect.model.relation import Dispute, LinkType
from recollect.store import feed, memories
from recollect.upkeep.contradictions import MANY, scan_all


def clashing(memory: Memory) -> Dispute:
    """Two notes that contradict each other, found by the job."""
    memory.remember("The API uses Redis for caching")
    memory.remember("The API no longer uses Redis")
    memory.jobs.run()
    (found,) = memory.contradictions.list()
    return found


def test_a_new_memory_is_compared_with_what_is_known(memory: Memory) -> None:
    found = clashing(memory)
    assert (found.a.text, found.b.text) == ("The API uses Redis for caching", "The API no longer uses Redis")
    assert found.contradiction.reason == "said to have ended: use redis"
    assert found.open
    assert memory.contradictions.get(found.id) == found
    assert memory.stats().contradictions == 1
    (step,) = memory.links.walk(found.a.id, types=[LinkType.CONTRADICTS])
    assert step.id == found.b.id


def test_keys_that_words_give_conflict_too(memory: Memory) -> None:
    memory.remember("The capital of France is Paris")
    memory.remember("The capital of France is Lyon")
    memory.remember("The capital of Spain is Madrid")
    memory.remember("Alex's new desk", key="desk", value="oak", category="home")
    memory.remember("Alex's desk", key="desk", value="pine")
    memory.jobs.run()
    reasons = [d.contradiction.reason for d in memory.contradictions.list()]
    assert sorted(reasons) == ["capital: Paris or Lyon", "desk: oak or pine"]


def test_what_is_near_in_meaning_is_compared(where: str, clock: Clock) -> None:
    light = "static:recollect-256"
    with Memory(where, view="user:alex", embedder=light, clock=clock, background=False) as memory:
        memory.remember("User owns an automobile")
        for i in range(25):
            memory.remember(f"User visited town{i} with friend{i}")
        memory.remember("User does not have a car")
        memory.jobs.run()
        (found,) = memory.contradictions.list()
        assert (found.a.text, found.b.text) == ("User owns an automobile", "User does not have a car")


def test_what_was_learnt_from_talk_is_scanned(memory: Memory) -> None:
    memory.remember("User does not like coffee", kind="preference")
    memory.add("I like coffee.")
    memory.jobs.run()
    (found,) = memory.contradictions.list()
    assert {found.a.text, found.b.text} == {"User does not like coffee", "User likes coffee"}


def test_spaces_and_tenants_stay_apart(memory: Memory) -> None:
    memory.remember("Deploys are manual")
    memory.view("user:bob").remember("Deploys are automatic")
    memory.jobs.run()
    assert memory.contradictions.list() == []
    bob = memory.view("user:bob")
    bob.remember("Deploys are manual")
    memory.jobs.run()
    (found,) = bob.contradictions.list()
    assert memory.contradictions.list() == []
    for verb in (memory.contradictions.get, memory.contradictions.reopen):
        with pytest.raises(NotFound, match="no contradiction"):
            verb(found.id)
    with pytest.raises(NotFound):
        memory.contradictions.resolve(found.id, "a_wins")


def test_past_and_present_do_not_contradict(memory: Memory, clock: Clock) -> None:
    ended = clock()
    memory.remember("Deploys are manual", valid_from=ended.replace(year=2024), valid_to=ended)
    memory.remember("Deploys are automatic")
    memory.jobs.run()
    assert memory.contradictions.list() == []


def test_scanning_again_finds_nothing_new(memory: Memory) -> None:
    found = clashing(memory)
    memory._scope.write(
        lambda tx: tx.run("UPDATE cursors SET seq = 0 WHERE tenant = :tenant AND name = 'scan'")
    )
    memory.remember("An unrelated note")
    memory.jobs.run()
    assert memory.contradictions.list() == [found]
    assert scan_all(memory._scope) == 0


def test_everything_can_be_scanned(memory: Memory) -> None:
    memory.remember("Deploys are manual")
    memory.remember("Deploys are automatic")
    memory.remember("User likes tea")
    told: list[int] = []
    assert scan_all(memory._scope, told.append, dry_run=True) == 1
    assert memory.contradictions.list() == []
    assert scan_all(memory._scope, told.append) == 1
    assert len(memory.contradictions.list()) == 1
    assert told == [3, 3]


def test_many_at_once_are_scanned_in_one_pass(memory: Memory, clock: Clock) -> None:
    note = memory.get(memory.remember("Deploys are manual").id)
    texts = [f"Server {i} is in room {i % 7}" for i in range(MANY)] + ["Deploys are automatic"]
    ids = ids_from(clock(), len(texts))
    new = [replace(note, id=id, text=text) for id, text in zip(ids, texts, strict=True)]
    memory._scope.write(lambda tx: memories.insert(tx, new))
    memory.jobs.run()
    (found,) = memory.contradictions.list()
    assert (found.a.text, found.b.text) == ("Deploys are manual", "Deploys are automatic")
    assert memory._scope.read(lambda tx: feed.cursor(tx, "scan")) > MANY


def test_the_winner_takes_the_place_of_the_loser(memory: Memory) -> None:
    found = clashing(memory)
    settled = memory.contradictions.resolve(found.id, "b_wins", note="migrated in March")
    assert (settled.a.status, settled.b.status) == (Status.SUPERSEDED, Status.ACTIVE)
    assert settled.a.valid_to == settled.b.valid_from
    assert (settled.contradiction.resolution, settled.contradiction.note) == ("b_wins", "migrated in March")
    assert not settled.open
    (step,) = memory.links.walk(found.a.id, types=[LinkType.SUPERSEDES])
    assert step.via.source == found.b.id
    assert [v.status for v in memory.history(found.a.id)] == [Status.ACTIVE, Status.SUPERSEDED]
    assert memory.contradictions.list() == []
    assert memory.contradictions.list(all=True) == [settled]
    assert memory.review.explain(found.a.id).decisions[-1].reason == "b_wins: migrated in March"
    with pytest.raises(Conflict, match="reopen"):
        memory.contradictions.resolve(found.id, "a_wins")


def test_what_lost_from_the_start_was_never_true(memory: Memory) -> None:
    found = clashing(memory)
    settled = memory.contradictions.resolve(found.id, "a_wins")
    assert (settled.a.status, settled.b.status) == (Status.ACTIVE, Status.SUPERSEDED)
    assert settled.b.valid_to == settled.b.valid_from


def test_both_can_be_right_and_are_not_told_again(memory: Memory) -> None:
    found = clashing(memory)
    settled = memory.contradictions.resolve(found.id, "both_valid", note="two caches")
    assert (settled.a, settled.b) == (found.a, found.b), "nothing is changed"
    assert scan_all(memory._scope) == 0
    memory.update(found.a.id, text="The API uses Redis for all caching")
    memory.jobs.run()
    assert memory.contradictions.list() == []


def test_both_can_give_way_to_what_is_true_of_both(memory: Memory) -> None:
    found = clashing(memory)
    for text in (None, " "):
        with pytest.raises(InvalidInput):
            memory.contradictions.resolve(found.id, "merged", text=text)
    with pytest.raises(InvalidInput, match="only merged takes one"):
        memory.contradictions.resolve(found.id, "a_wins", text="The API used Redis until March")
    settled = memory.contradictions.resolve(found.id, "merged", text="The API used Redis until March")
    assert (settled.a.status, settled.b.status) == (Status.SUPERSEDED, Status.SUPERSEDED)
    (merged,) = memory.list().items
    assert (merged.text, merged.made_by) == ("The API used Redis until March", "merged")
    assert {s.id for s in merged.sources} == {found.a.id, found.b.id}
    memory.jobs.run()
    again = memory.contradictions.reopen(found.id)
    assert again.open
    assert memory.get(merged.id).status == Status.FORGOTTEN


@pytest.mark.parametrize("resolution", ["a_wins", "b_wins", "both_valid", "merged"])
def test_a_resolution_can_be_taken_back(memory: Memory, resolution: str) -> None:
    found = clashing(memory)
    with pytest.raises(Conflict, match="was not resolved"):
        memory.contradictions.reopen(found.id)
    text = "Redis was used until March" if resolution == "merged" else None
    memory.contradictions.resolve(found.id, resolution, note="so be it", text=text)
    again = memory.contradictions.reopen(found.id)
    assert again.open
    assert again.contradiction == found.contradiction
    for before, now in ((found.a, again.a), (found.b, again.b)):
        assert replace(now, version=before.version, recorded_at=before.recorded_at) == before
    assert memory.links.walk(found.a.id, types=[LinkType.SUPERSEDES]) == []
    settled = memory.contradictions.resolve(found.id, "a_wins")
    assert settled.b.status == Status.SUPERSEDED


def test_taking_back_leaves_later_changes_of_the_winner(memory: Memory) -> None:
    found = clashing(memory)
    memory.contradictions.resolve(found.id, "a_wins")
    memory.update(found.a.id, text="The API uses Redis 8 for caching")
    again = memory.contradictions.reopen(found.id)
    assert (again.a.text, again.b.status) == ("The API uses Redis 8 for caching", Status.ACTIVE)


def test_an_untrusted_rival_that_wins_is_believed(memory: Memory) -> None:
    memory.add("The capital of France is Paris.")
    memory.add("The capital of France is Lyon.", role="tool")
    memory.jobs.run()
    (found,) = memory.contradictions.list()
    assert found.b.status == Status.PENDING
    settled = memory.contradictions.resolve(found.id, "b_wins")
    assert [r.value for r in memory.list(Filter(keys=("capital",))).items] == ["Lyon"]
    assert settled.b.trust == "tool"
    again = memory.contradictions.reopen(found.id)
    assert (again.a.status, again.b.status) == (Status.ACTIVE, Status.PENDING)


def test_it_is_moot_while_one_side_is_set_aside(memory: Memory) -> None:
    found = clashing(memory)
    memory.forget(found.a.id)
    assert memory.contradictions.list() == []
    assert memory.stats().contradictions == 0
    assert not memory.contradictions.get(found.id).open
    memory.restore(found.a.id)
    assert [d.id for d in memory.contradictions.list()] == [found.id]
    memory.erase(memory=found.b.id)
    assert memory.contradictions.list(all=True) == []


def test_open_ones_stand_in_the_context(memory: Memory) -> None:
    found = clashing(memory)
    assert "contradiction, unresolved" in memory.context("caching", layout="tiers").text
    memory.contradictions.resolve(found.id, "a_wins")
    assert "unresolved" not in memory.context("caching", layout="tiers").text


def test_what_leans_on_a_changed_fact_is_doubtful(memory: Memory) -> None:
    old = memory.remember("Alex lives in Berlin", key="city", value="Berlin").id
    linked = memory.remember("Alex takes the U8 to work").id
    memory.links.add(linked, old, LinkType.DEPENDS_ON)
    memory.remember("Alex's gym is McFit in Berlin", key="gym", value="McFit")
    memory.remember("The team will meet at the Berlin office", kind="decision")
    memory.remember("We decided to keep the flat in Berlin", kind="decision")
    free = memory.remember("Berlin has 3.7 million people").id
    trip = memory.remember("Alex visited Berlin", key="trip", value="Berlin 2019").id
    memory.remember("Alex lives in Lisbon", key="city", value="Lisbon")
    assert {r.text for r in memory.list().items if r.doubtful} == {
        "Alex takes the U8 to work",
        "Alex's gym is McFit in Berlin",
        "The team will meet at the Berlin office",
        "We decided to keep the flat in Berlin",
    }
    assert not memory.get(free).doubtful
    assert not memory.get(trip).doubtful
    assert "doubtful" in memory.context("how does Alex get to work, the U8?", layout="tiers").text
    (hit,) = (f for f in memory.recall("takes the U8 to work").found if f.id == linked)
    assert hit.item.doubtful  # type: ignore[union-attr]


def test_doubt_goes_when_somebody_confirms_or_changes_it(memory: Memory) -> None:
    old = memory.remember("The office is in Berlin", key="office", value="Berlin").id
    first = memory.remember("Alex commutes by U8").id
    second = memory.remember("Alex's commute", key="commute", value="U8, 20 minutes").id
    for id in (first, second):
        memory.links.add(id, old, LinkType.DERIVED_FROM)
    memory.remember("The office is in Lisbon", key="office", value="Lisbon")
    assert memory.get(first).doubtful
    assert memory.get(second).metadata["doubt"] == old
    memory.update(first, doubtful=False)
    memory.remember("Alex's commute", key="commute", value="U8, 20 minutes")
    for id in (first, second):
        assert not memory.get(id).doubtful
        assert "doubt" not in memory.get(id).metadata


def test_doubt_that_a_resolution_made_goes_with_it(memory: Memory) -> None:
    found = clashing(memory)
    leaning = memory.remember("Cache keys expire after an hour").id
    memory.links.add(leaning, found.a.id, LinkType.DEPENDS_ON)
    memory.contradictions.resolve(found.id, "b_wins")
    assert memory.get(leaning).doubtful
    memory.contradictions.reopen(found.id)
    assert not memory.get(leaning).doubtful

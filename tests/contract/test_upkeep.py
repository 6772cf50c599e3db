"""Upkeep on both databases: what it does, that it can be rehearsed, and that it can be undone exactly."""

import sys
from pathlib import Path

import pytest

from clock import Clock
from recollect import (
    Conflict,
    Filter,
    InvalidInput,
    Memory,
    NewMessage,
    NotFound,
    Source,
    SourceKind,
    Status,
)
from recollect.store import usage
from recollect.store.index.index import Index

sys.path.insert(0, str(Path(__file__).parent.parent / "upkeep"))

from filled import exported, fill

EVERYTHING = Filter(statuses=tuple(Status))


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_undo_restores_exactly_what_was_there(
    memory: Memory, clock: Clock, tmp_path: Path, seed: int
) -> None:
    fill(memory, clock, seed)
    told = memory.recall("who likes tea in the morning?", limit=20)
    memory._count_uses()
    before = exported(memory, tmp_path / "before")
    report = memory.upkeep()
    assert report.counts["deduped"] > 0
    assert report.skipped == 0
    assert exported(memory, tmp_path / "between") != before
    undone = memory.upkeep.undo(report.run or "")
    assert undone.left == ()
    assert exported(memory, tmp_path / "after") == before
    memory.jobs.run()
    assert memory.stats().unembedded == {"fake:hash-64": 0}
    assert all(finding.ok for finding in memory.doctor())
    again = memory.recall("who likes tea in the morning?", limit=20)
    assert [(f.id, f.score) for f in again] == [(f.id, f.score) for f in told]


def test_every_step_does_something_over_the_seeds(memory: Memory, clock: Clock) -> None:
    """So that the test of undo undoes all of them."""
    totals: dict[str, int] = {}
    for seed in range(1, 5):
        own = memory.view(f"user:u{seed}")
        fill(own, clock, seed)
        for name, n in own.upkeep().counts.items():
            totals[name] = totals.get(name, 0) + n
    idle = {name for name, n in totals.items() if not n}
    assert idle == {"contradictions_found"}, "which needs a detector"


def test_two_runs_are_undone_one_after_the_other(memory: Memory, clock: Clock, tmp_path: Path) -> None:
    fill(memory, clock, 5)
    first = exported(memory, tmp_path / "first")
    one = memory.upkeep()
    clock.forward(days=80)
    second = exported(memory, tmp_path / "second")
    two = memory.upkeep()
    assert two.counts["tokens_reclaimed"] > 0
    memory.upkeep.undo(two.run or "")
    assert exported(memory, tmp_path / "again") == second
    memory.upkeep.undo(one.run or "")
    assert exported(memory, tmp_path / "start") == first


def test_a_dry_run_counts_the_same_and_changes_nothing(memory: Memory, clock: Clock, tmp_path: Path) -> None:
    fill(memory, clock, 6)
    before = exported(memory, tmp_path / "before")
    rehearsed = memory.upkeep(dry_run=True)
    assert rehearsed.run is None
    assert rehearsed.dry_run
    assert exported(memory, tmp_path / "after") == before
    assert memory.upkeep.runs() == []
    assert memory.upkeep().counts == rehearsed.counts


def test_soon_there_is_nothing_left_to_do(memory: Memory, clock: Clock) -> None:
    """What a run brings back or widens may have duplicates of its own, for the next run to find."""
    fill(memory, clock, 7)
    counts = [memory.upkeep().counts for _ in range(4)]
    assert counts[0]["deduped"] > counts[1]["deduped"]
    assert {name: n for name, n in counts[-1].items() if n} == {}


def test_what_a_person_changed_since_is_left_and_named(memory: Memory) -> None:
    kept = memory.remember("Alex likes dark mode in all editors")
    gone = memory.remember("Alex likes dark mode in all editors.", tags=["ui"])
    run = memory.upkeep()
    assert memory.get(gone.id).status == Status.SUPERSEDED or memory.get(kept.id).status == Status.SUPERSEDED
    (survivor,) = memory.list().items
    memory.update(survivor.id, text="Alex likes light mode now")
    undone = memory.upkeep.undo(run.run or "")
    assert [left.id for left in undone.left] == [survivor.id]
    assert "changed after the run" in undone.left[0].why
    assert memory.get(survivor.id).text == "Alex likes light mode now"
    assert {r.text for r in memory.list().items} >= {"Alex likes light mode now"}
    assert len(memory.list().items) == 2


def test_uses_after_the_run_survive_its_undo(memory: Memory, clock: Clock) -> None:
    a = memory.remember("Alex likes dark mode in all editors").id
    b = memory.remember("Alex likes dark mode in all editors.").id
    for id in (a, b):
        memory._scope.write(lambda tx, id=id: usage.count(tx, [id], "cited", clock()))  # type: ignore[misc]
    run = memory.upkeep()
    (survivor,) = memory.list().items
    assert survivor.usage.cited == 2
    memory._scope.write(lambda tx: usage.count(tx, [survivor.id], "cited", clock()))
    memory.upkeep.undo(run.run or "")
    assert memory.get(survivor.id).usage.cited == 2, "its own, and the one since"
    assert {memory.get(id).usage.cited for id in (a, b)} == {1, 2}


def test_the_survivor_has_what_both_had(memory: Memory) -> None:
    said = memory.add("I like dark mode")
    source = Source(SourceKind.MESSAGE, said.id)
    one = memory.remember("Alex likes dark mode in all editors", tags=["ui"], importance=0.4)
    two = memory.remember(
        "Alex likes dark mode in all editors", tags=["eyes"], importance=0.6, sources=[source]
    )
    third = memory.remember("Alex works with three large screens")
    memory.links.add(two.id, third.id, "depends_on")
    assert memory.upkeep().counts["deduped"] == 1
    survivor = memory.get(one.id)
    assert survivor.tags == ("ui", "eyes")
    assert survivor.importance == 0.6
    assert survivor.sources == (source,)
    assert memory.get(two.id).status == Status.SUPERSEDED
    walked = {(s.via.type, s.id) for s in memory.links.walk(one.id)}
    assert walked >= {("supersedes", two.id), ("depends_on", third.id)}


def test_untrusted_text_lifts_nothing_and_lowers_nothing(memory: Memory) -> None:
    mine = memory.remember("Alex likes dark mode in all editors", importance=0.3)
    memory.remember(
        "Alex likes dark mode in all editors", trust="document", importance=1.0, pinned=False, tags=["bad"]
    )
    memory.upkeep()
    survivor = memory.get(mine.id)
    assert (survivor.status, survivor.trust, survivor.importance, survivor.tags) == (
        "active",
        "user",
        0.3,
        (),
    )


def test_different_things_stay(memory: Memory) -> None:
    texts = [
        "The machine has an RTX 4080",
        "The machine has an RTX 4090",
        "Alex drinks coffee",
        "Alex does not drink coffee",
        "The launch is on March 3",
        "The launch is on March 4",
        "Alice lives in the old town",
        "Bob lives in the old town",
    ]
    for text in texts:
        memory.remember(text)
    memory.remember("ran 5 km", subject="Alice")
    memory.remember("ran 5 km", subject="Bob")
    assert memory.upkeep().counts["deduped"] == 0
    assert len(memory.list().items) == 10


def test_archived_memories_are_found_on_request_and_come_back_when_used(memory: Memory, clock: Clock) -> None:
    said = memory.add("my bike has a green bell")
    kept = memory.remember(
        "The bike has a green bell", importance=0.2, sources=[Source(SourceKind.MESSAGE, said.id)]
    ).id
    clock.forward(days=300)
    assert memory.upkeep().counts["archived"] == 1
    asked = Filter(items=("memory",))
    assert memory.recall("green bell", wanted=asked).found == ()
    asleep = Filter(items=("memory",), statuses=(Status.ARCHIVED,))
    assert [f.id for f in memory.recall("green bell", wanted=asleep)] == [kept]
    assert memory.upkeep().counts["promoted"] == 1
    assert memory.get(kept).status == Status.ACTIVE


def test_forgetting_spares_what_is_the_only_record(memory: Memory, clock: Clock) -> None:
    plain = memory.remember("lives in Berlin", key="city", value="Berlin", importance=0.4).id
    pinned = memory.remember("eats at six", key="dinner", value="six", importance=0.4, pinned=True).id
    grave = memory.remember("allergic to nuts", key="allergy", value="nuts", importance=0.9).id
    widow = memory.remember("drives a Saab", key="car", value="Saab", importance=0.4).id
    memory.remember("lives in Lisbon", key="city", value="Lisbon")
    memory.remember("eats at seven", key="dinner", value="seven")
    memory.remember("allergic to milk", key="allergy", value="milk")
    memory.forget(memory.remember("drives a Volvo", key="car", value="Volvo").id)
    clock.forward(days=89)
    assert memory.upkeep().counts["forgotten"] == 0
    clock.forward(days=2)
    run = memory.upkeep()
    assert run.counts["forgotten"] == 1
    assert memory.get(plain).status == Status.FORGOTTEN
    for id in (pinned, grave, widow):
        assert memory.get(id).status == Status.SUPERSEDED
    memory.restore(plain)
    assert memory.get(plain).status == Status.SUPERSEDED


def test_erasing_takes_the_joined_ones_and_the_journal_along(memory: Memory) -> None:
    one = memory.remember("Alex likes dark mode in all editors").id
    two = memory.remember("Alex likes dark mode in all editors.").id
    other = memory.remember("Alex works with three large screens in the cellar").id
    run = memory.upkeep()
    survivor = next(r.id for r in memory.list().items if r.id != other)
    assert survivor in (one, two)
    memory.erase(memory=survivor)
    left = memory._scope.read(lambda tx: tx.rows("SELECT * FROM journal WHERE tenant = :tenant"))
    assert left == []
    assert [r.id for r in memory.list(EVERYTHING).items] == [other], "what says the same is gone with it"
    assert memory.upkeep.undo(run.run or "").left == ()


def test_runs_are_told_and_undone_once(memory: Memory) -> None:
    memory.remember("one thing")
    report = memory.upkeep()
    (run,) = memory.upkeep.runs()
    assert (run.id, run.kind, run.status, run.spaces) == (report.run, "upkeep", "done", ("user:alex",))
    memory.upkeep.undo(run.id)
    with pytest.raises(Conflict, match="already undone"):
        memory.upkeep.undo(run.id)
    assert memory.upkeep.runs()[0].status == "undone"
    with pytest.raises(NotFound):
        memory.view("user:bob").upkeep.undo(run.id)
    with pytest.raises(InvalidInput):
        memory.upkeep.undo("nonsense")
    with pytest.raises(NotFound):
        memory.upkeep.undo("019ce146-3280-7034-bbe0-2b13c6ea8bcc")


def test_a_run_over_two_spaces_is_undone_with_a_view_of_both(memory: Memory) -> None:
    both = memory.view("user:alex", "project:x")
    both.remember("one thing")
    run = both.upkeep().run or ""
    with pytest.raises(Conflict, match="a view of all of them"):
        memory.upkeep.undo(run)
    assert both.upkeep.undo(run).left == ()


def test_old_runs_are_settled(memory: Memory, clock: Clock) -> None:
    for text in ("Alex likes dark mode in all editors", "Alex likes dark mode in all editors."):
        memory.remember(text)
    old = memory.upkeep().run or ""
    clock.forward(days=91)
    memory.upkeep()
    with pytest.raises(Conflict, match="too old"):
        memory.upkeep.undo(old)


def test_upkeep_of_every_space_comes_round_as_a_job(memory: Memory, clock: Clock) -> None:
    for space in ("user:alex", "project:x"):
        for text in ("Alex likes dark mode in all editors", "Alex likes dark mode in all editors."):
            memory.view(space).remember(text)
    memory.jobs.schedule("upkeep", "0 3 * * *", "upkeep")
    clock.forward(days=1)
    memory.jobs.run()
    for space in ("user:alex", "project:x"):
        own = memory.view(space)
        assert len(own.list().items) == 1
        (run,) = own.upkeep.runs()
        assert own.upkeep.undo(run.id).left == ()
        assert len(own.list().items) == 2


def test_others_read_and_write_meanwhile_and_are_never_overwritten(memory: Memory, where: str) -> None:
    one = memory.remember("Alex likes dark mode in all editors").id
    two = memory.remember("Alex likes dark mode in all editors.").id
    memory.remember("Alex works with three large screens in the cellar")
    written: list[str] = []
    with Memory(where, view="user:alex", embedder="fake:hash-64", background=False) as other:

        def meanwhile(step: str, done: int) -> None:
            if step == "dedupe" and done == 0:  # it is planned by now on what was read before
                other.update(one, text="Alex likes light mode these days")
                other.update(two, importance=0.1)
            written.append(other.remember(f"said during {step} {done}, as the number {len(written)}").id)
            assert len(other.list().items) >= len(written)

        report = memory.upkeep(progress=meanwhile)
    assert (report.skipped, report.counts["deduped"]) == (1, 0)
    assert memory.get(one).text == "Alex likes light mode these days"
    assert memory.get(two).importance == 0.1
    assert {r.id for r in memory.list().items} >= {one, two, *written}


def test_the_nightly_run_puts_the_search_index_in_order(sqlite_memory: Memory, clock: Clock) -> None:
    memory = sqlite_memory
    for start in range(4):
        memory.add_many([NewMessage(text=f"a garden of stones, number {start}-{i}") for i in range(30)])
        memory.jobs.run()
        memory.recall("garden")
    toolbox = memory._engine.toolbox
    index = toolbox.indexes.of(memory._scope, toolbox.embedders.of(memory._scope))
    assert isinstance(index, Index)
    assert len(index.sizes()) > 1
    memory.jobs.schedule("upkeep", "0 3 * * *", "upkeep")
    clock.forward(days=1)
    memory.jobs.run()
    assert len(index.sizes()) == 1
    assert memory.recall("garden number 3-7").found

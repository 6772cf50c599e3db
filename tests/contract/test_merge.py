"""Two spaces become one, on both databases, and two again."""

import sys
from pathlib import Path

import pytest

from clock import Clock
from recollect import Filter, InvalidInput, LinkType, Memory, NotFound, Source, SourceKind, Status
from recollect.store import contradictions

sys.path.insert(0, str(Path(__file__).parent.parent / "upkeep"))

from filled import exported, fill

BOTH = ("project:phoenix", "user:alex")


def clashes(memory: Memory) -> list[tuple[str, str]]:
    found = memory._scope.read(lambda tx: contradictions.listed(tx, BOTH, only_open=True))
    return [(c.memory_a, c.memory_b) for c in found]


def test_duplicates_are_joined_and_conflicts_are_for_a_person(memory: Memory, tmp_path: Path) -> None:
    team = memory.view("project:phoenix")
    said = memory.add("hello there")
    source = Source(SourceKind.MESSAGE, said.id)
    mine = memory.remember("The team meets at nine in the blue room", sources=[source]).id
    theirs = team.remember("The team meets at nine in the blue room.", tags=["team"]).id
    port = memory.remember("The port is 8080", key="port", value="8080").id
    other = team.remember("The port is 9090", key="port", value="9090").id
    same = memory.remember("db: PostgreSQL", key="db", value="PostgreSQL").id
    known = team.remember("We store everything in PostgreSQL", key="db", value="PostgreSQL").id
    alone = memory.remember("Alex brings the cake").id
    memory.links.add(alone, mine)
    memory.jobs.run()
    before = exported(memory, tmp_path / "before")

    rehearsed = memory.upkeep.merge("user:alex", "project:phoenix", dry_run=True)
    assert exported(memory, tmp_path / "dry") == before
    report = memory.upkeep.merge("user:alex", "project:phoenix")
    assert report.counts == rehearsed.counts
    assert (report.counts["moved"], report.counts["deduped"]) == (4, 2)
    assert report.counts["contradictions_found"] == 1
    assert memory.list(Filter(statuses=tuple(Status))).items == []
    assert {r.id for r in team.list().items} == {theirs, port, other, known, alone} or {
        r.id for r in team.list().items
    } == {mine, port, other, known, alone}
    (survivor,) = [r for r in team.list().items if "blue room" in r.text]
    assert survivor.sources == (source,)
    assert team.get(same).status == Status.SUPERSEDED
    assert team.get(alone).metadata == {"from_space": "user:alex"}
    assert clashes(memory) == [(other, port)]
    assert [s.via.type for s in team.links.walk(port)] == [LinkType.CONTRADICTS]
    assert all(finding.ok for finding in memory.doctor())

    undone = memory.view(*BOTH).upkeep.undo(report.run or "")
    assert undone.left == ()
    assert exported(memory, tmp_path / "after") == before


def test_contradictions_move_along_and_new_ones_are_found(memory: Memory, tmp_path: Path) -> None:
    """Those of the old space are in the new inbox, and so is what the two spaces disagree on."""
    team = memory.view("project:phoenix")
    memory.remember("Deploys are manual")
    memory.remember("Deploys are automatic")
    memory.remember("The build server has 32 GB of memory")
    team.remember("The build server has 64 GB of memory")
    team.remember("The standup is at ten")
    memory.jobs.run()
    (known,) = memory.contradictions.list()
    before = exported(memory, tmp_path / "before")

    rehearsed = memory.upkeep.merge("user:alex", "project:phoenix", dry_run=True)
    report = memory.upkeep.merge("user:alex", "project:phoenix")
    assert report.counts == rehearsed.counts
    assert report.counts["contradictions_found"] == 1
    assert memory.contradictions.list() == []
    found = {d.contradiction.id: (d.a.text, d.b.text) for d in team.contradictions.list()}
    assert found.pop(known.contradiction.id) == ("Deploys are manual", "Deploys are automatic")
    assert [*found.values()] == [
        ("The build server has 32 GB of memory", "The build server has 64 GB of memory")
    ]

    memory.view(*BOTH).upkeep.undo(report.run or "")
    assert exported(memory, tmp_path / "after") == before
    assert [d.contradiction.id for d in memory.contradictions.list()] == [known.contradiction.id]
    assert team.contradictions.list() == []


def test_memories_of_two_spaces_again_contradict_each_other_no_more(memory: Memory) -> None:
    """A contradiction that was found while the two spaces were one is not open once the merge is undone."""
    team = memory.view("project:phoenix")
    memory.remember("Deploys are manual")
    other = team.remember("Alex brings the cake").id
    report = memory.upkeep.merge("user:alex", "project:phoenix")
    team.update(other, text="Deploys are automatic")
    memory.jobs.run()
    assert len(team.contradictions.list()) == 1
    memory.view(*BOTH).upkeep.undo(report.run or "")
    assert memory.view(*BOTH).contradictions.list() == []


def test_recall_follows_a_merge_and_its_undo(memory: Memory) -> None:
    team = memory.view("project:phoenix")
    team.remember("Bob brings the plates")
    cake = memory.remember("Alex brings the cake").id
    memory.jobs.run()

    def finds(view: Memory) -> bool:
        return cake in [f.id for f in view.recall("who brings the cake?")]

    assert (finds(memory), finds(team)) == (True, False)
    report = memory.upkeep.merge("user:alex", "project:phoenix")
    assert (finds(memory), finds(team)) == (False, True)
    memory.view(*BOTH).upkeep.undo(report.run or "")
    assert (finds(memory), finds(team)) == (True, False)


def test_a_large_merge_is_undone_exactly(memory: Memory, clock: Clock, tmp_path: Path) -> None:
    fill(memory, clock, 21, 40)
    fill(memory.view("project:phoenix"), clock, 22, 40)
    before = exported(memory, tmp_path / "before")
    report = memory.upkeep.merge("project:phoenix", "user:alex")
    assert report.counts["moved"] > 40
    assert report.counts["deduped"] > 0
    assert memory.view("project:phoenix").list(Filter(statuses=tuple(Status))).items == []
    assert memory.view(*BOTH).upkeep.undo(report.run or "").left == ()
    assert exported(memory, tmp_path / "after") == before
    memory.jobs.run()
    assert memory.stats().unembedded == {"fake:hash-64": 0}


def test_an_undo_after_the_old_space_was_erased_says_so(memory: Memory) -> None:
    memory.view("project:phoenix").remember("Bob brings the plates")
    cake = memory.remember("Alex brings the cake").id
    report = memory.upkeep.merge("user:alex", "project:phoenix")
    memory.erase(space="user:alex")
    undone = memory.view(*BOTH).upkeep.undo(report.run or "")
    assert [(left.id, "space is gone" in left.why) for left in undone.left] == [(cake, True)]
    assert memory.view("project:phoenix").get(cake).text == "Alex brings the cake"


def test_the_less_trusted_side_of_a_conflict_waits(memory: Memory) -> None:
    team = memory.view("project:phoenix")
    memory.remember("port 1", key="port", value="1", trust="document")
    kept = team.remember("port 2", key="port", value="2").id
    memory.upkeep.merge("user:alex", "project:phoenix")
    assert [r.id for r in team.list().items] == [kept]
    assert [r.value for r in team.review.pending().items] == ["1"]


def test_what_cannot_be_merged(memory: Memory) -> None:
    memory.remember("x")
    with pytest.raises(InvalidInput, match="into itself"):
        memory.upkeep.merge("user:alex", "user:alex")
    with pytest.raises(NotFound, match="project:nowhere"):
        memory.upkeep.merge("user:alex", "project:nowhere")
    with pytest.raises(InvalidInput):
        memory.upkeep.merge("user:alex", "no space at all")
    assert memory.upkeep.runs() == []

"""Links between memories, on both databases."""

from itertools import pairwise

import pytest

from recollect import InvalidInput, LinkType, Memory, NotFound


@pytest.fixture
def chain(memory: Memory) -> list[str]:
    """Five memories in a row, each depending on the one before."""
    ids = [memory.remember(f"step {i}").id for i in range(5)]
    for before, after in pairwise(ids):
        memory.links.add(after, before, LinkType.DEPENDS_ON, strength=0.5)
    return ids


def test_walk_goes_both_ways_nearest_first(memory: Memory, chain: list[str]) -> None:
    steps = memory.links.walk(chain[2], depth=2)
    assert [(s.id, s.depth) for s in steps][:2] in (
        [(chain[1], 1), (chain[3], 1)],
        [(chain[3], 1), (chain[1], 1)],
    )
    assert {(s.id, s.depth) for s in steps} == {(chain[1], 1), (chain[3], 1), (chain[0], 2), (chain[4], 2)}
    assert {s.via.strength for s in steps} == {0.5}


def test_walk_by_type(memory: Memory, chain: list[str]) -> None:
    memory.links.add(chain[0], chain[4], "contradicts")
    assert [s.id for s in memory.links.walk(chain[0], types=["contradicts"], depth=3)] == [chain[4]]
    assert memory.links.walk(chain[0], types=["part_of"]) == []


def test_a_cycle_ends(memory: Memory, chain: list[str]) -> None:
    memory.links.add(chain[0], chain[4])
    assert len(memory.links.walk(chain[0], depth=8)) == 4


def test_the_same_link_again_takes_the_new_strength(memory: Memory, chain: list[str]) -> None:
    memory.links.add(chain[1], chain[0], LinkType.DEPENDS_ON, strength=0.9)
    (step,) = memory.links.walk(chain[0])
    assert step.via.strength == 0.9


def test_remove(memory: Memory, chain: list[str]) -> None:
    memory.links.add(chain[1], chain[0], "related_to")
    assert memory.links.remove(chain[1], chain[0], "related_to") == 1
    assert memory.links.remove(chain[1], chain[0]) == 1
    assert memory.links.walk(chain[0]) == []
    with pytest.raises(NotFound, match="no such link"):
        memory.links.remove(chain[1], chain[0])


def test_links_stay_inside_the_view(memory: Memory, chain: list[str]) -> None:
    foreign = memory.view("user:bob").remember("bob's").id
    with pytest.raises(NotFound):
        memory.links.add(chain[0], foreign)
    both = memory.view("user:alex", "user:bob")
    both.links.add(chain[0], foreign)
    assert foreign in {s.id for s in both.links.walk(chain[0])}
    assert foreign not in {s.id for s in memory.links.walk(chain[0])}


def test_bad_links(memory: Memory, chain: list[str]) -> None:
    with pytest.raises(InvalidInput, match="itself"):
        memory.links.add(chain[0], chain[0])
    for bad in ({"type": "hates"}, {"strength": 1.5}, {"strength": None}):
        with pytest.raises(InvalidInput):
            memory.links.add(chain[0], chain[1], **bad)  # type: ignore[arg-type]
    for depth in (0, 9, "2"):
        with pytest.raises(InvalidInput):
            memory.links.walk(chain[0], depth=depth)  # type: ignore[arg-type]

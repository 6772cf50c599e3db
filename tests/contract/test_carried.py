"""What contexts carry of memories that grow old, on both databases."""

from clock import Clock
from recollect import Filter, Level, Memory, Source, SourceKind, Status
from recollect.store import usage

LONG = (
    "The team decided to use PostgreSQL as the primary database because of its strong support for JSON "
    "operations and the existing expertise of the people. The migration of the old data took nearly three "
    "weeks in the spring. Afterwards the nightly reports ran twice as fast as before, and nobody missed "
    "the old cluster, which was switched off quietly on a rainy Sunday with coffee and cake for everyone."
)


def carried(memory: Memory, id: str) -> Level:
    return memory.get(id).usage.carried


def shown(memory: Memory, id: str) -> str:
    context = memory.context("which primary database did the team decide on?", layout="tiers", budget=4_000)
    return next(t.text for t in context.taken if t.id == id)


def test_levels_shrink_with_age_and_the_full_text_stays(memory: Memory, clock: Clock) -> None:
    id = memory.remember(LONG, kind="note").id
    memory.jobs.run()
    assert shown(memory, id) == LONG
    memory._count_uses()
    clock.forward(days=8)
    first = memory.upkeep()
    assert first.counts["compressed"] == 1
    assert first.counts["tokens_reclaimed"] > 20
    assert carried(memory, id) == Level.SUMMARY
    assert shown(memory, id) == memory.get(id).summary
    assert LONG in memory.contexts.expand(id).text
    assert [
        f.id for f in memory.recall("rainy Sunday with coffee and cake", wanted=Filter(items=("memory",)))
    ]
    memory._count_uses()
    clock.forward(days=31)
    memory.upkeep()
    assert carried(memory, id) == Level.BRIEF
    assert shown(memory, id) == memory.get(id).brief


def test_what_is_cited_is_carried_whole_again(memory: Memory, clock: Clock) -> None:
    id = memory.remember(LONG).id
    clock.forward(days=40)
    memory.upkeep()
    assert carried(memory, id) == Level.BRIEF
    context = memory.context("which primary database did the team decide on?", layout="tiers", budget=4_000)
    memory.contexts.feedback(context.id, cited=[id])
    assert carried(memory, id) == Level.FULL


def test_pinned_significant_and_fresh_memories_are_carried_whole(memory: Memory, clock: Clock) -> None:
    pinned = memory.remember(LONG, pinned=True).id
    grave = memory.remember(LONG.replace("PostgreSQL", "MariaDB"), importance=0.7).id
    used = memory.remember(LONG.replace("PostgreSQL", "Oracle")).id
    clock.forward(days=60)
    memory._scope.write(lambda tx: usage.count(tx, [used], "retrieved", clock()))
    assert memory.upkeep().counts["compressed"] == 0
    assert {carried(memory, id) for id in (pinned, grave, used)} == {Level.FULL}


def test_an_archived_memory_comes_back_when_it_is_cited(memory: Memory, clock: Clock) -> None:
    said = memory.add("my bike has a green bell")
    source = Source(SourceKind.MESSAGE, said.id)
    id = memory.remember("The bike has a green bell", importance=0.2, sources=[source]).id
    memory.jobs.run()
    context = memory.context("what bell has the bike?", layout="tiers", budget=2_000)
    assert id in context.ids()
    memory._count_uses()
    clock.forward(days=200)
    memory.upkeep()
    assert memory.get(id).status == Status.ARCHIVED
    memory.contexts.feedback(context.id, cited=[id])
    assert memory.get(id).status == Status.ACTIVE

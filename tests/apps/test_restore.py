"""What compaction removed comes back, and the cap holds."""

import pytest

from apps_talk import kept, talk, talks
from recollect import Conflict, InvalidInput, Memory, NotFound

SAME = ("The Phoenix launch is planned for June with Sara.", "The Phoenix launch with Sara needs a venue.")


def test_what_was_removed_comes_back_and_something_else_makes_room(memory: Memory) -> None:
    memory.apps.register("calendar", cap=3)
    talks(memory, "calendar", 4)
    (gone,) = memory.apps.memories("calendar", removed=True)
    receipt = memory.apps.restore("calendar", gone.id)
    assert receipt.counts == {"restored": 1, "forgotten": 1}
    assert gone.id in {m.id for m in memory.apps.memories("calendar")}
    assert len(kept(memory, "calendar")) == 3
    made_room = receipt.entries[1].id
    assert [m.id for m in memory.apps.memories("calendar", removed=True)] == [made_room]
    assert memory.apps.restore("calendar", gone.id).counts == {"ignored": 1}
    assert memory.apps.stats().counters["restored"] == 1


def test_a_merger_is_undone(memory: Memory) -> None:
    memory.apps.register("calendar", cap=1)
    for said in SAME:
        talk(memory, "calendar", said)
        memory.jobs.run()
    (merger,) = memory.apps.memories("calendar")
    assert "June" in merger.content
    assert "venue" in merger.content
    parts = memory.apps.memories("calendar", removed=True)
    assert len(parts) == 2
    with pytest.raises(Conflict, match="higher cap"):
        memory.apps.restore("calendar", parts[0].id)
    assert [m.id for m in memory.apps.memories("calendar")] == [merger.id], "bad input changes nothing"
    memory.apps.register("calendar", cap=2)
    receipt = memory.apps.restore("calendar", *(part.id for part in parts))
    assert receipt.counts == {"restored": 2, "forgotten": 1}
    assert {m.id for m in memory.apps.memories("calendar")} == {part.id for part in parts}


def test_deleting_a_merger_takes_its_parts_along(memory: Memory) -> None:
    memory.apps.register("calendar", cap=1)
    for said in SAME:
        talk(memory, "calendar", said)
        memory.jobs.run()
    memory.apps.delete("calendar", memory.apps.memories("calendar")[0].id)
    talks(memory, "calendar", 1)
    assert "Phoenix" not in str(memory.apps.export("calendar"))
    assert memory.apps.memories("calendar", removed=True) == []


def test_mistakes(memory: Memory) -> None:
    memory.apps.register("calendar")
    with pytest.raises(InvalidInput, match="restore what"):
        memory.apps.restore("calendar")
    fact = memory.view("app:calendar").remember("no app memory").id
    with pytest.raises(NotFound, match="--removed"):
        memory.apps.restore("calendar", fact)
    with pytest.raises(NotFound):
        memory.apps.delete("calendar", fact)

"""Both times: when something was true, and when we believed it; on both databases."""

from datetime import UTC, datetime, timedelta

import pytest

from clock import Clock
from recollect import AsOf, Filter, InvalidInput, Memory, NotFound


def day(year: int, month: int = 1) -> datetime:
    return datetime(year, month, 1, tzinfo=UTC)


def cities(memory: Memory, as_of: datetime | AsOf) -> list[str | None]:
    return [r.value for r in memory.list(Filter(keys=("city",)), as_of=as_of).items]


def test_as_of_answers_in_either_time(memory: Memory, clock: Clock) -> None:
    learnt_berlin = clock.at
    memory.remember("lives in Berlin", key="city", value="Berlin", valid_from=day(2020))
    learnt_lisbon = clock.forward(days=30)
    memory.remember("lives in Lisbon", key="city", value="Lisbon", valid_from=day(2024))
    now = clock.forward(days=1)
    assert cities(memory, now) == ["Lisbon"]
    assert cities(memory, AsOf(valid=day(2022))) == ["Berlin"]
    assert cities(memory, AsOf(valid=day(2019))) == []
    assert cities(memory, AsOf(valid=day(2025))) == ["Lisbon"]
    assert cities(memory, AsOf(recorded=learnt_berlin + timedelta(days=1))) == ["Berlin"]
    assert cities(memory, AsOf(recorded=learnt_berlin - timedelta(days=1))) == []
    believed_then = AsOf(valid=day(2025), recorded=learnt_lisbon - timedelta(days=1))
    assert cities(memory, believed_then) == ["Berlin"], "before we heard of Lisbon we believed in Berlin"


def test_get_as_of_gives_the_version_of_that_time(memory: Memory, clock: Clock) -> None:
    before = clock.at
    clock.forward(days=1)
    id = memory.remember("draft").id
    first = clock.forward(days=1)
    memory.update(id, text="final")
    second = clock.forward(days=1)
    memory.forget(id)
    assert memory.get(id, as_of=first).text == "draft"
    assert memory.get(id, as_of=second).text == "final"
    assert memory.get(id, as_of=second).status == "active"
    assert memory.get(id, as_of=clock.forward(days=1)).status == "forgotten"
    with pytest.raises(NotFound, match="at that time"):
        memory.get(id, as_of=before)


def test_a_time_needs_its_zone(memory: Memory) -> None:
    for bad in (datetime(2026, 1, 1), "2026-01-01", AsOf(valid=datetime(2026, 1, 1))):
        with pytest.raises(InvalidInput):
            memory.list(as_of=bad)  # type: ignore[arg-type]


def test_a_clock_that_goes_back_does_not_tangle_history(memory: Memory, clock: Clock) -> None:
    id = memory.remember("one").id
    clock.forward(days=-5)
    memory.update(id, text="two")
    first, second = memory.history(id)
    assert first.retired_at == second.recorded_at >= first.recorded_at

"""What was given out is written down once, by one thread at a time, and waits when it cannot be."""

import threading
from dataclasses import replace
from datetime import datetime

import pytest

from clock import Clock
from recollect import InvalidInput, Memory
from recollect.model.context import Shown
from recollect.model.ids import new_id
from recollect.recall.uses import MOST, Uses
from recollect.store.scope import Scope


def test_settling_returns_when_all_of_it_is_written(memory: Memory, clock: Clock) -> None:
    id = memory.remember("the cellar key hangs behind the door").id
    writing, go, returned = threading.Event(), threading.Event(), threading.Event()

    def slow() -> datetime:
        writing.set()
        assert go.wait(30)
        return clock()

    uses = Uses()
    uses.note(memory._scope, [id])

    def second() -> None:
        uses.settle(memory._scope)
        returned.set()

    threads = [
        threading.Thread(target=uses.settle, args=[replace(memory._scope, clock=slow)]),
        threading.Thread(target=second),
    ]
    threads[0].start()
    assert writing.wait(30)
    threads[1].start()
    assert not returned.wait(0.2), "the first has not yet written what was given out"
    go.set()
    for thread in threads:
        thread.join()
    assert memory.get(id).usage.retrieved == 1


def test_what_cannot_be_written_waits(memory: Memory, clock: Clock) -> None:
    id = memory.remember("the cellar key hangs behind the door").id
    other = memory.remember("the garden hose leaks at the tap").id
    uses = Uses()
    uses.note(memory._scope, [id])
    with pytest.raises(InvalidInput, match="time zone"):
        uses.settle(replace(memory._scope, clock=lambda: clock().replace(tzinfo=None)))
    uses.note(memory._scope, [id, other])
    uses.settle_all(memory._scope)
    assert [memory.get(i).usage.retrieved for i in (id, other)] == [1, 1]
    uses.settle_all(memory._scope)
    assert memory.get(id).usage.retrieved == 1


def test_who_only_reads_gathers_no_more_than_so_many_contexts(memory: Memory, clock: Clock) -> None:
    id = memory.remember("the cellar key hangs behind the door").id
    uses, refused = Uses(), replace(memory._scope, clock=lambda: clock().replace(tzinfo=None))

    def show(times: int, scope: Scope = memory._scope) -> None:
        for _ in range(times):
            shown = Shown(id=new_id(clock()), space=scope.view.home, made_at=clock(), asked=(), items=())
            uses.note(scope, [id], shown)

    def kept() -> int:
        return memory._scope.read(lambda tx: len(tx.rows("SELECT id FROM contexts WHERE tenant = :tenant")))

    show(MOST - 1)
    assert kept() == 0
    show(1, refused)
    assert kept() == 0, "it could not be written, and nobody was stopped"
    show(MOST)
    assert kept() == 2 * MOST
    assert memory.get(id).usage.retrieved == 1

"""Two tenants at random through every door of one server: nothing of one is ever seen by the other."""

import random
import uuid
from pathlib import Path

import pytest

from recollect import Memory, NotFound, RecollectError
from served import Served

WORDS = ("harbour", "violin", "saffron", "glacier", "lantern", "orchard")


def texts_of(value: object) -> str:
    return repr(value)


@pytest.mark.parametrize("seed", range(2))
def test_nothing_leaks(shared: Served, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    marks = {name: f"{name}mark{uuid.uuid4().hex[:10]}" for name in ("ann", "bob")}
    doors = {
        name: Memory(shared.url, key=shared.key("user:shared", "*", tenant=f"{name}-{uuid.uuid4().hex[:8]}"))
        for name in marks
    }
    ids: dict[str, list[str]] = {name: [] for name in marks}
    chats: dict[str, list[str]] = {name: [] for name in marks}

    def steps(me: str, other: str) -> list[object]:
        memory, text = doors[me], f"{marks[me]} {chance.choice(WORDS)}"
        mine = chance.choice(ids[me]) if ids[me] else "0190a8c0-0000-7000-8000-000000000000"
        theirs = chance.choice(ids[other] + chats[other]) if ids[other] + chats[other] else mine
        said = chance.choice(chats[other]) if chats[other] else None

        def add() -> object:
            receipt = memory.add(text)
            chats[me].append(receipt.conversation or "")
            ids[me].append(receipt.id)
            return receipt

        def remember() -> object:
            receipt = memory.remember(text, key=chance.choice(WORDS), value=marks[me], tags=[marks[me]])
            ids[me].append(receipt.id)
            return receipt

        def export() -> object:
            memory.transfers.export(tmp_path / f"{me}.jsonl")
            return (tmp_path / f"{me}.jsonl").read_text("utf-8")

        foreign = [
            lambda: memory.get(theirs),
            lambda: memory.history(theirs),
            lambda: memory.update(theirs, text="mine now"),
            lambda: memory.forget(theirs),
            lambda: memory.erase(memory=theirs),
            lambda: memory.review.explain(theirs),
            lambda: memory.links.add(theirs, mine),
            lambda: memory.conversations.messages(theirs),
            lambda: memory.contexts.expand(theirs),
            lambda: memory.add("hello", conversation=said or theirs),
        ]
        own = [
            add,
            remember,
            export,
            memory.list,
            memory.stats,
            memory.spaces.list,
            memory.jobs.run,
            memory.jobs.list,
            memory.conversations.list,
            memory.review.pending,
            lambda: memory.history(key=chance.choice(WORDS)),
            lambda: memory.recall(f"{marks[other]} {chance.choice(WORDS)}"),
            lambda: memory.context(f"{marks[other]} {chance.choice(WORDS)}", budget=400),
            lambda: memory.view("user:shared", "user:extra").list(),
        ]
        if theirs in ids[me]:
            return own
        return [chance.choice(own), chance.choice(foreign)]

    for _ in range(30):
        me, other = chance.sample(sorted(marks), 2)
        for step in steps(me, other):
            try:
                seen = step()  # type: ignore[operator]
            except RecollectError as error:
                seen = error
            hidden = texts_of(seen).replace(f"query='{marks[other]}", "query='")
            assert marks[other] not in hidden, (me, hidden)
    for name, memory in doors.items():
        for id in ids[name]:
            try:
                memory.get(id)
            except NotFound:
                assert memory.conversations.message(id).text.startswith(marks[name])
        assert all(marks[name] in r.text for r in memory.list().items)
        memory.close()

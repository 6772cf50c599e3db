"""The demo: a conversation goes in, memories come out. One file, read from top to bottom."""

import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TextIO

from recollect.memory import Memory
from recollect.model.filter import Filter

TALK = (
    ("Alex", "Hi! I'm Alex, I build the Phoenix project in Berlin."),
    ("assistant", "Nice to meet you, Alex. What are you working on?"),
    ("Alex", "We decided to use PostgreSQL, because of its JSON support and our experience with it."),
    ("assistant", "Good choice. I will remember that."),
    ("Alex", "I prefer short answers, and please never schedule meetings before 10."),
)


def show(out: TextIO, embedder: str | None = None) -> None:
    """Run the demo in a temporary file and print each step."""
    with tempfile.TemporaryDirectory() as folder:
        clock = _Clock(datetime(2026, 3, 2, 9, tzinfo=UTC))
        path = Path(folder) / "demo.db"
        memory = Memory(path, view="user:alex", embedder=embedder, clock=clock, background=False)
        with memory:
            _conversation(memory, out)
            _facts(memory, clock, out)
            _time_travel(memory, clock, out)
            _upkeep(memory, Path(folder), out)


class _Clock:
    """A clock the demo can turn."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def __call__(self) -> datetime:
        self.at += timedelta(seconds=1)
        return self.at


def _conversation(memory: Memory, out: TextIO) -> None:
    _title(out, "1. A conversation goes in, word for word")
    chat = memory.conversations.start("Getting to know Alex")
    for who, text in TALK:
        role = "assistant" if who == "assistant" else "user"
        memory.add(text, role=role, speaker=who, conversation=chat.id)
    for message in memory.conversations.messages(chat.id):
        print(f"   {message.turn}. {message.speaker}: {message.text}", file=out)
    memory.jobs.run()
    model, count = next(iter(memory.stats().vectors.items()))
    print(f"   {count} texts embedded in the background by {model}", file=out)


def _facts(memory: Memory, clock: _Clock, out: TextIO) -> None:
    _title(out, "2. Facts have keys; a new value takes the place of the old one, which is kept")
    memory.remember("Alex lives in Berlin", key="city", value="Berlin", category="identity")
    clock.at += timedelta(days=60)
    memory.remember("Alex lives in Lisbon", key="city", value="Lisbon", category="identity")
    for version in memory.history(key="city"):
        until = f"{version.valid_to:%d %b %Y}" if version.valid_to else "now"
        print(
            f"   {version.value:8} true {version.valid_from:%d %b %Y} to {until:12} ({version.status})",
            file=out,
        )


def _time_travel(memory: Memory, clock: _Clock, out: TextIO) -> None:
    _title(out, "3. Ask as of a time")
    for days in (45, 0):
        at = clock.at - timedelta(days=days)
        (found,) = memory.list(Filter(keys=("city",)), as_of=at).items
        print(f"   on {at:%d %b %Y}: {found.text}", file=out)


def _upkeep(memory: Memory, folder: Path, out: TextIO) -> None:
    _title(out, "4. Everything can be exported, checked and erased for good")
    moved = memory.transfers.export(folder / "everything.jsonl")
    print("   exported: " + ", ".join(f"{n} {name}" for name, n in moved.moved.items()), file=out)
    sound = all(finding.ok for finding in memory.doctor())
    print(f"   doctor: {'every check passed' if sound else 'something is wrong'}", file=out)
    gone = memory.erase(user="alex")
    print("   erased: " + ", ".join(f"{n} {table}" for table, n in gone.removed.items()), file=out)
    print("\nThat was recollect, with no LLM and no network.", file=out)


def _title(out: TextIO, text: str) -> None:
    print(f"\n{text}", file=out)

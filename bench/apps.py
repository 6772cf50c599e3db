"""Many apps at their cap, conversations of all of them ending at once: `python bench/apps.py`.

Every app is filled to its cap, then one conversation of each ends, with several workers at a time. Checked is
that every app is at its cap and tells of nothing but itself; measured is how long retrieval takes after that.
"""

from __future__ import annotations

import argparse
import random
import re
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from common import postgres, table, texts
from recollect import Memory, NewMessage, Record
from recollect.model.conversation import Trust
from recollect.model.ids import ids_from
from recollect.model.record import Kind
from recollect.models.fakes import HashEmbedder
from recollect.store import memories

CAP = 10


def fill(memory: Memory, apps: int) -> None:
    """Register apps and give each as many memories of 200 characters as it may have."""
    told = texts(apps * CAP)
    now = datetime.now(UTC)
    ids = ids_from(now, apps * CAP)
    for i in range(apps):
        memory.apps.register(f"app{i}", name=f"App {i}")
    records = [
        Record(
            id=ids[n],
            space=f"app:app{n // CAP}",
            kind=Kind.NOTE,
            category="session",
            text=f"Zebra{n // CAP}x: {text}. {told[-n]}."[:200],
            brief=text[:40],
            trust=Trust.USER,
            recorded_at=now,
            valid_from=now,
        )
        for n, text in enumerate(told)
    ]
    for start in range(0, len(records), 1_000):
        memory._scope.write(partial(memories.insert, records=records[start : start + 1_000]))


def end_all(memory: Memory, apps: int, threads: int) -> float:
    """One conversation of every app ends; the seconds until all memories are made."""

    def use(i: int) -> None:
        view = memory.view(f"app:app{i}")
        chat = view.conversations.start().id
        said = [
            NewMessage(text=f"We decided to use Python in Zebra{i}x."),
            NewMessage(text="I live in Berlin."),
        ]
        view.add_many(said, conversation=chat)
        view.conversations.end(chat)
        memory.jobs.run()

    started = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(use, range(apps)))
    memory.jobs.run()
    return time.perf_counter() - started


def check(memory: Memory, apps: int) -> str:
    """Whether every app is at its cap and tells of itself alone."""
    for i in range(apps):
        found = memory.apps.memories(f"app{i}")
        strange = set(re.findall(r"Zebra\d+x", str(found))) - {f"Zebra{i}x"}
        if len(found) != CAP or strange or "Python" not in str(found):
            return f"app{i}: {len(found)} memories, {strange or 'none'} of others"
    return "all at their cap, none tells of another"


def milliseconds(clock: Callable[[], float], calls: Sequence[Callable[[], object]]) -> list[str]:
    """p50 and p95 of some calls, in milliseconds."""
    took = []
    for call in calls:
        started = clock()
        call()
        took.append(1_000 * (clock() - started))
    took.sort()
    return [f"{took[len(took) // 2]:.2f}", f"{took[int(len(took) * 0.95)]:.2f}"]


def measure(where: str, options: argparse.Namespace) -> list[list[str]]:
    """The rows of one database."""
    apps, clock = options.apps, time.thread_time if options.cpu else time.perf_counter
    name = where.partition(":")[0] if "://" in where else "sqlite"
    with Memory(where, embedder=HashEmbedder(), background=False) as memory:
        fill(memory, apps)
        seconds = end_all(memory, apps, options.threads)
        chance = random.Random(7)
        chosen = [f"app{chance.randrange(apps)}" for _ in range(options.calls)]
        head = [name, f"{apps:,}", f"{apps / seconds:.1f}", check(memory, apps)]
        return [
            [*head, "memories", *milliseconds(clock, [partial(memory.apps.memories, app) for app in chosen])],
            [*head, "context", *milliseconds(clock, [partial(memory.apps.context, app) for app in chosen])],
        ]


def main() -> None:
    """A row for each database and verb."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--apps", type=int, default=1_000)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--calls", type=int, default=2_000)
    parser.add_argument("--cpu", action="store_true", help="CPU time of the thread, not the clock's")
    parser.add_argument("--postgres", action="store_true", help="also on a PostgreSQL of its own")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = measure(str(Path(folder) / "m.db"), options)
    if options.postgres:
        with postgres() as url:
            rows += measure(url, options)
    columns = ("database", "apps", "conversations kept a second", "checked", "verb", "p50 ms", "p95 ms")
    table(columns, rows)


if __name__ == "__main__":
    main()

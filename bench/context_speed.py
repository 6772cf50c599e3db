"""What assembling a context costs beyond the recall it calls: `python bench/context_speed.py`.

A store of generated memories on SQLite, with their vectors; each query is assembled into 8,000 tokens, and
the time that passes inside its recalls is taken off (`tiers` makes several). Then it is asked again, as the
next turn of a talk often shows the same memories: their tokens are counted already. Before each, a plain
recall of ten is taken as the baseline: the machine may be slower in one run than in another.
With `--cpu` the calling thread's CPU time is taken instead of the clock's: for a machine that is busy.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from common import table, texts
from recollect import Memory, Record
from recollect.context import gather
from recollect.ingest.embed import embed_pending
from recollect.model.conversation import Trust
from recollect.model.ids import ids_from
from recollect.model.record import Kind
from recollect.model.space import Space
from recollect.models import registry
from recollect.store import memories, spaces

NOW = datetime(2026, 1, 1, tzinfo=UTC)
T = TypeVar("T")


def fill(memory: Memory, count: int) -> list[str]:
    """Store generated memories, a few of them standing ones."""
    told = texts(count)
    ids = ids_from(NOW, count)
    kinds = [Kind.NOTE, Kind.FACT, Kind.DECISION]
    records = [
        Record(
            id=ids[i],
            space="user:alex",
            kind=Kind.INSTRUCTION if i % (count // 20 or 1) == 0 else kinds[i % 3],
            text=text,
            trust=Trust.USER,
            recorded_at=NOW,
            valid_from=NOW,
        )
        for i, text in enumerate(told)
    ]
    memory._scope.write(lambda tx: spaces.create(tx, Space(path="user:alex", created_at=NOW)))
    for start in range(0, count, 10_000):
        some = records[start : start + 10_000]
        memory._scope.write(lambda tx, some=some: memories.insert(tx, some))  # type: ignore[misc]
    embed_pending(memory._scope, registry.embedder(registry.LIGHT_EMBEDDER))
    return told


def timed(clock: Callable[[], float], work: Callable[[], T]) -> tuple[float, T]:
    """Milliseconds of one call, and what it gave."""
    started = clock()
    found = work()
    return 1000 * (clock() - started), found


def shown(times: list[float]) -> str:
    """The median, and the best tenth: where they are far apart, the machine was busy with others' work."""
    return f"{statistics.median(times):.1f} ({statistics.quantiles(times, n=10)[0]:.1f})"


class Recalls:
    """Stands before the recall that contexts call, and adds up how long it takes."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.ms, self._clock, self._recall = 0.0, clock, gather.recall
        gather.recall = self  # type: ignore[assignment]

    def __call__(self, *given: Any, **named: Any) -> Any:
        """Recall, timed."""
        took, found = timed(self._clock, partial(self._recall, *given, **named))
        self.ms += took
        return found


def main() -> None:
    """A row for each layout."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=60)
    parser.add_argument("--budget", type=int, default=8_000)
    parser.add_argument("--cpu", action="store_true", help="CPU time of the thread, not the clock's")
    options = parser.parse_args()
    clock = time.thread_time if options.cpu else time.perf_counter
    rows = []
    with (
        tempfile.TemporaryDirectory() as folder,
        Memory(
            Path(folder) / "m.db",
            view="user:alex",
            embedder=registry.LIGHT_EMBEDDER,
            clock=lambda: NOW,
            background=False,
        ) as memory,
    ):
        told = fill(memory, options.size)
        queries = [
            " ".join(sorted(sorted(set(told[i * 997 % len(told)].split())), key=len)[-4:])
            for i in range(options.queries)
        ]
        recalls = Recalls(clock)
        for query in queries[:3]:
            memory.context(query, budget=options.budget)
        for layout in ("chat", "tiers", "profile", "app"):
            plain, recalled, beyond, again, tokens = [], [], [], [], []
            for query in queries:
                plain.append(timed(clock, partial(memory.recall, query))[0])
                work = partial(memory.context, query, layout=layout, budget=options.budget)
                recalls.ms = 0.0
                whole, made = timed(clock, work)
                recalled.append(recalls.ms)
                beyond.append(whole - recalls.ms)
                tokens.append(made.tokens)
                recalls.ms = 0.0
                again.append(timed(clock, work)[0] - recalls.ms)
            rows.append(
                (layout, *map(shown, (plain, recalled, beyond, again)), f"{statistics.mean(tokens):.0f}"),
            )
    print(f"{options.size:,} memories, {options.budget:,} tokens, p50 (p10) in ms\n")
    table(("layout", "a recall of ten", "its recalls", "beyond them", "asked again", "tokens"), rows)


if __name__ == "__main__":
    main()

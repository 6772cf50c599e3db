"""How fast `recall` is on a real store, as a user calls it: `python bench/recall_store.py`.

Everything counts: parsing, the query's embedding, candidates, ranking, reading the hits from the database.
Baseline of the same run: one FTS5 query for the same words on the same SQLite file.
"""

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from common import postgres, table, texts
from plot import growth
from recollect import Memory, NewMessage
from recollect.models import registry
from recollect.store import texts as words

SPACE = "user:me"


def main() -> None:
    """Measure each size on SQLite, and the smaller ones on PostgreSQL."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--sizes", default="1000,10000,100000")
    arguments.add_argument("--postgres", default="1000,10000", help="sizes on PostgreSQL; empty for none")
    arguments.add_argument("--queries", type=int, default=200)
    arguments.add_argument("--plot", type=Path, help="write how the cost grows as an SVG file")
    given = arguments.parse_args()
    rows: list[tuple[str, ...]] = []
    for size in map(int, given.sizes.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            rows += measured("SQLite", str(Path(folder) / "m.db"), size, given.queries)
    for size in map(int, filter(None, given.postgres.split(","))):
        with postgres() as url:
            rows += measured("PostgreSQL", url, size, given.queries)
    table(("database", "messages", "what", "p50 ms", "p95 ms", "p99 ms"), rows)
    if given.plot:
        series: dict[str, list[tuple[float, float]]] = {}
        for name, size_, what, p50, *_ in rows:
            series.setdefault(f"{name}: {what}", []).append((float(size_.replace(",", "")), float(p50)))
        growth(given.plot, "What a recall costs", ("messages in the space", "p50 in ms"), series)


def measured(name: str, where: str, size: int, queries: int) -> list[tuple[str, ...]]:
    """Warm with one and eight threads, cold from the shell, and the baseline."""
    fill(where, size)
    asked = [" ".join(random.Random(i).sample(t.split(), 4)) for i, t in enumerate(texts(queries, seed=9))]
    rows = []
    with Memory(where, embedder=registry.LIGHT_EMBEDDER, background=False) as memory:
        for text in asked[:10]:
            memory.recall(text)
        rows.append((name, f"{size:,}", "recall, warm", *spread(timed(memory.recall, asked))))
        with ThreadPoolExecutor(8) as threads:
            at_once = list(threads.map(lambda text: timed(memory.recall, [text])[0], asked))
        rows.append((name, f"{size:,}", "recall, 8 threads at once", *spread(at_once)))
        rows.append(
            (name, f"{size:,}", "one more message, then recall", *spread(timed(followed(memory), asked)))
        )
        if name == "SQLite":
            scope = memory._scope

            def plain(text: str) -> object:
                return scope.read(lambda tx: words.search(tx, "message", [SPACE], text, 10))

            rows.append((name, f"{size:,}", "baseline: FTS5 alone", *spread(timed(plain, asked))))
    if name == "SQLite":
        rows.append((name, f"{size:,}", "`recollect recall`, cold", *spread([cold(where) for _ in range(5)])))
    return rows


def followed(memory: Memory) -> Callable[[str], object]:
    """Add a message and recall: what it costs the index to follow one change."""

    def work(text: str) -> object:
        memory.add(text)
        return memory.recall(text)

    return work


def fill(where: str, size: int) -> None:
    """Conversations of a thousand turns, with the vectors of the bundled embedder."""
    from recollect.ingest.embed import embed_pending

    said = texts(size)
    with Memory(where, embedder=registry.LIGHT_EMBEDDER, background=False) as memory:
        for first in range(0, size, 1_000):
            chat = memory.conversations.start()
            turns = [NewMessage(text=text) for text in said[first : first + 1_000]]
            memory.add_many(turns, conversation=chat.id)
        embed_pending(memory._scope, registry.embedder(registry.LIGHT_EMBEDDER))
        memory.recall("anything")


def cold(where: str) -> float:
    """A new process that opens the file and answers; seconds as the shell sees them."""
    program = str(Path(sys.executable).with_name("recollect"))
    command = [program, "recall", "some words", "--db", where, "--later"]
    started = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - started


def timed(work: Callable[[str], object], asked: Sequence[str]) -> list[float]:
    """Seconds of each call."""
    times = []
    for text in asked:
        started = time.perf_counter()
        work(text)
        times.append(time.perf_counter() - started)
    return times


def spread(seconds: Sequence[float]) -> tuple[str, str, str]:
    """p50, p95 and p99 in milliseconds."""
    ordered = sorted(seconds)

    def at(share: float) -> str:
        return f"{ordered[min(int(len(ordered) * share), len(ordered) - 1)] * 1000:.1f}"

    return at(0.5), at(0.95), at(0.99)


if __name__ == "__main__":
    main()

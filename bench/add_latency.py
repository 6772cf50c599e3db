"""How long `add` takes beyond the commit itself: `python bench/add_latency.py`.

For a memory that already holds 1, 1,000 and 100,000 messages, the p50 and p95 of single adds while no
worker runs; beside it the smallest durable commit on the same disk, measured in between.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from common import table, texts
from recollect import Memory, NewMessage
from recollect.store.sqlite import driver


def main() -> None:
    """Measure at each size, adding up to the next."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--sizes", type=int, nargs="+", default=[1, 1_000, 100_000])
    arguments.add_argument("--adds", type=int, default=300, help="single adds measured at each size")
    given = arguments.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        bare = bare_commit(Path(folder) / "bare.db")
        with Memory(Path(folder) / "memory.db", embedder="static:recollect-256", background=False) as memory:
            for size in given.sizes:
                grow(memory, size)
                said = iter(texts(given.adds, seed=size))
                commits, adds = interleaved(given.adds, bare, lambda said=said: memory.add(next(said)))
                rows.append((f"{size:,}", *told(commits), *told(adds), told_difference(commits, adds)))
    columns = ("stored", "commit p50", "commit p95", "add p50", "add p95", "p95 beyond the commit")
    table(columns, rows)
    print("\nMilliseconds. The commit is one row into a bare table of the same driver and durability.")


def grow(memory: Memory, size: int) -> None:
    """Add messages in bulk until there are so many."""
    missing = size - memory.stats().messages
    for start in range(0, missing, 10_000):
        many = min(10_000, missing - start)
        memory.add_many([NewMessage(text=text) for text in texts(many, seed=start)])


def bare_commit(path: Path) -> Callable[[], object]:
    """The smallest durable commit."""
    connection = driver().connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE bare (id INTEGER PRIMARY KEY, body TEXT)")
    return lambda: connection.execute("INSERT INTO bare (body) VALUES ('a short message')")


def interleaved(
    count: int, first: Callable[[], object], second: Callable[[], object]
) -> tuple[list[float], list[float]]:
    """The times of two things done in turn, so that both see the same machine."""
    return tuple(zip(*((timed(first), timed(second)) for _ in range(count)), strict=True))  # type: ignore[return-value]


def timed(work: Callable[[], object]) -> float:
    """Milliseconds that something takes."""
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1_000


def told(times: Iterable[float]) -> tuple[str, str]:
    """p50 and p95."""
    cuts = statistics.quantiles(times, n=20)
    return f"{cuts[9]:.2f}", f"{cuts[18]:.2f}"


def told_difference(commits: Iterable[float], adds: Iterable[float]) -> str:
    """How much more an add takes than the commit at the 95th of a hundred."""
    return f"{statistics.quantiles(adds, n=20)[18] - statistics.quantiles(commits, n=20)[18]:.2f}"


if __name__ == "__main__":
    main()

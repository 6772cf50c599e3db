"""How fast messages are stored, and how much room they take: `python bench/writes.py`.

Baselines of the same run: the smallest possible durable commit (one row in a bare table of the same
database, same settings) for one by one, and a bare `executemany` of the same texts for bulk.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from common import postgres, table, texts
from recollect import Memory, NewMessage
from recollect.ingest.embed import embed_pending
from recollect.models import registry
from recollect.store.sqlite import driver


def main() -> None:
    """Measure on SQLite and, unless told otherwise, on PostgreSQL."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--count", type=int, default=20_000, help="messages in bulk")
    arguments.add_argument("--single", type=int, default=500, help="messages one by one")
    arguments.add_argument("--no-postgres", action="store_true")
    given = arguments.parse_args()
    rows: list[tuple[str, ...]] = []
    with tempfile.TemporaryDirectory() as folder:
        rows += measured("SQLite", str(Path(folder) / "m.db"), given.count, given.single)
        rows += bare_sqlite(Path(folder) / "bare.db", given.count, given.single)
    if not given.no_postgres:
        with postgres() as url:
            rows += measured("PostgreSQL", url, given.count, given.single)
            rows += bare_postgres(url, given.single)
    table(("database", "what", "per second", "ms each"), rows)


def measured(name: str, where: str, count: int, single: int) -> list[tuple[str, ...]]:
    """Bulk and single writes into one memory, then the embedding of all of it."""
    rows = []
    bulk = [NewMessage(text=text) for text in texts(count)]
    with Memory(where, embedder=registry.LIGHT_EMBEDDER, background=False) as memory:
        memory.add_many(bulk[:100])
        before = memory.stats().bytes
        rows.append((name, "bulk, without vectors", *rate(count, lambda: memory.add_many(bulk))))
        grown = memory.stats().bytes - before
        said = texts(single, seed=2)
        one_by_one = rate(single, lambda: [memory.add(text) for text in said])
        rows.append((name, "one by one, without vectors", *one_by_one))
        todo = count + single + 100
        embedder = registry.embedder(registry.LIGHT_EMBEDDER)
        embedded = rate(todo, lambda: embed_pending(memory._scope, embedder))
        rows.append((name, "vectors by the bundled embedder", *embedded))
        with_vectors = memory.stats().bytes - before
        average = sum(len(text.text) for text in bulk) / count
        rows.append((name, f"bytes per message of {average:.0f} characters", f"{grown / count:.0f} B", ""))
        rows.append((name, "the same with its vector", f"{with_vectors / todo:.0f} B", ""))
    return rows


def rate(count: int, work: Callable[[], object]) -> tuple[str, str]:
    """Per second and milliseconds each."""
    started = time.perf_counter()
    work()
    took = time.perf_counter() - started
    return f"{count / took:,.0f}", f"{took / count * 1000:.3f}"


def bare_sqlite(path: Path, count: int, single: int) -> list[tuple[str, ...]]:
    """The baseline: the same driver and durability, one bare table."""
    connection = driver().connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE bare (id INTEGER PRIMARY KEY, body TEXT)")
    said = [(text,) for text in texts(count)]
    insert = "INSERT INTO bare (body) VALUES (?)"

    def bulk() -> None:
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany(insert, said)
        connection.execute("COMMIT")

    def one_by_one() -> None:
        for row in said[:single]:
            connection.execute(insert, row)

    bulk_rate, single_rate = rate(count, bulk), rate(single, one_by_one)
    connection.close()
    return [
        ("SQLite", "baseline: bulk into a bare table", *bulk_rate),
        ("SQLite", "baseline: smallest durable commit", *single_rate),
    ]


def bare_postgres(url: str, single: int) -> list[tuple[str, ...]]:
    """The baseline on PostgreSQL."""
    import psycopg

    said = texts(single)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE bare (id BIGINT GENERATED ALWAYS AS IDENTITY, body TEXT)")
        insert = "INSERT INTO bare (body) VALUES (%s)"
        timed = rate(single, lambda: [connection.execute(insert, (text,)) for text in said])
    return [("PostgreSQL", "baseline: smallest durable commit", *timed)]


if __name__ == "__main__":
    main()

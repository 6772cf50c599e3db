"""What looking for contradictions costs by size: `python bench/contradictions_speed.py [--sizes 1000 10000]`.

A space is filled with made-up statements, of which some contradict each other; one scan of everything
is measured.
"""

import argparse
import random
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from common import table, texts
from recollect import Kind, Memory, Record, Trust
from recollect.model.ids import ids_from
from recollect.model.space import Space
from recollect.store import memories, spaces
from recollect.upkeep.contradictions import scan_all

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def statements(count: int) -> list[str]:
    """Short statements with words as rare and as common as in real language; one in fifty denies another."""
    chance = random.Random(7)
    made = [f"The {' '.join(text.split()[:6])} uses {text.split()[-1]}" for text in texts(count)]
    for i in range(50, count, 50):
        made[i] = made[chance.randrange(i)].replace(" uses ", " no longer uses ")
    return made


def filled(memory: Memory, made: Sequence[str]) -> None:
    """All statements, in bulk and without their follow-up work."""
    for start in range(0, len(made), 5_000):
        some = made[start : start + 5_000]
        records = [
            Record(
                id=id,
                space="bench:all",
                kind=Kind.FACT,
                text=text,
                trust=Trust.USER,
                recorded_at=NOW,
                valid_from=NOW,
            )
            for id, text in zip(ids_from(NOW, len(some)), some, strict=True)
        ]

        def work(tx, records=records):  # type: ignore[no-untyped-def]
            spaces.create(tx, Space(path="bench:all", created_at=NOW))
            memories.insert(tx, records)

        memory._scope.write(work)


def main() -> None:
    """Measure at every size."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    rows = []
    for size in parser.parse_args().sizes:
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / "bench.db"
            with Memory(place, view="bench:all", embedder="static:recollect-256", background=False) as memory:
                filled(memory, statements(size))
                started, used = time.perf_counter(), time.process_time()
                found = scan_all(memory._scope)
                spent, cpu = time.perf_counter() - started, time.process_time() - used
        cells = (
            f"{size:,}",
            f"{found:,}",
            f"{spent:.1f}",
            f"{cpu:.1f}",
            f"{1000 * cpu / size:.2f}",
        )
        rows.append(cells)
    table(("memories", "found", "seconds", "of processor", "ms a memory"), rows)


if __name__ == "__main__":
    main()

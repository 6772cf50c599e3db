"""How long upkeep takes, by size: `python bench/upkeep_speed.py`.

Each size is a fresh SQLite file in a process of its own, so that its peak memory is its own: statements of a
year with near-duplicates, facts that were superseded, episodes, uses and vectors. Three times are taken: a
first run over everything, a second one that finds little to do, and the undo of the first.
"""

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

from common import table
from recollect import Episode, EpisodeType, Kind, Link, LinkType, Memory, Record, Source, SourceKind, Status
from recollect.model.conversation import Trust
from recollect.model.ids import ids_from
from recollect.models.registry import LIGHT_EMBEDDER
from recollect.store import links, memories, usage
from recollect.text.levels import levels

T = TypeVar("T")
NOW = datetime(2026, 6, 1, 3, tzinfo=UTC)
PEOPLE = "Alice Bob Chen Dora Emil Fatima Goran Hana Ivan Jana".split()
VERBS = "likes owns builds repairs sells paints studies collects teaches plans".split()
LETTERS = "bcdfglmnprstvz"


def main() -> None:
    """Measure each size, and print a table."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--sizes", default="100,1000,10000,100000")
    arguments.add_argument("--one", type=int, help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.one:
        print(json.dumps(measured(given.one)))
        return
    rows = []
    for size in map(int, given.sizes.split(",")):
        command = [sys.executable, __file__, "--one", str(size)]
        found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        rows.append(tuple(str(found[column]) for column in COLUMNS))
    table(COLUMNS, rows)


COLUMNS = ("memories", "first run s", "of it CPU s", "second run s", "undo s", "peak MB", "changed")


def measured(size: int) -> dict[str, object]:
    """One size: seconds of each, peak memory in MB, and what the first run changed."""
    now = NOW

    def clock() -> datetime:
        return now

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.db"
        with Memory(path, embedder=LIGHT_EMBEDDER, clock=clock, background=False) as memory:
            fill(memory, size)
            small = memory.view("user:warm")
            for text in ("something to start with", "something to start with", "and one more"):
                small.remember(text)
            memory.jobs.run()
            small.upkeep()
            spent = time.process_time()
            first, report = timed(memory.upkeep)
            spent = time.process_time() - spent
            second, later = timed(memory.upkeep)
            memory.upkeep.undo(later.run or "")
            undo, _ = timed(lambda: memory.upkeep.undo(report.run or ""))
            counts = {name: n for name, n in report.counts.items() if n}
    return {
        "memories": f"{size:,}",
        "first run s": f"{first:.2f}",
        "of it CPU s": f"{spent:.2f}",
        "second run s": f"{second:.2f}",
        "undo s": f"{undo:.2f}",
        "peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "changed": ", ".join(f"{n:,} {name.replace('_', ' ')}" for name, n in counts.items()),
    }


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """Seconds, and what it gave."""
    started = time.perf_counter()
    result = work()
    return time.perf_counter() - started, result


def fill(memory: Memory, size: int) -> None:
    """A year of memories in one space, written straight to the tables, with vectors."""
    memory.remember("the first one, so that the space is there")
    chance = random.Random(size)
    words = [
        "".join(chance.choices(LETTERS, k=1)) + "".join(chance.choices("aeiou" + LETTERS, k=6))
        for _ in range(8_000)
    ]
    records: list[Record] = []
    made: list[Link] = []
    for number in range(size):
        at = NOW - timedelta(days=365 * (1 - number / size))
        if records and chance.random() < 0.1:
            text = chance.choice(records[-500:]).text + "."
        else:
            object_ = " ".join(chance.choices(words, k=chance.randint(2, 4)))
            place = " ".join(chance.choices(words, k=chance.randint(1, 9)))
            text = f"{chance.choice(PEOPLE)} {chance.choice(VERBS)} {object_} in the {place}"
        records.append(_record(chance, number, at, text, made, records))
    for start in range(0, size, 2_000):
        batch = records[start : start + 2_000]
        memory._scope.write(lambda tx, batch=batch: memories.insert(tx, batch))
    memory._scope.write(lambda tx: links.put(tx, made))
    used = [r.id for r in chance.sample(records, size // 5)]
    memory._scope.write(lambda tx: usage.count(tx, used, "cited", NOW - timedelta(days=40)))
    memory.remember("the last one, so that they are embedded")
    memory.jobs.run()


def _record(
    chance: random.Random, number: int, at: datetime, text: str, made: list[Link], earlier: list[Record]
) -> Record:
    sizes = levels(text)
    record = Record(
        id=ids_from(at, 1)[0],
        space="user:me",
        kind=Kind.FACT,
        text=text,
        summary=sizes.summary,
        brief=sizes.brief,
        tag=sizes.tag,
        trust=Trust.USER,
        recorded_at=at,
        valid_from=at,
        importance=chance.choice((0.2, 0.3, 0.5, 0.5, 0.8)),
        made_by="bench",
        sources=(Source(SourceKind.MESSAGE, ids_from(at, 2)[1]),),
    )
    if chance.random() < 0.05 and earlier:
        made.append(Link(source=earlier[-1].id, target=record.id, type=LinkType.SUPERSEDES, created_at=at))
        return replace(record, status=Status.SUPERSEDED, valid_to=at)
    if chance.random() < 0.02:
        turn = number % 40
        told = Episode(
            type=EpisodeType.PIVOT,
            title=text[:20],
            conversation=f"c{number // 400}",
            first_turn=turn,
            last_turn=turn + 3,
        )
        return replace(record, kind=Kind.EPISODE, episode=told)
    return record


if __name__ == "__main__":
    main()

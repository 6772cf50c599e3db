"""What upkeep lets go in a simulated year, and what of that was needed again: `python bench/forgetting.py`.

Memories are made every day and needed again at intervals with a heavy tail: most soon, some after many
months, half of them never. Upkeep runs every night on them, the same code as on a store. A need is *missed*
when the memory is forgotten, or archived and so not found without asking for archived ones. Everything is
seeded. The sweep shows the price of letting more go; it is drawn into docs/pictures/forgetting.svg.
"""

import argparse
import heapq
import random
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from common import table
from recollect import Episode, EpisodeType, Kind, Link, LinkType, Record, Source, SourceKind, Status
from recollect.model.conversation import Trust
from recollect.model.ids import derived_id
from recollect.upkeep.compress import compress
from recollect.upkeep.episodes import cap_episodes
from recollect.upkeep.forget import forget
from recollect.upkeep.options import UpkeepOptions
from recollect.upkeep.rank import rank
from recollect.upkeep.shelf import Shelf

START = datetime(2025, 1, 1, tzinfo=UTC)
YEAR = 365
TAILS = (0.8, 0.5)
"""Exponents of the intervals: of one in 40, or in 10, of them the length is over a hundred days."""
SILENT = timedelta(days=10_000)
PICTURE = Path(__file__).parent.parent / "docs" / "pictures" / "forgetting.svg"
ARCHIVE = (0.0, 0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.2, 0.3)


@dataclass(slots=True)
class Outcome:
    """What a year came to."""

    needs: int = 0
    archived: int = 0
    forgotten: int = 0
    made: int = 0
    awake: int = 0
    carried: int = 0
    whole: int = 0

    @property
    def missed(self) -> float:
        """The share of needs that were not met, in percent."""
        return 100 * (self.archived + self.forgotten) / max(self.needs, 1)

    @property
    def shrunk(self) -> float:
        """How much less of what was made is awake, in percent."""
        return 100 * (1 - self.awake / max(self.made, 1))


@dataclass(slots=True)
class Year:
    """One simulated year of one space."""

    options: UpkeepOptions
    seed: int
    a_day: int
    every: int
    tail: float
    shelf: Shelf = field(init=False)
    out: Outcome = field(default_factory=Outcome)
    _chance: random.Random = field(init=False)
    _needs: list[tuple[datetime, str]] = field(default_factory=list)
    _facts: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._chance = random.Random(self.seed)
        self.shelf = Shelf(space="user:sim", now=START, records={})

    def run(self) -> Outcome:
        """Live through the year."""
        for day in range(YEAR):
            self.shelf.now = START + timedelta(days=day)
            for number in range(self.a_day):
                self._make(day, number)
            while self._needs and self._needs[0][0] <= self.shelf.now:
                self._need(heapq.heappop(self._needs)[1])
            if day % self.every == 0:
                for step in (compress, rank, forget, cap_episodes):
                    list(self.shelf.do(list(step(self.shelf, self.options))))
        believed = self.shelf.of(Status.ACTIVE)
        self.out.made = len(self.shelf.records)
        self.out.awake = len(believed)
        self.out.carried = sum(len(r.at(r.usage.carried)) for r in believed)
        self.out.whole = sum(len(r.text) for r in self.shelf.records.values())
        return self.out

    def _make(self, day: int, number: int) -> None:
        chance, now = self._chance, self.shelf.now
        id = derived_id(now, str(self.seed), str(day), str(number))
        said = (Source(SourceKind.MESSAGE, derived_id(now, id)),)
        record = Record(
            id=id,
            space="user:sim",
            kind=Kind.FACT,
            text="x" * chance.choice((60, 90, 160, 400)),
            summary="x" * 60,
            brief="x" * 25,
            trust=Trust.USER,
            recorded_at=now,
            valid_from=now,
            importance=chance.choices((0.2, 0.4, 0.5, 0.7, 0.9), (20, 20, 35, 15, 10))[0],
            subject=chance.choice((None, None, f"person {chance.randint(1, 60)}")),
            sources=said,
        )
        sort = chance.random()
        if sort < 0.2:
            record = self._fact(record)
        elif sort < 0.3:
            record = replace(record, kind=Kind.NOTE, sources=())
        elif sort < 0.4:
            told = Episode(
                type=EpisodeType.TASK_COMPLETED, title="x", conversation=f"{day}", first_turn=number
            )
            record = replace(record, kind=Kind.EPISODE, episode=replace(told, last_turn=number))
        self.shelf.records[id] = record
        self._plan(id, 0.25 + 0.5 * record.importance)

    def _fact(self, record: Record) -> Record:
        """A value under a key; the one before it is superseded, and seldom asked for again."""
        key = f"key {self._chance.randint(1, 150)}"
        old = self._facts.get(key)
        self._facts[key] = record.id
        if old is not None:
            before = self.shelf.records[old]
            ended = replace(before, status=Status.SUPERSEDED, recorded_at=self.shelf.now)
            self.shelf.records[old] = ended
            self._needs = [need for need in self._needs if need[1] != old]
            heapq.heapify(self._needs)
            self._plan(old, 0.05)
            link = Link(source=record.id, target=old, type=LinkType.SUPERSEDES, created_at=self.shelf.now)
            self.shelf.links[link.source, link.target, str(link.type)] = link
            self.shelf._ends = None
        return replace(record, key=key, value=record.id, subject=None)

    def _plan(self, id: str, likely: float) -> None:
        """Whether it will be needed again, and when."""
        if self._chance.random() < likely:
            days = self._chance.paretovariate(self.tail)
            heapq.heappush(self._needs, (self.shelf.now + min(timedelta(days=min(days, 9_999)), SILENT), id))

    def _need(self, id: str) -> None:
        """It is needed now: found and used, or missed, looked for and used then."""
        record = self.shelf.records[id]
        self.out.needs += 1
        self.out.archived += record.status == Status.ARCHIVED
        self.out.forgotten += record.status == Status.FORGOTTEN
        used = replace(record.usage, cited=record.usage.cited + 1, last_used_at=self.shelf.now)
        self.shelf.records[id] = replace(record, usage=used)
        self._plan(id, 0.6 if record.status != Status.SUPERSEDED else 0.05)


def main() -> None:
    """The default in detail, then the sweep, then the picture."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--a-day", type=int, default=8, help="memories made a day")
    arguments.add_argument("--seeds", type=int, default=2)
    arguments.add_argument("--picture", type=Path, default=PICTURE)
    given = arguments.parse_args()

    def year(options: UpkeepOptions, every: int, tail: float = TAILS[0]) -> Outcome:
        total = Outcome()
        for seed in range(given.seeds):
            one = Year(options, seed, given.a_day, every, tail).run()
            for name in Outcome.__slots__:
                setattr(total, name, getattr(total, name) + getattr(one, name))
        return total

    chosen = UpkeepOptions()
    for tail in TAILS:
        out = year(chosen, 1, tail)
        print(f"Defaults, every night, tail {tail:g}: {out.made:,} memories, {out.needs:,} needs;")
        print(f"missed {out.missed:.2f} % ({out.forgotten} forgotten, {out.archived} archived),")
        print(f"{out.shrunk:.0f} % of all memories no longer awake,")
        print(f"contexts carry {100 * out.carried / out.whole:.0f} % of the characters of all memories\n")
    sweep = [(below, year(replace(chosen, archive_below=below), 7)) for below in ARCHIVE]
    caps = [(cap, year(replace(chosen, max_episodes=cap), 7)) for cap in (50, 100, 200, 500)]
    rows = [(f"archive below {below:g}", *_row(out)) for below, out in sweep]
    rows += [(f"at most {cap} episodes", *_row(out)) for cap, out in caps]
    table(("weekly, otherwise the defaults", "missed %", "no longer awake %"), rows)
    given.picture.parent.mkdir(parents=True, exist_ok=True)
    given.picture.write_text(drawn(sweep, chosen.archive_below), "utf-8")


def _row(out: Outcome) -> tuple[str, str]:
    return f"{out.missed:.2f}", f"{out.shrunk:.0f}"


def drawn(sweep: list[tuple[float, Outcome]], chosen: float) -> str:
    """The trade-off as a picture: how much sleeps against how much of it was needed."""
    wide, high, left, bottom = 640, 380, 60, 330
    most = max(1.5, *(out.missed for _, out in sweep)) * 1.1

    def at(out: Outcome) -> tuple[float, float]:
        return left + (wide - left - 30) * out.shrunk / 100, bottom - (bottom - 40) * out.missed / most

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" '
        'font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="{left}" y="22" font-size="14">Needed but missed, by how much of the store sleeps</text>',
        f'<path d="M{left} 40V{bottom}H{wide - 20}" fill="none" stroke="#444"/>',
    ]
    for share in range(0, 101, 20):
        x = left + (wide - left - 30) * share / 100
        parts.append(f'<text x="{x:.0f}" y="{bottom + 18}" text-anchor="middle">{share} %</text>')
    step = 1 if most < 8 else 5
    for percent in range(0, int(most) + 1, step):
        y = bottom - (bottom - 40) * percent / most
        parts.append(f'<path d="M{left} {y:.1f}H{wide - 20}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{percent} %</text>')
    parts.append(
        f'<text x="{wide / 2:.0f}" y="{bottom + 38}" text-anchor="middle">memories no longer awake</text>'
    )
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(out) for _, out in sweep))
    parts.append(f'<polyline points="{line}" fill="none" stroke="#1f6feb" stroke-width="2"/>')
    for below, out in sweep:
        x, y = at(out)
        fill = "#d1242f" if below == chosen else "#1f6feb"
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{fill}"/>')
        parts.append(f'<text x="{x - 6:.1f}" y="{y - 8:.1f}" text-anchor="end">{below:g}</text>')
    parts.append(
        f'<text x="{left + 10}" y="58" fill="#555">'
        "points: archive below this importance × decay; red: the default</text>"
    )
    return "\n".join([*parts, "</svg>", ""])


if __name__ == "__main__":
    main()

"""What a person did to a memory file since file and store last agreed. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from recollect.files.memory_md import Item
from recollect.model.document import LineRow, Owner
from recollect.model.record import Record
from recollect.store.codec import digest
from recollect.text.similarity import overlap

REWORDED = 0.4
"""From this overlap on, an unmarked line is taken for a vanished one that was reworded."""


@dataclass(frozen=True, slots=True)
class Pair:
    """An item of the file, the number of its block, and what was agreed on it."""

    number: int
    item: Item
    row: LineRow


@dataclass(slots=True)
class Compared:
    """Every item and every agreed line, sorted by what became of it."""

    same: list[Pair] = field(default_factory=list)
    changed: list[Pair] = field(default_factory=list)
    returned: list[Pair] = field(default_factory=list)
    added: list[tuple[int, Item]] = field(default_factory=list)
    deleted: list[LineRow] = field(default_factory=list)


def line_digest(item: Item) -> int:
    """What identifies what a line says, apart from where it stands."""
    return digest(ascii(item.text), item.significance, item.day)


def memory_digest(record: Record) -> int:
    """What identifies what a memory says in a file."""
    return digest(record.text, record.significance)


def compare(
    found: Sequence[tuple[int, Item]], rows: Mapping[str, LineRow], texts: Mapping[str, str]
) -> Compared:
    """Pair items with agreed lines: by their mark, else by the same words, else by similar ones.

    `texts` holds what the memories of the rows say, by memory.
    """
    compared, left = Compared(), dict(rows)
    unmarked: list[tuple[int, Item]] = []
    for number, item in found:
        row = left.pop(item.ref, None) if item.ref else None
        if row is None:
            unmarked.append((number, item))
        else:
            _sort(compared, Pair(number, item, row))
    by_words = {row.line_digest: row for row in left.values()}
    unknown: list[tuple[int, Item]] = []
    for number, item in unmarked:
        row = by_words.pop(line_digest(item), None)
        if row is None:
            unknown.append((number, item))
        else:
            del left[row.ref]
            _sort(compared, Pair(number, item, row))
    for number, item in unknown:
        row = _reworded(item, [r for r in left.values() if r.owner != Owner.GONE], texts)
        if row is None:
            compared.added.append((number, item))
        else:
            del left[row.ref]
            compared.changed.append(Pair(number, item, row))
    compared.deleted = [row for row in left.values() if row.owner != Owner.GONE]
    return compared


def _sort(compared: Compared, pair: Pair) -> None:
    if line_digest(pair.item) != pair.row.line_digest:
        compared.changed.append(pair)
    elif pair.row.owner == Owner.GONE:
        compared.returned.append(pair)
    else:
        compared.same.append(pair)


def _reworded(item: Item, vanished: Sequence[LineRow], texts: Mapping[str, str]) -> LineRow | None:
    """The vanished line that an item is most like, if it is like one at all."""
    scored = [(overlap(item.text, texts.get(row.memory, "")), row.ref, row) for row in vanished]
    best = max(scored, default=(0.0, "", None))
    return best[2] if best[0] >= REWORDED else None

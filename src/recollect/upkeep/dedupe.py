"""Dedupe: of memories that say the same, one is kept.

Alike is not enough. Two statements must reach the likeness of the design (0.92, by their vectors or by
their words) and differ in nothing that matters: see text/sameness.py. They must also be of one sort, about
one subject, of one value, and at one time where they tell of a time.
"""

from collections.abc import Collection, Iterable, Iterator
from datetime import timedelta

from recollect.ingest.rules.reconcile import same_value
from recollect.model.ids import made_at
from recollect.model.record import SESSION, Kind, Record
from recollect.text.sameness import alikeness, says_the_same
from recollect.upkeep.absorb import absorb, united
from recollect.upkeep.deeds import Deed
from recollect.upkeep.neighbours import MOST_READ, Near
from recollect.upkeep.options import UpkeepOptions
from recollect.upkeep.shelf import Shelf

_STATEMENTS = (Kind.FACT, Kind.NOTE, Kind.IDENTITY, Kind.ENTITY)
_EVENTS = (Kind.EPISODE, Kind.ERROR)
_SAME_TIME = timedelta(days=1)


def dedupe(shelf: Shelf, options: UpkeepOptions, among: Collection[str] | None = None) -> Iterator[Deed]:
    """Let the best of every group of equal statements absorb the others.

    With `among`, only where one of the two is among these.
    """
    near = shelf.near()

    def equal(a: str, b: str) -> bool:
        if among is not None and a not in among and b not in among:
            return False
        return same(shelf.records[a], shelf.records[b], near, options.similar)

    close = {pair for pair, cosine in near.by_meaning.items() if cosine >= options.similar}
    pairs = [pair for pair in sorted(close.union(near.by_words)) if equal(*pair)]
    for group in _groups(pairs):
        waiting = sorted((shelf.records[id] for id in group), key=_preference)
        while len(waiting) > 1:
            survivor, *rest = waiting
            others = [r for r in rest if equal(survivor.id, r.id)]
            waiting = [r for r in rest if r not in others]
            if others:
                yield absorb(shelf, survivor, others, united(survivor, others), "deduped")


def same(a: Record, b: Record, near: Near, similar: float) -> bool:
    """Whether one of two memories can speak for both."""
    if (a.status, _fold(a.subject)) != (b.status, _fold(b.subject)) or Kind.EPISODE in (a.kind, b.kind):
        return False
    if a.kind != b.kind and not (a.kind in _STATEMENTS and b.kind in _STATEMENTS):
        return False
    if not (_same_key(a, b) and _same_time(a, b)) or SESSION in (a.category, b.category):
        return False
    if len(a.text) > MOST_READ or len(b.text) > MOST_READ:
        return a.text == b.text
    one, two = near.readings[a.id], near.readings[b.id]
    likeness = max(alikeness(one, two), near.cosine(a.id, b.id))
    return likeness >= similar and says_the_same(one, two)


def _same_key(a: Record, b: Record) -> bool:
    if bool(a.metadata.get("negated")) != bool(b.metadata.get("negated")):
        return False
    if a.key is None or b.key is None:
        return True
    return a.key == b.key and a.category == b.category and same_value(a.value or "", b.value or "")


def _same_time(a: Record, b: Record) -> bool:
    if a.valid_to != b.valid_to:
        return False
    if not _tells_a_time(a) and not _tells_a_time(b):
        return True
    return a.valid_from.date() == b.valid_from.date()


def _tells_a_time(r: Record) -> bool:
    """Whether since when it is true was stated, rather than being when it was said."""
    stated = r.made_by is None and abs(r.valid_from - made_at(r.id)) > _SAME_TIME
    return stated or r.kind in _EVENTS or "said_at" in r.metadata


def _preference(r: Record) -> tuple[bool, int, bool, int, float, str]:
    """The best first: pinned, trusted, keyed, telling more, surer, older."""
    return not r.pinned, -r.trust.rank, r.key is None, -len(r.text.split()), -r.confidence, r.id


def _groups(pairs: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Memories that hang together by pairs, each group and all groups in order."""
    home: dict[str, str] = {}

    def root(id: str) -> str:
        while home.setdefault(id, id) != id:
            home[id] = home[home[id]]
            id = home[id]
        return id

    for a, b in pairs:
        first, second = sorted((root(a), root(b)))
        home[second] = first
    groups: dict[str, list[str]] = {}
    for id in sorted(home):
        groups.setdefault(root(id), []).append(id)
    return list(groups.values())


def _fold(subject: str | None) -> str:
    return (subject or "").casefold().strip()

"""Link: connections that nobody stated, found by what memories share; a few for each memory, no more."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import pairwise

from recollect.model.record import Kind, Record, Status
from recollect.model.relation import Link, LinkType
from recollect.text.names import names
from recollect.upkeep.deeds import Deed
from recollect.upkeep.options import UpkeepOptions
from recollect.upkeep.shelf import Shelf

Pair = tuple[str, str]
SHOWN = 0.3
"""The strength of having been shown together twice and both cited; each time more adds a tenth."""
ALIKE = 0.75
NAMED = 0.4
FOLLOWING = 0.35
STRONGEST = 0.6
"""A found link never counts as much as one that somebody stated."""
RARE = 12
"""A name that more memories hold connects nothing."""
NEXT = 3
"""So many of the next memories with a name are looked at."""


def discover(shelf: Shelf, options: UpkeepOptions) -> Iterator[Deed]:
    """The strongest connections first, until a memory has enough of them."""
    awake = {r.id: r for r in shelf.of(Status.ACTIVE)}
    found: dict[Pair, float] = {}
    for way in (_together(shelf), _alike(shelf), _named(awake), _following(awake)):
        for (a, b), strength in way:
            pair = (min(a, b), max(a, b))
            if a in awake and b in awake and a != b and not _equal_text(awake[a], awake[b]):
                found[pair] = max(found.get(pair, 0.0), round(min(strength, STRONGEST), 3))
    linked = {(min(k.source, k.target), max(k.source, k.target)) for k in shelf.links.values()}
    held = Counter(end for pair in linked for end in pair)
    for pair, strength in sorted(found.items(), key=lambda item: (-item[1], item[0])):
        if pair not in linked and all(held[end] < options.max_links for end in pair):
            held.update(pair)
            older, newer = pair
            link = Link(
                source=newer,
                target=older,
                type=LinkType.RELATED_TO,
                strength=strength,
                created_at=shelf.now,
            )
            yield Deed(count="linked", links=(link,))


def _together(shelf: Shelf) -> Iterator[tuple[Pair, float]]:
    """Cited memories that contexts showed together."""
    for pair, times in shelf.together.items():
        yield pair, SHOWN + 0.1 * (times - 1)


def _alike(shelf: Shelf) -> Iterator[tuple[Pair, float]]:
    """Memories of like meaning that share a telling word."""
    near = shelf.near()
    for (a, b), cosine in near.by_meaning.items():
        if cosine >= ALIKE and near.readings[a].content & near.readings[b].content:
            yield (a, b), STRONGEST * cosine


def _named(awake: dict[str, Record]) -> Iterator[tuple[Pair, float]]:
    """Memories that share two rare names, or a rare name and their subject."""
    holders: dict[str, list[str]] = defaultdict(list)
    for id, record in awake.items():
        called = {name.casefold() for name in names(record.text[:1_000])}
        for name in called | ({record.subject.casefold()} if record.subject else set()):
            holders[name].append(id)
    shared: Counter[Pair] = Counter()
    for name in sorted(holders):
        ids = holders[name]
        if 2 <= len(ids) <= RARE:
            shared.update((a, b) for i, a in enumerate(ids) for b in ids[i + 1 : i + 1 + NEXT])
    for pair, count in shared.items():
        if count > 1:
            yield pair, NAMED + 0.05 * (count - 2)


def _following(awake: dict[str, Record]) -> Iterator[tuple[Pair, float]]:
    """Episodes that came one after the other in a conversation."""
    told: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for id, record in awake.items():
        if record.kind == Kind.EPISODE and record.episode is not None and record.episode.conversation:
            told[record.episode.conversation].append((record.episode.first_turn or 0, id))
    for home in sorted(told):
        ids = [id for _, id in sorted(told[home])]
        yield from (((a, b), FOLLOWING) for a, b in pairwise(ids))


def _equal_text(a: Record, b: Record) -> bool:
    return a.text == b.text

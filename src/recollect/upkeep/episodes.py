"""Episodes: overlapping ones become one, and a space keeps only so many of them awake."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from recollect.model.conversation import Trust
from recollect.model.record import Episode, Kind, Record, Status
from recollect.text.sameness import alikeness, reading, says_the_same
from recollect.upkeep.absorb import absorb, united
from recollect.upkeep.deeds import Deed
from recollect.upkeep.options import UpkeepOptions
from recollect.upkeep.rank import moved, worth
from recollect.upkeep.shelf import Shelf

OVERLAP = 0.5
"""From this share of the shorter one's turns on, two episodes tell of one moment."""
ALIKE = 0.6
"""Episodes of different types are one moment only if their words are this much alike."""


def merge_episodes(shelf: Shelf, _: UpkeepOptions) -> Iterator[Deed]:
    """Let the weightiest of overlapping episodes tell them all."""
    told: dict[str, list[tuple[Record, Episode]]] = defaultdict(list)
    for record in shelf.of(Status.ACTIVE):
        if record.kind == Kind.EPISODE and record.episode is not None:
            told[record.episode.conversation or f"{record.valid_from:%Y-%m-%d}"].append(
                (record, record.episode)
            )
    for home in sorted(told):
        waiting = sorted(told[home], key=_weightiest)
        while len(waiting) > 1:
            lead, *rest = waiting
            others = [one for one in rest if _one_moment(lead, one)]
            waiting = [one for one in rest if one not in others]
            if others:
                yield _retold(shelf, lead, others)


def cap_episodes(shelf: Shelf, options: UpkeepOptions) -> Iterator[Deed]:
    """Archive the least valuable episodes above the cap, but never pinned or significant ones."""
    awake = [r for r in shelf.of(Status.ACTIVE) if r.kind == Kind.EPISODE]
    loose = [r for r in awake if not r.pinned and r.significance < options.significant]
    loose.sort(key=lambda r: (worth(r, shelf), r.id))
    for record in loose[: max(0, len(awake) - options.max_episodes)]:
        yield moved(shelf, record, Status.ARCHIVED, "archived")


def _weightiest(one: tuple[Record, Episode]) -> tuple[bool, float, str]:
    record, _ = one
    return not record.pinned, -record.importance, record.id


def _one_moment(lead: tuple[Record, Episode], other: tuple[Record, Episode]) -> bool:
    (a, one), (b, two) = lead, other
    alike = alikeness(reading(a.text), reading(b.text))
    if one.conversation is None or two.conversation is None:
        return one.type == two.type and says_the_same(reading(a.text), reading(b.text))
    return _shared(one, two) >= OVERLAP and (one.type == two.type or alike >= ALIKE)


def _shared(a: Episode, b: Episode) -> float:
    """The turns that both span, as a share of the shorter one's."""
    if a.first_turn is None or a.last_turn is None or b.first_turn is None or b.last_turn is None:
        return 0.0
    both = min(a.last_turn, b.last_turn) - max(a.first_turn, b.first_turn) + 1
    return max(0, both) / (min(a.last_turn - a.first_turn, b.last_turn - b.first_turn) + 1)


def _retold(shelf: Shelf, lead: tuple[Record, Episode], others: Sequence[tuple[Record, Episode]]) -> Deed:
    """One episode that spans the turns of all, with everybody in it and the least trust of all."""
    record, told = lead
    episodes = [told, *(episode for _, episode in others)]
    records = [one for one, _ in others]
    firsts = [e.first_turn for e in episodes if e.first_turn is not None]
    lasts = [e.last_turn for e in episodes if e.last_turn is not None]
    spanning = replace(
        told,
        participants=tuple(dict.fromkeys(name for e in episodes for name in e.participants)),
        first_turn=min(firsts, default=None),
        last_turn=max(lasts, default=None),
    )
    trust = Trust.least(record.trust, *(one.trust for one in records))
    merged = united(replace(record, trust=trust, episode=spanning), records)
    return absorb(shelf, record, records, merged, "episodes_merged")

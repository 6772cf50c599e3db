"""Absorbing: of memories that say the same, one goes on and has what the others had."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from recollect.model.record import SAME_AS, Record, Status
from recollect.model.relation import Link, LinkType
from recollect.upkeep.deeds import Deed, Revision
from recollect.upkeep.shelf import Shelf

_OWN = (LinkType.SUPERSEDES, LinkType.CONTRADICTS)
"""Links that are about one statement and not about what it says."""


def absorb(shelf: Shelf, survivor: Record, others: Sequence[Record], merged: Record, count: str) -> Deed:
    """One deed for a group: the survivor as `merged`, the others superseded by it, nothing of theirs lost.

    From a less trusted memory only its uses are taken: neither its sources, which would lower the
    survivor's trust, nor its weight, which would let untrusted text lift itself.
    """
    equal = [r for r in others if r.trust.rank >= merged.trust.rank]
    revisions = [Revision(r, _ended(r, survivor)) for r in others]
    if merged != survivor:
        revisions.append(Revision(survivor, merged))
    return Deed(
        count=count,
        times=len(others),
        tokens=sum(shelf.weight(r) for r in others),
        revisions=tuple(revisions),
        sources=tuple((survivor.id, s) for r in equal for s in r.sources if s not in survivor.sources),
        artifacts=tuple((survivor.id, a) for r in equal for a in r.artifacts if a not in survivor.artifacts),
        used=tuple((survivor.id, r.usage) for r in others if _counts(r)),
        links=(*_supersedes(shelf, survivor, others), *_inherited(shelf, survivor, others)),
    )


def united(survivor: Record, others: Iterable[Record]) -> Record:
    """The survivor with the tags and the greatest weight of those that are trusted as much."""
    merged = survivor
    for other in others:
        if other.trust.rank >= survivor.trust.rank:
            merged = replace(
                merged,
                tags=tuple(dict.fromkeys((*merged.tags, *other.tags))),
                importance=max(merged.importance, other.importance),
                confidence=max(merged.confidence, other.confidence),
                pinned=merged.pinned or other.pinned,
                valid_from=min(merged.valid_from, other.valid_from),
            )
    return merged


def _ended(record: Record, survivor: Record) -> Record:
    """A memory that another one speaks for from now on, and always did: it is not valid by itself."""
    marks = record.metadata | {SAME_AS: survivor.id}
    return replace(record, status=Status.SUPERSEDED, valid_to=record.valid_from, metadata=marks)


def _counts(record: Record) -> bool:
    used = record.usage
    return bool(used.retrieved or used.cited or used.ignored)


def _supersedes(shelf: Shelf, survivor: Record, others: Sequence[Record]) -> list[Link]:
    return [
        Link(source=survivor.id, target=r.id, type=LinkType.SUPERSEDES, created_at=shelf.now) for r in others
    ]


def _inherited(shelf: Shelf, survivor: Record, others: Sequence[Record]) -> list[Link]:
    """What others were linked to, the survivor is linked to."""
    gone = {r.id for r in others}
    made: dict[tuple[str, str, str], Link] = {}
    for link in (link for id in sorted(gone) for link in shelf.links_of(id)):
        source, target = (survivor.id if end in gone else end for end in (link.source, link.target))
        edge = (source, target, str(link.type))
        if link.type not in _OWN and source != target and edge not in shelf.links:
            made[edge] = replace(link, source=source, target=target, created_at=shelf.now)
    return list(made.values())

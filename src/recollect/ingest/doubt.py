"""Doubt: when a fact changes, what leans on it may no longer hold, and says so until somebody confirms it."""

from collections.abc import Sequence
from dataclasses import replace

from recollect.model.record import Kind, Record, Status
from recollect.model.relation import LinkType
from recollect.store import links, memories
from recollect.store.database import Tx
from recollect.text.similarity import content

CAUSE = "doubt"
"""Under this name a doubtful memory keeps the id of what has changed."""
_LEANING = (LinkType.DEPENDS_ON, LinkType.DERIVED_FROM, LinkType.PART_OF)
_TOLD = (Kind.EPISODE, Kind.PASSAGE, Kind.ERROR)
"""What happened stays true when facts change."""
_LEANS = (Kind.DECISION, Kind.CONSTRAINT, Kind.GOAL, Kind.PROCEDURE, Kind.INSTRUCTION)
"""These lean on the facts they mention; so does a fact with a key of its own."""
_LOOKED_AT = 50


def spread(tx: Tx, old: Record, new: Record) -> None:
    """Mark what depends on a memory that another one has replaced with something else."""
    if content(old.value or old.text) == content(new.value or new.text):
        return
    held = memories.by_id(tx, [*_leaning(tx, old), *memories.from_sources(tx, [old.id])], [old.space])
    held |= {r.id: r for r in _mentioning(tx, old)}
    for r in held.values():
        if r.id not in (old.id, new.id) and r.status in (Status.ACTIVE, Status.PENDING) and not r.doubtful:
            at = max(new.recorded_at, r.recorded_at)
            marked = replace(r, doubtful=True, metadata=r.metadata | {CAUSE: old.id}, recorded_at=at)
            memories.replace_version(tx, r, marked)


def cleared(r: Record) -> Record:
    """The memory without doubt: somebody has said it again, or changed it."""
    if not r.doubtful:
        return r
    return replace(r, doubtful=False, metadata={k: v for k, v in r.metadata.items() if k != CAUSE})


def caused_by(tx: Tx, old: Record) -> Sequence[Record]:
    """The memories that are doubtful because this one has changed."""
    ids = [*_leaning(tx, old), *memories.from_sources(tx, [old.id]), *(r.id for r in _mentioning(tx, old))]
    held = memories.by_id(tx, list(dict.fromkeys(ids)), [old.space])
    return [r for r in held.values() if r.doubtful and r.metadata.get(CAUSE) == old.id]


def _leaning(tx: Tx, old: Record) -> list[str]:
    """The memories that a link lets depend on this one, or be made from it, or be part of it."""
    return [k.source for k in links.touching(tx, [old.id], _LEANING, [old.space]) if k.target == old.id]


def _mentioning(tx: Tx, old: Record) -> list[Record]:
    """Memories of the same subject that speak of the old value, as something that is so; what was decided is.

    A fact that has that very value under another key stands for itself: two cities may be the same.
    """
    if old.key is None or old.value is None:
        return []
    from recollect.text.reading import read

    named = content(old.value)
    found = memories.alike(tx, old.space, old.value, _LOOKED_AT) if named else []
    subject = (old.subject or "").casefold()
    about = content(old.subject) if old.subject else frozenset()
    return [
        r
        for r in found
        if (r.key is not None or r.kind in _LEANS)
        and r.kind not in _TOLD
        and not (r.key == old.key and (r.subject or "").casefold() == subject)
        and ((r.subject or "").casefold() == subject or (about and about <= content(r.text)))
        and named <= content(r.text)
        and (r.value is None or content(r.value) != named)
        and (r.kind in _LEANS or not read(r.text).past)
    ]

"""Writing a compaction down: what goes is set aside, not lost, and why it went is kept. One transaction."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from recollect.apps.compaction import Cut
from recollect.apps.records import RELATED, conversation_of, origin
from recollect.ingest.remember import set_status
from recollect.model.conversation import Trust
from recollect.model.decision import Decision, Outcome
from recollect.model.ids import new_id
from recollect.model.record import Record, Source, SourceKind, Status
from recollect.model.relation import Link, LinkType
from recollect.store import apps, decisions, links, memories
from recollect.store.database import Tx
from recollect.text.levels import levels

MAX_TAGS = 8


def apply(tx: Tx, cut: Cut, new: Record | None, now: datetime) -> None:
    """Take memories out of the list as decided; the new one is stored first, wherever it ends up."""
    status = Status.ARCHIVED if cut.text is None else Status.SUPERSEDED
    gone = _apart(cut.gone)
    if new is not None:
        memories.insert(tx, [replace(gone[new.id], status=status) if new.id in gone else new])
    for record in gone.values():
        if new is None or record.id != new.id:
            set_status(tx, record, status, now)
    if cut.text is not None:
        _merge(tx, cut, cut.text, now)
    outcome = Outcome.REMOVE if cut.text is None else Outcome.SUPERSEDE
    decisions.put(tx, [_decision(record, outcome, cut, now) for record in cut.gone])
    apps.count(tx, cut.gone[0].space, cut.name, now)


def _apart(gone: Sequence[Record]) -> dict[str, Record]:
    """What goes by id; of two that are merged, each names the other."""
    if len(gone) == 1:
        return {gone[0].id: gone[0]}
    first, second = gone
    return {
        one.id: replace(one, metadata=one.metadata | {apps.BESIDE: other.id})
        for one, other in ((first, second), (second, first))
    }


def revive(tx: Tx, space: str, now: datetime) -> None:
    """Bring back what was merged with a memory that has been erased since: only that one was to go."""
    for record in apps.unmerged(tx, space):
        set_status(tx, record, Status.ACTIVE, now)


def _merge(tx: Tx, cut: Cut, text: str, now: datetime) -> None:
    """One memory in the place of two: it rests on both, and on all that they rest on."""
    first, second = cut.gone
    sizes = levels(text)
    conversations = [*first.metadata.get(RELATED, ()), conversation_of(second)]
    conversations += second.metadata.get(RELATED, ())
    merged = replace(
        first,
        id=new_id(now),
        version=1,
        text=text,
        summary=sizes.summary,
        brief=sizes.brief,
        tag=sizes.tag,
        importance=max(r.importance for r in cut.gone),
        trust=Trust.least(*(r.trust for r in cut.gone)),
        tags=tuple(dict.fromkeys((*first.tags, *second.tags)))[:MAX_TAGS],
        status=Status.ACTIVE,
        pinned=any(r.pinned for r in cut.gone),
        recorded_at=now,
        made_by=cut.rule,
        metadata=origin(conversation_of(first), [id for id in conversations if id]),
        sources=_sources(cut.gone),
    )
    memories.insert(tx, [merged])
    supersedes = [
        Link(source=merged.id, target=r.id, type=LinkType.SUPERSEDES, created_at=now) for r in cut.gone
    ]
    links.put(tx, supersedes)


def _sources(records: Sequence[Record]) -> tuple[Source, ...]:
    own = [Source(SourceKind.MEMORY, r.id) for r in records]
    return tuple(dict.fromkeys([*own, *(source for r in records for source in r.sources)]))


def _decision(record: Record, outcome: Outcome, cut: Cut, now: datetime) -> Decision:
    return Decision(
        id=new_id(now),
        space=record.space,
        memory=record.id,
        outcome=outcome,
        reason=cut.reason if cut.text is None else f"merged: {cut.reason}",
        rule=cut.rule,
        text=record.text,
        decided_at=now,
    )

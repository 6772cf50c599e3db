"""Review: what waits for a person, why a memory is as it is, and letting one through."""

from collections.abc import Sequence

from recollect.errors import Conflict, NotFound
from recollect.ingest.remember import existing, set_status, supersede
from recollect.model.decision import Decision, Explanation, Outcome
from recollect.model.filter import Filter, Page
from recollect.model.ids import checked_id, new_id
from recollect.model.receipt import Action, Entry, Receipt
from recollect.model.record import Record, SourceKind, Status
from recollect.model.relation import LinkType
from recollect.store import contradictions, conversations, decisions, links, memories
from recollect.store.database import Tx
from recollect.store.scope import Scope

_TOUCHING = (LinkType.SUPERSEDES, LinkType.CONTRADICTS)
_PROMOTABLE = (Status.PENDING, Status.QUARANTINED)


def waiting(scope: Scope, status: Status, limit: int, after: str | None) -> Page[Record]:
    """Memories that wait in a status, newest first."""
    before = None if after is None else checked_id(after, "after")
    wanted = Filter(statuses=(status,))
    found = scope.read(
        lambda tx: memories.page(tx, scope.view.spaces, wanted, before=before, limit=limit, as_of=None)
    )
    return Page(found, found[-1].id if len(found) == limit else None)


def promote(scope: Scope, ids: Sequence[str]) -> Receipt:
    """Believe memories from now on; one that holds a key's only value takes the place of the old one."""
    wanted = [checked_id(id, "the memory id") for id in ids]

    def work(tx: Tx) -> Receipt:
        return Receipt(entries=tuple(_promote(tx, scope, id) for id in wanted))

    return scope.write(work)


def explain(scope: Scope, id: str) -> Explanation:
    """The path from message to memory: for a memory where it came from, for a message what it gave."""
    id = checked_id(id)

    def work(tx: Tx) -> Explanation:
        seen = scope.view.spaces
        if id in (known := memories.by_id(tx, [id], seen)):
            return _of_memory(tx, known[id], seen)
        message = conversations.messages_by_id(tx, [id], seen).get(id)
        if message is None:
            raise NotFound(f"no memory or message {id} in {', '.join(seen)}")
        drawn = memories.by_id(tx, memories.from_sources(tx, [id]), seen)
        return Explanation(
            id=id,
            messages=(message,),
            memories=tuple(drawn.values()),
            decisions=tuple(decisions.of_message(tx, id)),
        )

    return scope.read(work)


def _promote(tx: Tx, scope: Scope, id: str) -> Entry:
    old = existing(tx, scope, id)
    if old.status == Status.ACTIVE:
        return Entry(Action.IGNORED, id, "already believed")
    if old.status not in _PROMOTABLE:
        raise Conflict(f"memory {id} is {old.status}: only pending and quarantined ones can be promoted")
    now = scope.now()
    new = set_status(tx, old, Status.ACTIVE, now)
    rivals = [r for r in _rivals(tx, new) if r.status == Status.ACTIVE and r.id != id]
    for rival in rivals:
        supersede(tx, rival, new)
        contradictions.resolve(tx, rival.id, id, now)
    reason = "promoted by hand" + (", in place of the known value" if rivals else "")
    decision = Decision(
        id=new_id(now),
        space=new.space,
        memory=id,
        outcome=Outcome.PROMOTE,
        reason=reason,
        rule="review",
        text=new.text,
        decided_at=now,
    )
    decisions.put(tx, [decision])
    return Entry(Action.UPDATED, id, reason)


def _rivals(tx: Tx, r: Record) -> Sequence[Record]:
    """Memories that cannot be true beside this one: others under a key that holds one value."""
    if r.key is None or r.metadata.get("many"):
        return []
    return memories.about(tx, r.space, r.key, r.subject)


def _of_memory(tx: Tx, record: Record, seen: Sequence[str]) -> Explanation:
    """Sources with their text, and the decisions on it and on what replaced or contradicts it."""
    by_kind = {kind: [s.id for s in record.sources if s.kind == kind] for kind in SourceKind}
    said = conversations.messages_by_id(tx, by_kind[SourceKind.MESSAGE], seen)
    others = [link.source for link in links.touching(tx, [record.id], _TOUCHING, seen)]
    made = {d.id: d for d in decisions.of_memory(tx, record.id)}
    for other in others:
        made |= {d.id: d for d in decisions.of_memory(tx, other) if d.outcome in _CHANGING}
    return Explanation(
        id=record.id,
        memory=record,
        messages=tuple(sorted(said.values(), key=lambda m: (m.said_at, m.turn))),
        memories=tuple(memories.by_id(tx, by_kind[SourceKind.MEMORY], seen).values()),
        decisions=tuple(sorted(made.values(), key=lambda d: (d.decided_at, d.id))),
    )


_CHANGING = (Outcome.SUPERSEDE, Outcome.CONTRADICTION, Outcome.PROMOTE)

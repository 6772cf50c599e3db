"""Resolving contradictions: who is right, and taking that back. Every version is kept."""

from dataclasses import replace
from datetime import datetime

from recollect.errors import Conflict, InvalidInput, NotFound
from recollect.ingest import doubt
from recollect.ingest.remember import levelled, supersede, written
from recollect.model.conversation import Trust
from recollect.model.decision import Decision, Outcome
from recollect.model.ids import derived_id, new_id
from recollect.model.record import Record, Source, SourceKind, Status
from recollect.model.relation import Contradiction, Dispute, LinkType, Resolution
from recollect.store import contradictions, decisions, links, memories
from recollect.store.database import Tx
from recollect.store.scope import Scope


def disputes(tx: Tx, scope: Scope, *, only_open: bool) -> list[Dispute]:
    """The contradictions of the view with both sides, oldest first."""
    seen = scope.view.spaces
    listed = contradictions.listed(tx, seen, only_open=only_open)
    sides = memories.by_id(tx, list({id for c in listed for id in (c.memory_a, c.memory_b)}), seen)
    return [Dispute(contradiction=c, a=sides[c.memory_a], b=sides[c.memory_b]) for c in listed]


def dispute(tx: Tx, scope: Scope, id: str) -> Dispute:
    """One contradiction of the view with both sides, or NotFound."""
    seen = scope.view.spaces
    found = contradictions.by_id(tx, id, seen)
    if found is None:
        raise NotFound(f"no contradiction {id} in {', '.join(seen)}: see `recollect contradictions --all`")
    sides = memories.by_id(tx, [found.memory_a, found.memory_b], seen)
    return Dispute(contradiction=found, a=sides[found.memory_a], b=sides[found.memory_b])


def resolve(scope: Scope, id: str, resolution: Resolution, note: str | None, text: str | None) -> Dispute:
    """Settle a contradiction: the loser ends where the winner begins, or both give way to a new memory."""
    if (resolution == Resolution.MERGED) != (text is not None):
        raise InvalidInput("merged needs the text that is true of both (text=…), and only merged takes one")

    def work(tx: Tx) -> Dispute:
        found = dispute(tx, scope, id)
        if not found.open:
            raise Conflict(
                f"contradiction {id} is settled already: `recollect contradictions reopen {id}` first"
            )
        now = scope.now()
        a, b = found.a, found.b
        match resolution:
            case Resolution.A_WINS:
                _win(tx, a, b, now)
            case Resolution.B_WINS:
                _win(tx, b, a, now)
            case Resolution.MERGED:
                assert text is not None
                merged = _merged(tx, found, text, now)
                for side in (a, b):
                    supersede(tx, side, merged)
            case Resolution.BOTH_VALID:
                for side in (a, b):
                    if side.status == Status.PENDING:
                        _believe(tx, side, now)
        settled = replace(found.contradiction, resolved_at=now, resolution=resolution, note=note)
        _settle(tx, found, settled, f"{resolution}" + (f": {note}" if note else ""), now)
        written(tx, now)
        return dispute(tx, scope, id)

    return scope.write(work)


def reopen(scope: Scope, id: str) -> Dispute:
    """Take a resolution back: both sides are again what they were before it."""

    def work(tx: Tx) -> Dispute:
        found = dispute(tx, scope, id)
        at = found.contradiction.resolved_at
        if at is None:
            raise Conflict(f"contradiction {id} was not resolved: there is nothing to take back")
        now = scope.now()
        if found.contradiction.resolution == Resolution.MERGED:
            merged = memories.by_id(tx, [_merged_id(tx, found.contradiction, at)], [found.a.space])
            for r in merged.values():
                at_rest = replace(r, status=Status.FORGOTTEN, recorded_at=max(now, r.recorded_at))
                memories.replace_version(tx, r, at_rest)
                for side in (found.a, found.b):
                    links.remove(tx, r.id, side.id, LinkType.SUPERSEDES)
        for side in (found.a, found.b):
            _put_back(tx, side, at, now)
            for leaning in doubt.caused_by(tx, side):
                sure = replace(doubt.cleared(leaning), recorded_at=max(now, leaning.recorded_at))
                memories.replace_version(tx, leaning, sure)
        for source, target in ((found.a.id, found.b.id), (found.b.id, found.a.id)):
            links.remove(tx, source, target, LinkType.SUPERSEDES)
        again = replace(found.contradiction, resolved_at=None, resolution=None, note=None)
        _settle(tx, found, again, "reopened", now)
        return dispute(tx, scope, id)

    return scope.write(work)


def _win(tx: Tx, winner: Record, loser: Record, now: datetime) -> None:
    """The winner is believed, and the loser was true until it began, or until now if it began later."""
    if winner.status == Status.PENDING:
        winner = _believe(tx, winner, now)
    supersede(tx, loser, replace(winner, recorded_at=now))


def _believe(tx: Tx, r: Record, now: datetime) -> Record:
    marks = {name: held for name, held in r.metadata.items() if name != "held"}
    at = max(now, r.recorded_at)
    return memories.replace_version(tx, r, replace(r, status=Status.ACTIVE, metadata=marks, recorded_at=at))


def _merged_id(tx: Tx, c: Contradiction, at: datetime) -> str:
    return derived_id(at, tx.tenant, c.id, "merged")


def _merged(tx: Tx, found: Dispute, text: str, now: datetime) -> Record:
    """The memory that takes the place of both sides, drawn from both."""
    a, b = found.a, found.b
    same_key = a.key is not None and (a.key, a.subject) == (b.key, b.subject)
    made = Record(
        id=_merged_id(tx, found.contradiction, now),
        space=a.space,
        kind=b.kind,
        text=text,
        trust=Trust.least(a.trust, b.trust),
        recorded_at=now,
        valid_from=max(a.valid_from, b.valid_from),
        subject=b.subject if a.subject == b.subject else None,
        category=b.category if a.category == b.category else None,
        key=b.key if same_key else None,
        value=text if same_key else None,
        importance=max(a.importance, b.importance),
        pinned=a.pinned or b.pinned,
        made_by="merged",
        sources=(Source(SourceKind.MEMORY, a.id), Source(SourceKind.MEMORY, b.id)),
    )
    memories.insert(tx, [levelled(made)])
    return made


def _put_back(tx: Tx, side: Record, at: datetime, now: datetime) -> None:
    """The version before the resolution as a new version; what the resolution left alone stays."""
    versions = memories.versions(tx, side.id, [side.space])
    place = next((i for i, v in enumerate(versions) if v.recorded_at == at and i), None)
    if place is None or (place < len(versions) - 1 and side.status != Status.SUPERSEDED):
        if side.status == Status.SUPERSEDED:
            raise Conflict(
                f"memory {side.id} has ended for another reason too: see `recollect history {side.id}`"
            )
        return
    old = replace(versions[place - 1], retired_at=None, recorded_at=max(now, side.recorded_at))
    memories.replace_version(tx, side, replace(old, version=side.version))


def _settle(tx: Tx, found: Dispute, settled: Contradiction, reason: str, now: datetime) -> None:
    """Write the outcome down, and the decision with both memories, where `explain` finds it."""
    contradictions.settle(tx, settled)
    made = [
        Decision(
            id=new_id(now),
            space=side.space,
            memory=side.id,
            outcome=Outcome.CONTRADICTION,
            reason=reason,
            rule="resolution",
            text=side.text,
            decided_at=now,
        )
        for side in (found.a, found.b)
    ]
    decisions.put(tx, made)

"""From candidates to memories: the gate, the comparison with what is known, and what is written.

Everything here runs inside one transaction, so that what is compared stays true until it is stored.
Every candidate ends in a decision with its reason, also the ones that are ignored.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from recollect.ingest import doubt
from recollect.ingest.remember import supersede
from recollect.ingest.rules.candidate import Candidate
from recollect.ingest.rules.reconcile import SAME_TEXT, Known, Verdict, reconcile, same_value
from recollect.model.conversation import Message, Trust
from recollect.model.decision import Decision, Outcome
from recollect.model.ids import derived_id
from recollect.model.record import Kind, Record, Source, SourceKind, Status
from recollect.model.relation import Link, LinkType
from recollect.store import contradictions, decisions, links, memories
from recollect.store.database import Tx
from recollect.text.levels import levels
from recollect.text.similarity import overlap

MIN_CONFIDENCE = 0.4
MIN_IMPORTANCE = 0.2
ECHO = timedelta(minutes=10)
"""What recall returned so shortly before is not learnt again from whoever repeats it."""
OWN_KINDS = frozenset({Kind.IDENTITY, Kind.PREFERENCE, Kind.INSTRUCTION})
"""Only the user's own words say who the user is, what the user likes and what is to be done."""
USER = "User"
"""The subject of what an unnamed user says of himself; such memories have no subject."""
_ALIKE = 20
MARKS = frozenset({"negated", "many", "said_at", "held", doubt.CAUSE})
"""What is noted in the metadata of a memory by extraction and what follows it, for its own use."""


@dataclass(frozen=True, slots=True)
class Found:
    """A candidate, the message that gave it, and what made it."""

    message: Message
    candidate: Candidate
    made_by: str


@dataclass(frozen=True, slots=True)
class Settled:
    """What became of a candidate, why, and which memory it touched."""

    outcome: Outcome
    reason: str
    memory: str | None = None


def settle(tx: Tx, found: Found, promote_at: float, now: datetime) -> None:
    """Decide on one candidate and write what follows, with the decision; what is decided stays so."""
    m, c = found.message, found.candidate
    if not decisions.exists(tx, _decision_id(tx, m, c.rule, c.text)):
        settled = _refused(tx, found) or _reconciled(tx, found, promote_at, now)
        note(tx, m, settled, c.rule, c.text, now)


def note(tx: Tx, message: Message, settled: Settled, rule: str, text: str, now: datetime) -> None:
    """Write a decision down; its id follows from the message, so a repeat changes nothing."""
    decision = Decision(
        id=_decision_id(tx, message, rule, text),
        space=message.space,
        message=message.id,
        memory=settled.memory,
        outcome=settled.outcome,
        reason=settled.reason,
        rule=rule,
        text=text,
        decided_at=now,
    )
    decisions.put(tx, [decision])


def _decision_id(tx: Tx, message: Message, rule: str, text: str) -> str:
    return derived_id(message.recorded_at, tx.tenant, message.id, "decision", rule, text)


def quarantine(tx: Tx, message: Message, now: datetime) -> None:
    """Keep a text that gives orders from where none may come, out of reach until somebody looks."""
    text = message.text[:1_000]
    record = Record(
        id=derived_id(message.recorded_at, tx.tenant, message.id, "quarantine"),
        space=message.space,
        kind=Kind.NOTE,
        text=text,
        trust=message.trust,
        recorded_at=now,
        valid_from=message.said_at,
        status=Status.QUARANTINED,
        made_by="rules:orders",
        sources=(Source(SourceKind.MESSAGE, message.id),),
    )
    if memories.known(tx, [record.id]):
        return
    memories.insert(tx, [record])
    reason = f"gives orders to the assistant, from a {message.trust} source"
    note(tx, message, Settled(Outcome.QUARANTINE, reason, record.id), "orders", text, now)


def _refused(tx: Tx, found: Found) -> Settled | None:
    """The gate: why a candidate is not kept at all, if it is not."""
    c, m = found.candidate, found.message
    if c.confidence < MIN_CONFIDENCE:
        return Settled(Outcome.IGNORE, f"confidence {c.confidence:g} is below {MIN_CONFIDENCE:g}")
    if c.importance < MIN_IMPORTANCE:
        return Settled(Outcome.IGNORE, f"importance {c.importance:g} is below {MIN_IMPORTANCE:g}")
    if m.trust == Trust.USER:
        return None
    if c.kind in OWN_KINDS:
        return Settled(Outcome.IGNORE, f"{c.kind}: only the user's own words say that")
    for shown in memories.used_between(tx, m.space, m.said_at - ECHO, m.said_at):
        if _repeats(c, shown):
            return Settled(Outcome.IGNORE, "echo of what recall returned", shown.id)
    return None


def _repeats(c: Candidate, known: Record) -> bool:
    if c.key and c.key == known.key and known.value is not None and same_value(c.value, known.value):
        return True
    return overlap(known.text, c.text) >= SAME_TEXT


def _reconciled(tx: Tx, found: Found, promote_at: float, now: datetime) -> Settled:
    """Compare with what is known, and write the verdict."""
    new = _record(tx, found, promote_at, now)
    if memories.known(tx, [new.id]):
        return Settled(Outcome.IGNORE, "already drawn from this message", new.id)
    held = {r.id: r for r in _related(tx, found)}
    verdict = reconcile(found.candidate, [_known(r) for r in held.values()])
    touched = [held[id] for id in (*verdict.replaces, *([verdict.confirms] if verdict.confirms else ()))]
    match verdict.action:
        case "add":
            memories.insert(tx, [new])
            return Settled(Outcome.ADD, _waiting(new, verdict.reason), new.id)
        case "confirm":
            return _confirm(tx, found, new, touched[0], promote_at)
        case "supersede":
            return _supersede(tx, found, new, touched, verdict)
        case "contradiction":
            return _contradict(tx, new, touched, verdict.reason)
        case _:
            return Settled(Outcome.IGNORE, verdict.reason, touched[0].id if touched else None)


def _record(tx: Tx, found: Found, promote_at: float, now: datetime) -> Record:
    """The memory a candidate would become; `said_at` is kept where it is not when it became true."""
    c, m = found.candidate, found.message
    sizes = levels(c.text, key=c.key, value=c.value)
    marks: dict[str, object] = {"negated": True} if c.negated else {}
    if c.cardinality == "many":
        marks["many"] = True
    if c.valid_from is not None:
        marks["said_at"] = m.said_at.isoformat()
    since = c.valid_from or m.said_at
    return Record(
        id=derived_id(m.recorded_at, tx.tenant, m.id, c.text),
        space=m.space,
        kind=Kind(c.kind),
        text=c.text,
        summary=sizes.summary,
        brief=sizes.brief,
        tag=sizes.tag,
        trust=m.trust,
        recorded_at=now,
        valid_from=since,
        valid_to=None if c.valid_to is None else max(c.valid_to, since),
        subject=None if c.subject == USER else c.subject,
        category=c.category or None,
        key=c.key or None,
        value=c.value if c.key else None,
        importance=c.importance,
        confidence=c.confidence,
        status=Status.ACTIVE if c.confidence >= promote_at else Status.PENDING,
        made_by=found.made_by,
        metadata=marks,
        sources=(Source(SourceKind.MESSAGE, m.id),),
    )


def _related(tx: Tx, found: Found) -> Sequence[Record]:
    """What the same space knows of the same key, or in nearly the same words."""
    c, space = found.candidate, found.message.space
    if c.key:
        return memories.about(tx, space, c.key, None if c.subject == USER else c.subject)
    return memories.alike(tx, space, c.text, _ALIKE)


def _known(r: Record) -> Known:
    """A memory as reconciliation sees it; a date counts only where one was stated."""
    return Known(
        r.id,
        r.subject or USER,
        r.key or "",
        r.value or "",
        r.text,
        r.confidence,
        cardinality="many" if r.metadata.get("many") else "one",
        negated=bool(r.metadata.get("negated")),
        valid_from=r.valid_from if "said_at" in r.metadata else None,
    )


def _said(r: Record) -> datetime:
    """When a memory was stated."""
    stated = r.metadata.get("said_at")
    return datetime.fromisoformat(stated) if isinstance(stated, str) else r.valid_from


def _waiting(new: Record, reason: str) -> str:
    return f"{reason}; waits for confirmation" if new.status == Status.PENDING else reason


def _confirm(tx: Tx, found: Found, new: Record, old: Record, promote_at: float) -> Settled:
    """The same again: surer, with one more source, unless the source adds nothing."""
    m = found.message
    if any(source.id == m.id for source in old.sources):
        return Settled(Outcome.IGNORE, "said before in the same message", old.id)
    if m.trust.rank < old.trust.rank:
        return Settled(Outcome.IGNORE, "already known from a more trusted source", old.id)
    if m.trust.rank > old.trust.rank:
        memories.insert(tx, [new])
        if new.status == Status.ACTIVE:
            supersede(tx, old, new)
        return Settled(Outcome.SUPERSEDE, f"known until now from a {old.trust} source only", new.id)
    surer = reconcile(found.candidate, [_known(old)]).confidence
    if old.sources:  # what was stated by hand does not come to depend on a message
        memories.add_sources(tx, [(old.id, source) for source in new.sources])
    promoted = old.status == Status.PENDING and surer >= promote_at and "held" not in old.metadata
    status = Status.ACTIVE if promoted else old.status
    if (surer, status) != (old.confidence, old.status) or old.doubtful:
        at = max(new.recorded_at, old.recorded_at)
        sure = replace(doubt.cleared(old), confidence=surer, status=status, recorded_at=at)
        memories.replace_version(tx, old, sure)
    return Settled(Outcome.CONFIRM, f"said again: confidence {old.confidence:g} → {surer:g}", old.id)


def _supersede(tx: Tx, found: Found, new: Record, olds: Sequence[Record], verdict: Verdict) -> Settled:
    """A newer value: it takes the place of the old ones unless they are better founded or newer yet."""
    if any(old.trust.rank > new.trust.rank for old in olds):
        why = f"{verdict.reason}, but from a less trusted source: waits for review"
        return _contradict(tx, new, olds, why)
    later = [old for old in olds if _said(old) > found.message.said_at]
    if later:  # an older statement, learnt late: it was true until the next one
        ended = max(new.valid_from, min(old.valid_from for old in later))
        memories.insert(tx, [replace(new, status=Status.SUPERSEDED, valid_to=ended)])
        _link(tx, LinkType.SUPERSEDES, later, new)
        return Settled(Outcome.ADD, "said before what is already known: kept as its past", new.id)
    if new.status == Status.PENDING and any(old.status == Status.ACTIVE for old in olds):
        if not found.candidate.correction:
            memories.insert(tx, [new])
            return Settled(Outcome.ADD, f"{verdict.reason}, not sure enough to replace the known one", new.id)
        new = replace(new, status=Status.ACTIVE)
    memories.insert(tx, [new])
    for old in olds:
        supersede(tx, old, new)
    return Settled(Outcome.SUPERSEDE, verdict.reason, new.id)


def _contradict(tx: Tx, new: Record, olds: Sequence[Record], reason: str) -> Settled:
    """Keep both sides, and say that they cannot both be true."""
    if any(old.trust.rank > new.trust.rank for old in olds):
        new = replace(new, status=Status.PENDING, metadata=new.metadata | {"held": True})
    memories.insert(tx, [new])
    for old in olds:
        contradictions.record(tx, old, new, reason, new.recorded_at)
    return Settled(Outcome.CONTRADICTION, reason, new.id)


def _link(tx: Tx, type: LinkType, sources: Sequence[Record], target: Record) -> None:
    at = target.recorded_at
    links.put(tx, [Link(source=s.id, target=target.id, type=type, created_at=at) for s in sources])

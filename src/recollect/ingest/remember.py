"""Memories by hand: remember, update, forget, restore. Nothing is overwritten; versions are kept."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from datetime import datetime
from typing import Any, TypedDict

from recollect.errors import Conflict, InvalidInput, NotFound
from recollect.ingest import doubt, gate
from recollect.jobs import queue
from recollect.model.conversation import Message, Trust
from recollect.model.ids import checked_id, new_id
from recollect.model.receipt import Action, Entry, Receipt
from recollect.model.record import (
    DEFAULT_IMPORTANCE,
    Artifact,
    ArtifactType,
    Episode,
    EpisodeType,
    Kind,
    Record,
    Source,
    SourceKind,
    Status,
)
from recollect.model.relation import Link, LinkType
from recollect.model.space import Space
from recollect.store import conversations, links, spaces
from recollect.store import memories as table
from recollect.store.database import Tx
from recollect.store.scope import Scope


class Fields(TypedDict, total=False):
    """What may be said about a memory besides its text."""

    kind: Kind | str
    subject: str | None
    category: str | None
    key: str | None
    value: str | None
    summary: str | None
    brief: str | None
    tag: str | None
    importance: float
    confidence: float
    trust: Trust | str
    tags: Sequence[str]
    pinned: bool
    valid_from: datetime
    valid_to: datetime | None
    episode: Episode | None
    artifacts: Sequence[Artifact]
    sources: Sequence[Source]
    metadata: Mapping[str, Any]


class Changes(Fields, total=False):
    """What may be changed in a new version of a memory."""

    text: str
    doubtful: bool


LEVELLED = 4_000
_NAMES = ("subject", "category", "key", "tag")
_TEXTS = ("value", "summary", "brief")
_FLAGS = ("pinned", "doubtful")
_STATED = ("text", "value", "confidence", "valid_from", "valid_to")
"""Whoever changes one of these has looked at the memory: it is not doubtful any more."""


def remember(scope: Scope, text: str, given: Fields) -> Receipt:
    """Store a memory by hand. A keyed one takes the place of the old value, which stays in history."""
    now = scope.now()
    checked = checked_fields(given, Fields)
    kind = checked.pop("kind", Kind.FACT if checked.get("key") else Kind.NOTE)
    checked.setdefault("importance", DEFAULT_IMPORTANCE[kind])
    checked.setdefault("trust", Trust.USER)
    checked.setdefault("valid_from", now)
    body, reason = gate.redacted(gate.text(text, "the memory"))
    new = Record(
        id=new_id(now),
        space=scope.view.home,
        kind=kind,
        text=body,
        recorded_at=now,
        **checked,
    )
    if (new.key is None) != (new.value is None):
        raise InvalidInput("a keyed memory needs both key and value, such as key='name', value='Alex'")
    _check_validity(new)
    sized = levelled(new)
    receipt = scope.write(lambda tx: _store(tx, scope, sized))
    if reason is None:
        return receipt
    return replace(receipt, entries=tuple(replace(e, reason=reason) for e in receipt.entries))


def update(scope: Scope, id: str, changes: Changes) -> Record:
    """Make a new version of a memory; the old one stays in its history."""
    id = checked_id(id, "the memory id")
    checked = checked_fields(changes, Changes)
    if not checked:
        raise InvalidInput("nothing to change: pass what should be different, such as text=…")
    if "sources" in checked or "trust" in checked:
        raise InvalidInput("sources and trust are bound when a memory is written: remember it anew")
    if "text" in checked:
        checked = {"summary": None, "brief": None, "tag": None} | checked

    def work(tx: Tx) -> Record:
        old = existing(tx, scope, id)
        restated = not checked.keys().isdisjoint(_STATED) and "doubtful" not in checked
        sure = doubt.cleared(old) if restated or checked.get("doubtful") is False else old
        new = replace(sure, **checked, recorded_at=_after(old, scope.now()))
        new = levelled(new) if "text" in checked else new
        _check_validity(new)
        fresh = table.replace_version(tx, old, new)
        written(tx, fresh.recorded_at)
        return fresh

    return scope.write(work)


def forget(scope: Scope, ids: Sequence[str]) -> Receipt:
    """Set memories aside: no longer recalled, still there, and restorable."""
    wanted = [checked_id(id, "the memory id") for id in ids]

    def work(tx: Tx) -> Receipt:
        entries = []
        for id in wanted:
            old = existing(tx, scope, id)
            if old.status == Status.FORGOTTEN:
                entries.append(Entry(Action.IGNORED, id, "already forgotten"))
                continue
            set_status(tx, old, Status.FORGOTTEN, scope.now())
            entries.append(Entry(Action.FORGOTTEN, id))
        return Receipt(entries=tuple(entries))

    return scope.write(work)


def restore(scope: Scope, ids: Sequence[str]) -> Receipt:
    """Bring forgotten or archived memories back to what they were before."""
    wanted = [checked_id(id, "the memory id") for id in ids]

    def work(tx: Tx) -> Receipt:
        entries = []
        for id in wanted:
            old = existing(tx, scope, id)
            if old.status not in (Status.FORGOTTEN, Status.ARCHIVED):
                entries.append(Entry(Action.IGNORED, id, f"it is {old.status}"))
                continue
            before = table.versions(tx, id, scope.view.spaces)
            status = next(v.status for v in reversed(before) if v.status != old.status)
            if status == Status.ACTIVE and _rivals(tx, old):
                raise Conflict(
                    f"memory {id} cannot come back: {old.key!r} has another value by now; "
                    "forget that one first, or remember this value anew"
                )
            set_status(tx, old, status, scope.now())
            entries.append(Entry(Action.RESTORED, id))
        return Receipt(entries=tuple(entries))

    return scope.write(work)


def written(tx: Tx, now: datetime) -> None:
    """Promise what every written memory needs: its vector, and a look at what it contradicts."""
    queue.enqueue(tx, "embed", now, key="embed")
    queue.enqueue(tx, "scan", now, key="scan", priority=-1)


def existing(tx: Tx, scope: Scope, id: str) -> Record:
    """A memory of the view, or NotFound."""
    found = table.by_id(tx, [id], scope.view.spaces)
    if id not in found:
        raise NotFound(f"no memory {id} in {', '.join(scope.view.spaces)}")
    return found[id]


def set_status(tx: Tx, old: Record, status: Status, now: datetime) -> Record:
    """A new version that differs in status only."""
    return table.replace_version(tx, old, replace(old, status=status, recorded_at=_after(old, now)))


def wake(tx: Tx, asleep: Record, now: datetime) -> Record:
    """Bring an archived memory back because it was used, unless its key has another value by now."""
    return asleep if _rivals(tx, asleep) else set_status(tx, asleep, Status.ACTIVE, now)


def supersede(tx: Tx, old: Record, new: Record) -> None:
    """Close the old value where the new one begins, link them, and doubt what leans on the old one."""
    ended = replace(
        old,
        status=Status.SUPERSEDED,
        valid_to=max(new.valid_from, old.valid_from),
        recorded_at=_after(old, new.recorded_at),
    )
    table.replace_version(tx, old, ended)
    link = Link(source=new.id, target=old.id, type=LinkType.SUPERSEDES, created_at=new.recorded_at)
    links.put(tx, [link])
    doubt.spread(tx, old, new)


def _store(tx: Tx, scope: Scope, new: Record) -> Receipt:
    new = replace(new, trust=_least_trust(tx, scope, new))
    rivals = _rivals(tx, new) if new.key else []
    same = next((r for r in rivals if r.value == new.value), None)
    if same is not None and new.valid_to is None:
        return _confirm(tx, same, new)
    later = [r for r in rivals if r.valid_from > new.valid_from]
    if later:  # an older value, learnt late: it was true until the next one began
        ended = new.valid_to or min(r.valid_from for r in later)
        new = replace(new, status=Status.SUPERSEDED, valid_to=ended)
    spaces.create(tx, Space(path=new.space, created_at=new.recorded_at))
    table.insert(tx, [new])
    if not later and new.valid_to is None:
        for old in rivals:
            supersede(tx, old, new)
    written(tx, new.recorded_at)
    return Receipt(entries=(Entry(Action.STORED, new.id),))


def _confirm(tx: Tx, known: Record, again: Record) -> Receipt:
    """The same value again: keep one memory, with the better confidence and all sources."""
    table.add_sources(tx, [(known.id, source) for source in again.sources])
    if again.confidence > known.confidence or again.importance > known.importance or known.doubtful:
        better = replace(
            doubt.cleared(known),
            confidence=max(known.confidence, again.confidence),
            importance=max(known.importance, again.importance),
            recorded_at=_after(known, again.recorded_at),
        )
        table.replace_version(tx, known, better)
    return Receipt(entries=(Entry(Action.MERGED, known.id, "this value was already known"),))


def _rivals(tx: Tx, r: Record) -> list[Record]:
    """Other active memories that answer to the same key."""
    if r.key is None:
        return []
    return [o for o in table.by_key(tx, r.space, r.key, r.subject, r.category) if o.id != r.id]


def _least_trust(tx: Tx, scope: Scope, new: Record) -> Trust:
    """The least trust of what a memory says of itself and of its sources, which must be in the view."""
    seen = scope.view.spaces
    by_kind = {kind: [s.id for s in new.sources if s.kind == kind] for kind in SourceKind}
    messages = conversations.messages_by_id(tx, by_kind[SourceKind.MESSAGE], seen)
    records = table.by_id(tx, by_kind[SourceKind.MEMORY], seen)
    known: dict[str, Message | Record] = {**messages, **records}
    for source in new.sources:
        if source.kind in (SourceKind.MESSAGE, SourceKind.MEMORY) and source.id not in known:
            raise NotFound(f"no {source.kind} {source.id} in {', '.join(seen)} to derive from")
    return Trust.least(new.trust, *(thing.trust for thing in known.values()))


def levelled(r: Record) -> Record:
    """The memory with the levels that were not given, made from (the beginning of) its text."""
    from recollect.text.levels import levels

    sizes = levels(r.text[:LEVELLED], key=r.key or "", value=r.value or "")
    return replace(
        r,
        summary=r.summary or sizes.summary or None,
        brief=r.brief or sizes.brief or None,
        tag=r.tag or sizes.tag or None,
    )


def _after(old: Record, now: datetime) -> datetime:
    """A version never begins before the one it follows, even if the clock went back."""
    return max(now, old.recorded_at)


def _check_validity(r: Record) -> None:
    if r.valid_to is not None and r.valid_to < r.valid_from:
        raise InvalidInput("valid_to is before valid_from: a memory cannot end before it begins")
    if (r.kind == Kind.EPISODE) != (r.episode is not None):
        raise InvalidInput("an episode memory has kind='episode' and episode=Episode(…), both or neither")


def checked_fields(given: Mapping[str, Any], allowed: type) -> dict[str, Any]:
    """The given fields, each checked; unknown ones are refused by name."""
    known = allowed.__annotations__.keys() | Fields.__annotations__.keys()
    unknown = sorted(given.keys() - known)
    if unknown:
        raise InvalidInput(f"unknown field {unknown[0]!r}; known are: {', '.join(sorted(known))}")
    checked: dict[str, Any] = dict(given)
    for field in checked:
        checked[field] = _field(field, given[field])
    return checked


def _field(field: str, value: Any) -> Any:
    """One field, checked by the rule for its kind of value."""
    if field in _NAMES:
        return gate.name(value, field)
    if field in _TEXTS:
        return None if value is None else gate.redacted(gate.text(value, field))[0]
    if field in _FLAGS:
        return gate.flag(value, field)
    match field:
        case "text":
            return gate.redacted(gate.text(value, "the memory"))[0]
        case "kind":
            return gate.choice(value, Kind, "kind")
        case "trust":
            return gate.choice(value, Trust, "trust")
        case "importance" | "confidence":
            return gate.share(value, field)
        case "tags":
            return gate.tags(value)
        case "valid_from":
            return gate.moment(value, field)
        case "valid_to":
            return gate.optional_moment(value, field)
        case "metadata":
            return gate.metadata(value)
        case "episode":
            return None if value is None else _episode(value)
        case "artifacts":
            return tuple(_artifact(a) for a in value)
        case _:
            return tuple(_source(s) for s in value)


def _episode(value: object) -> Episode:
    if not isinstance(value, Episode):
        raise InvalidInput(f"episode must be an Episode, not {type(value).__name__}")
    gate.text(value.title, "the episode's title", gate.MAX_NAME)
    for field in fields(value):
        held = getattr(value, field.name)
        if isinstance(held, str) and held:
            gate.text(held, f"the episode's {field.name}")
    return replace(
        value,
        type=gate.choice(value.type, EpisodeType, "episode type"),
        participants=gate.tags(value.participants),
        valence=gate.share(value.valence, "valence", low=-1.0),
    )


def _artifact(value: object) -> Artifact:
    if not isinstance(value, Artifact):
        raise InvalidInput(f"an artifact must be an Artifact, not {type(value).__name__}")
    ref = gate.text(value.ref, "an artifact's ref", gate.MAX_NAME)
    return Artifact(gate.choice(value.type, ArtifactType, "artifact type"), ref)


def _source(value: object) -> Source:
    if not isinstance(value, Source):
        raise InvalidInput(f"a source must be a Source, not {type(value).__name__}")
    kind = gate.choice(value.kind, SourceKind, "source kind")
    return Source(kind, checked_id(value.id, "a source id"))

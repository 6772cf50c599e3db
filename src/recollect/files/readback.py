"""A person's edits to a memory file as memories: nothing written is lost, nothing forgotten for good."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, time

from recollect.errors import InvalidInput
from recollect.files.compare import Compared, Pair, line_digest, memory_digest
from recollect.files.lines import CATEGORIES, PROTECTED, item_of
from recollect.files.memory_md import Heading, Item
from recollect.ingest import gate
from recollect.ingest.knowledge import OWN_KINDS, USER
from recollect.ingest.remember import set_status, supersede
from recollect.ingest.rules.candidate import Candidate, Said
from recollect.ingest.rules.extract import extract
from recollect.ingest.rules.orders import looks_like_orders
from recollect.ingest.rules.reconcile import Known, reconcile
from recollect.model.conversation import Trust
from recollect.model.document import Document, LineRow, Owner
from recollect.model.ids import derived_id
from recollect.model.receipt import Action, Entry
from recollect.model.record import DEFAULT_IMPORTANCE, Kind, Record, Source, SourceKind, Status, importance_of
from recollect.model.reflection import Question
from recollect.model.relation import LinkType
from recollect.store import contradictions, documents, links, memories
from recollect.store.database import Tx
from recollect.text.levels import levels
from recollect.text.similarity import negated

MADE_BY = "file:memory.md"
MAX_LINE = 10_000
_ASLEEP = (Status.ACTIVE, Status.ARCHIVED, Status.PENDING, Status.QUARANTINED)


@dataclass(slots=True)
class ReadBack:
    """One reading of a person's edits, in one transaction."""

    tx: Tx
    document: Document
    now: datetime
    entries: list[Entry] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    clashes: int = 0

    def take(self, compared: Compared, records: Mapping[str, Record], *, lost: bool) -> None:
        """Bring the store up to what the file says; `lost` means that missing lines are no deletions."""
        for number, item in compared.added:
            self._added(number, item)
        for pair in compared.changed:
            self._changed(pair, records.get(pair.row.memory))
        for pair in compared.returned:
            self._returned(pair, records.get(pair.row.memory))
        kept = {p.row.memory for p in (*compared.same, *compared.changed, *compared.returned)}
        for row in compared.deleted:
            self._deleted(row, records.get(row.memory), alone=row.memory not in kept, lost=lost)

    def _added(self, number: int, item: Item) -> None:
        """A line of a person's own becomes a memory, or is recognised as one that is known."""
        body, reason = self._body(number, item)
        if body is None:
            return
        new = self._record(item, body)
        if looks_like_orders(body):
            new = replace(new, kind=Kind.NOTE, key=None, value=None, status=Status.QUARANTINED)
            self._insert(new)
            self.entries.append(Entry(Action.QUARANTINED, new.id, "gives orders to the assistant"))
            self._agree(item, new)
            return
        twin, rivals, why = self._known(new)
        if twin is not None and twin.trust == Trust.USER:
            self._agree(item, self._weighed(twin, item))
            self.entries.append(Entry(Action.MERGED, twin.id, "already known"))
            return
        if self._insert(new):
            self.entries.append(Entry(Action.STORED, new.id, reason))
        if twin is not None:
            supersede(self.tx, twin, new)
        for rival in rivals:
            self._clash(rival, new, why)
        self._agree(item, new)

    def _changed(self, pair: Pair, old: Record | None) -> None:
        """A person's new words: the next version, unless the store has moved on as well."""
        item = pair.item
        if old is None or old.status == Status.FORGOTTEN:
            documents.drop_lines(self.tx, self.document.id, [pair.row.ref])
            self._added(pair.number, item)
            return
        if memory_digest(old) == pair.row.memory_digest and old.status in _ASLEEP:
            self._next(pair, old)
            return
        if _same_words(item, old) and old.status in _ASLEEP:
            self._agree(item, self._weighed(old, item), pair.row.ref)
            return
        body, _ = self._body(pair.number, item)
        if body is None:
            return
        new = self._record(item, body)
        if self._insert(new):
            self.entries.append(Entry(Action.STORED, new.id, "changed in the file and in the store"))
        for rival in self._heirs(old):
            self._clash(rival, new, "changed in the file and in the store")
        self._agree(item, new, pair.row.ref)

    def _next(self, pair: Pair, old: Record) -> None:
        """A version of the same memory; another value, or another's words, make a memory that follows it."""
        item = pair.item
        body, reason = (old.text, None) if _same_words(item, old) else self._body(pair.number, item)
        if body is None:
            return
        key, value = _revalued(old, body)
        if (old.trust != Trust.USER and body != old.text) or (old.key and value != old.value):
            new = replace(self._record(item, body), kind=old.kind, subject=old.subject, key=key, value=value)
            new = replace(new, episode=old.episode, category=old.category, metadata=dict(old.metadata))
            self._insert(new)
            supersede(self.tx, old, new)
            self.entries.append(Entry(Action.STORED, new.id, reason or f"in place of {old.id}"))
        else:
            sizes = levels(body, key=key or "", value=value or "")
            new = replace(
                old,
                text=body,
                summary=sizes.summary or None,
                brief=sizes.brief or None,
                tag=sizes.tag or None,
                key=key,
                value=value,
                importance=_importance(item, old),
                valid_from=_since(item, old.valid_from),
                recorded_at=max(self.now, old.recorded_at),
            )
            new = memories.replace_version(self.tx, old, new)
            self.entries.append(Entry(Action.UPDATED, new.id, reason))
        self._agree(item, new, pair.row.ref)

    def _returned(self, pair: Pair, old: Record | None) -> None:
        """A line that was taken out stands there again: so does its memory."""
        if old is None:
            self._ask(pair.item.text, pair.row.memory, "its memory was erased: take the line out by hand")
            return
        if old.status == Status.FORGOTTEN:
            old = set_status(self.tx, old, Status.ACTIVE, self.now)
            self.entries.append(Entry(Action.RESTORED, old.id, "its line is back"))
        self._agree(pair.item, old, pair.row.ref)

    def _deleted(self, row: LineRow, old: Record | None, *, alone: bool, lost: bool) -> None:
        """A line that was taken out: its memory is set aside, unless that is for a person to say."""
        gone = replace(row, owner=Owner.GONE)
        documents.put_lines(self.tx, self.document.id, [gone])
        if old is None or not alone or old.status not in _ASLEEP:
            return
        if lost:
            self._ask(old.text, old.id, "all lines are gone at once: nothing was forgotten")
        elif old.significance >= PROTECTED or old.pinned:
            self._ask(old.text, old.id, f"sig {old.significance}: forget it with `recollect forget {old.id}`")
        elif memory_digest(old) != row.memory_digest:
            self._ask(old.text, old.id, "it changed in the store since: it was not forgotten")
        else:
            set_status(self.tx, old, Status.FORGOTTEN, self.now)
            self.entries.append(Entry(Action.FORGOTTEN, old.id, "its line was taken out"))

    def _body(self, number: int, item: Item) -> tuple[str | None, str | None]:
        """What a line says as it may be stored, and what was taken out; None where it cannot be."""
        try:
            return gate.redacted(gate.text(item.text, f"the line in block {number + 1}", MAX_LINE))
        except InvalidInput as error:
            self.problems.append(f"not read as a memory: {error}")
            return None, None

    def _record(self, item: Item, body: str) -> Record:
        """The memory that a person's line states; never an instruction, whatever it says."""
        candidates = [c for c in extract(Said(body, self.now), None) if c.key and c.kind not in OWN_KINDS]
        told = candidates[0] if len(candidates) == 1 and item.heading == Heading.IS else None
        kind = Kind(told.kind) if told else Kind.FACT if item.heading == Heading.IS else Kind.NOTE
        sizes = levels(body)
        return Record(
            id=derived_id(self.document.recorded_at, self.tx.tenant, self.document.id, "line", body),
            space=self.document.space,
            kind=kind,
            text=body,
            summary=sizes.summary or None,
            brief=sizes.brief or None,
            tag=sizes.tag or None,
            trust=Trust.USER,
            recorded_at=self.now,
            valid_from=_since(item, self.now),
            subject=told.subject if told and told.subject != USER else None,
            category=CATEGORIES[item.heading],
            key=told.key if told else None,
            value=told.value if told else None,
            importance=importance_of(item.significance) if item.significance else DEFAULT_IMPORTANCE[kind],
            made_by=MADE_BY,
            metadata={"many": True} if told and told.cardinality == "many" else {},
            sources=(Source(SourceKind.DOCUMENT, self.document.id),),
        )

    def _known(self, new: Record) -> tuple[Record | None, list[Record], str]:
        """The memory that says the same, those that cannot be true beside it, and why."""
        known = memories.about(self.tx, new.space, new.key, new.subject) if new.key else []
        known += [r for r in memories.alike(self.tx, new.space, new.text, 20) if r not in known]
        held = {r.id: r for r in known if r.status == Status.ACTIVE}
        for key in dict.fromkeys((new.key or "", "")):
            verdict = reconcile(_statement(new, key), [_as_known(r, new, key) for r in held.values()])
            if verdict.action == "confirm":
                return held[verdict.confirms], [], ""
            if verdict.action in ("supersede", "contradiction"):
                return None, [held[id] for id in verdict.replaces], verdict.reason
        return None, [], ""

    def _heirs(self, old: Record) -> list[Record]:
        """What the store believes now in place of a memory."""
        if old.status in _ASLEEP:
            return [old]
        found = links.touching(self.tx, [old.id], (LinkType.SUPERSEDES,), [old.space])
        heirs = [link.source for link in found if link.target == old.id]
        return list(memories.by_id(self.tx, heirs, [old.space]).values()) or [old]

    def _clash(self, a: Record, b: Record, reason: str) -> None:
        """Keep both sides, and say that they cannot both be true."""
        if a.id != b.id:
            self.clashes += contradictions.record(self.tx, a, b, f"memory.md: {reason}", self.now)

    def _insert(self, new: Record) -> bool:
        """Store a memory, or bring it back if the same line stood there before; whether it is new."""
        known = memories.by_id(self.tx, [new.id], [new.space]).get(new.id)
        if known is None:
            memories.insert(self.tx, [new])
            return True
        if known.status not in (Status.ACTIVE, Status.QUARANTINED):
            fresh = replace(known, status=Status.ACTIVE, valid_to=None)
            at = max(self.now, known.recorded_at)
            memories.replace_version(self.tx, known, replace(fresh, recorded_at=at))
            self.entries.append(Entry(Action.RESTORED, known.id, "its line is back"))
        return False

    def _weighed(self, known: Record, item: Item) -> Record:
        """The memory with the significance that the line gives it."""
        weight = _importance(item, known)
        if weight == known.importance:
            return known
        at = max(self.now, known.recorded_at)
        self.entries.append(Entry(Action.UPDATED, known.id, f"sig {item.significance}"))
        return memories.replace_version(self.tx, known, replace(known, importance=weight, recorded_at=at))

    def _agree(self, item: Item, record: Record, ref: str | None = None) -> None:
        """Note that this line, a person's from now on, stands for this memory."""
        row = LineRow(
            ref=ref or f"{line_digest(item) & (2**64 - 1):016x}",
            memory=record.id,
            owner=Owner.THEIRS,
            line_digest=line_digest(item),
            memory_digest=memory_digest(record),
        )
        documents.put_lines(self.tx, self.document.id, [row])

    def _ask(self, line: str, memory: str, reason: str) -> None:
        self.questions.append(Question(line=line, memory=memory, reason=reason))


def _importance(item: Item, known: Record) -> float:
    """What the line says; where it says the same or nothing, what is known."""
    if item.significance is None or item.significance == known.significance:
        return known.importance
    return importance_of(item.significance)


def _since(item: Item, otherwise: datetime) -> datetime:
    """Midnight of the line's day; a known moment of that day is kept."""
    if item.day is None or otherwise.date() == item.day:
        return otherwise
    return datetime.combine(item.day, time(), UTC)


def _revalued(old: Record, text: str) -> tuple[str | None, str | None]:
    """Key and value of a reworded memory: the value is what stands in the place of the old one."""
    if not old.key or not old.value:
        return None, None
    if old.value in text:
        return old.key, old.value
    head, found, tail = old.text.partition(old.value)
    middle = text[len(head) : len(text) - len(tail)] if found else ""
    if middle.strip() and text.startswith(head) and text.endswith(tail):
        return old.key, middle.strip()
    return None, None


def _same_words(item: Item, record: Record) -> bool:
    """Whether a line says what recollect would write for a memory."""
    return item.text == item_of(record, item.heading).text


def _statement(new: Record, key: str) -> Candidate:
    """A memory as reconciliation reads a new statement, under its key or by its words."""
    return Candidate(
        "fact", new.text, USER, "", key, new.value or new.text,
        "many" if new.metadata.get("many") else "one", 1.0, new.importance, MADE_BY, 0, 0,
        negated=not key and negated(new.text),
    )  # fmt: skip


def _as_known(r: Record, new: Record, key: str) -> Known:
    """A memory as reconciliation compares it; without a key, the words alone decide."""
    subject = USER if not key or r.subject == new.subject else r.subject or ""
    held = r.key or "" if key else ""
    return Known(
        r.id, subject, held, r.value or "", r.text, r.confidence,
        cardinality="many" if r.metadata.get("many") else "one",
        negated=bool(r.metadata.get("negated")) if key else negated(r.text),
    )  # fmt: skip

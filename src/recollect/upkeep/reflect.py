"""Reflection, the MemoryMaster: what conversations gave goes into `memory.md`, a person's edits come back.

The file is read; a person's edits become memories in one transaction; what was learnt since the last pass
is distilled into lines; the file is replaced in one step if nobody wrote it meanwhile, else all begins
again with the newer file. What file and store agree on is noted last: a crash anywhere repeats the pass
with the same outcome, because a line carries the mark of its memory.
"""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from recollect.errors import Conflict, ModelUnavailable
from recollect.files import disk
from recollect.files.compare import Compared, Pair, compare, line_digest, memory_digest
from recollect.files.distil import LIMIT, Draft, Tell, fit, follow, fresh
from recollect.files.lines import item_of, ref_of
from recollect.files.memory_md import Item, Page, edited, items, parse
from recollect.files.readback import ReadBack
from recollect.jobs import queue
from recollect.model.document import Document, LineRow, Owner
from recollect.model.ids import derived_id
from recollect.model.record import Record
from recollect.model.reflection import Reflection
from recollect.model.space import Space
from recollect.store import documents, feed, memories, spaces
from recollect.store.database import Tx
from recollect.store.scope import Scope

ATTEMPTS = 50
CANDIDATES = 400
"""So many of the weightiest new memories are looked at: more would not fit into a file."""
ALL_AT_ONCE = 3
"""From so many lines on, none of them left means another file or half a save, not a person's wish."""
RULES = "rules:reflect"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Which file, for which space, from which spaces, and who tells the new lines."""

    path: Path
    space: str
    sources: tuple[str, ...]
    tell: Tell | None = None
    made_by: str = RULES
    limit: int = LIMIT


@dataclass(slots=True)
class Pass:
    """One attempt: the file as it was read, what the store knows of it, and what came of it."""

    before: disk.Snapshot
    page: Page
    document: Document
    head: int = 0
    conversations: int = 0
    compared: Compared = field(default_factory=Compared)
    back: ReadBack | None = None
    records: dict[str, Record] = field(default_factory=dict)
    candidates: list[Record] = field(default_factory=list)
    anew: tuple[str, ...] = ()


class _DryRun(Exception):
    """Carries what a dry run found out of the transaction that is rolled back."""

    def __init__(self, found: Reflection) -> None:
        super().__init__()
        self.found = found


def reflect(scope: Scope, request: Request, *, dry_run: bool = False) -> Reflection:
    """One pass over a memory file; with `dry_run` nothing changes and `diff` says what would."""
    path = disk.project_path(request.path)
    for _ in range(ATTEMPTS):
        before = disk.read(path)
        try:
            if dry_run:
                return _tried(scope, request, before)
            return _done(scope, request, before)
        except disk.Changed:
            continue
    raise Conflict(f"{path} was changed by somebody else {ATTEMPTS} times in a row: try again later")


def _done(scope: Scope, request: Request, before: disk.Snapshot) -> Reflection:
    taken = scope.write(partial(_take_back, scope=scope, request=request, before=before))
    draft, made_by, told = _drafted(taken, request)
    text = edited(taken.page, draft.changes, [new.item for new in draft.added])
    problem = None
    digest = before.digest
    if text != before.text:
        try:
            _check_readable(text, draft)
            digest = disk.replace(before, text)
        except disk.Unwritable as error:
            problem = str(error)
    found = _result(taken, request, draft, text, made_by)
    if problem is not None:
        nothing = {"added": 0, "updated": 0, "removed": 0, "merged": 0, "pruned": 0}
        return replace(found, problems=(*found.problems, *told, problem), **nothing)  # type: ignore[arg-type]
    scope.write(
        partial(_agree, taken=taken, draft=draft, digest=digest or "", text=text, sources=request.sources)
    )
    return replace(found, problems=(*found.problems, *told), written=text != before.text)


def _check_readable(text: str, draft: Draft) -> None:
    """New lines must not end up inside a fence or comment of a person's that is not closed."""
    seen = {item.ref for _, item in items(parse(text))}
    if any(new.item.ref not in seen for new in draft.added):
        raise disk.Unwritable("a code fence or comment of the file is not closed: close it first")


def _tried(scope: Scope, request: Request, before: disk.Snapshot) -> Reflection:
    """Everything inside one transaction that is taken back; without a model, which may not be waited for."""

    def work(tx: Tx) -> None:
        taken = _take_back(tx, scope, request, before)
        draft, made_by, _ = _drafted(taken, replace(request, tell=None))
        text = edited(taken.page, draft.changes, [new.item for new in draft.added])
        raise _DryRun(replace(_result(taken, request, draft, text, made_by), dry_run=True))

    try:
        scope.write(work)
    except _DryRun as dry:
        return dry.found
    raise AssertionError("a dry run is always taken back")


def _take_back(tx: Tx, scope: Scope, request: Request, before: disk.Snapshot) -> Pass:
    """Read a person's edits into the store, and look up what the lines and the news are."""
    now = scope.now()
    taken = Pass(before, parse(before.text), _document(tx, request, before, scope))
    rows = documents.lines(tx, taken.document.id)
    for space in request.sources:
        cursor = feed.cursor(tx, _cursor(taken.document, space))
        ids = feed.believed_after(tx, [space], cursor, CANDIDATES)
        taken.candidates += memories.by_id(tx, ids, [space]).values()
        taken.conversations += feed.conversations_after(tx, [space], cursor)
    found = list(items(taken.page))
    adopted = _adopted(found, rows, taken.candidates)
    rows |= adopted
    known = _records(tx, rows, request)
    taken.compared = compare(found, rows, {id: r.text for id, r in known.items()})
    if not found:  # no file, or an empty one: it is written anew, and nothing is forgotten
        taken.candidates = list({r.id: r for r in (*known.values(), *taken.candidates)}.values())
        taken.compared.deleted, taken.anew = [], tuple(rows)
    living = [row for row in rows.values() if row.owner != Owner.GONE]
    lost = len(living) >= ALL_AT_ONCE and len(taken.compared.deleted) == len(living)
    taken.back = ReadBack(tx, taken.document, now)
    taken.back.take(taken.compared, known, lost=lost)
    if taken.back.entries:
        queue.enqueue(tx, "embed", now, key="embed")
    rows = adopted | documents.lines(tx, taken.document.id)
    taken.records = _records(tx, rows, request)
    if found:
        taken.candidates = _unsettled(taken.candidates, rows, found)
    taken.head = feed.head(tx)
    return taken


def _unsettled(
    candidates: Sequence[Record], rows: Mapping[str, LineRow], found: Sequence[tuple[int, Item]]
) -> list[Record]:
    """Without what a person wrote or took out and nobody has changed since; marked lines know their own."""
    settled = {row.memory: row.memory_digest for row in rows.values()}
    marked = {item.ref for _, item in found}
    return [r for r in candidates if settled.get(r.id) != memory_digest(r) or ref_of(r.id) in marked]


def _document(tx: Tx, request: Request, before: disk.Snapshot, scope: Scope) -> Document:
    known = documents.by_path(tx, request.space, str(before.path))
    if known is not None:
        return known
    now = scope.now()
    spaces.create(tx, Space(path=request.space, created_at=now))
    made = Document(
        id=derived_id(now, tx.tenant, request.space, str(before.path)),
        space=request.space,
        path=str(before.path),
        digest="",
        bytes=0,
        changed_at=now,
        recorded_at=now,
    )
    documents.put(tx, made)
    return made


def _cursor(document: Document, space: str) -> str:
    """The name of the cursor that says how far a file has followed a space."""
    return f"reflect:{document.id}:{space}"


def _adopted(
    found: Sequence[tuple[int, Item]], rows: Mapping[str, LineRow], candidates: Sequence[Record]
) -> dict[str, LineRow]:
    """Lines that we wrote and could not note any more: their mark is that of a new memory."""
    by_ref = {ref_of(record.id): record for record in candidates}
    return {
        item.ref: LineRow(
            ref=item.ref,
            memory=by_ref[item.ref].id,
            owner=Owner.OURS,
            line_digest=line_digest(item_of(by_ref[item.ref], item.heading)),
            memory_digest=memory_digest(by_ref[item.ref]),
        )
        for _, item in found
        if item.ref in by_ref and item.ref not in rows
    }


def _records(tx: Tx, rows: Mapping[str, LineRow], request: Request) -> dict[str, Record]:
    seen = tuple(dict.fromkeys((request.space, *request.sources)))
    return memories.by_id(tx, [row.memory for row in rows.values()], seen)


def _drafted(taken: Pass, request: Request) -> tuple[Draft, str, list[str]]:
    """What to write: lines that follow the store, and what is new, as far as there is room."""
    pairs = [*taken.compared.same]
    draft = follow(pairs, taken.records)
    standing = [item for _, item in items(taken.page)]
    new = fresh(taken.candidates, standing)
    made_by, told = RULES, []
    if request.tell is not None and new:
        try:
            new, made_by = request.tell(new, standing), request.made_by
        except ModelUnavailable as error:
            told.append(f"told by the rules alone: {error}")
    return fit(draft, pairs, taken.records, new, request.limit), made_by, told


def _agree(tx: Tx, taken: Pass, draft: Draft, digest: str, text: str, sources: Sequence[str]) -> None:
    """Note what stands in the file now, and how far it has followed the store."""
    document = taken.document
    lines = [
        LineRow(
            ref=new.item.ref or "",
            memory=new.record.id,
            owner=Owner.OURS,
            line_digest=line_digest(new.item),
            memory_digest=memory_digest(new.record),
        )
        for new in (*draft.added, *draft.updated)
    ]
    rewritten = {row.ref for row in lines} | set(draft.dropped)
    lines += [pair.row for pair in _ours(taken.compared.same) if pair.row.ref not in rewritten]
    documents.drop_lines(tx, document.id, [*draft.dropped, *taken.anew])
    documents.put_lines(tx, document.id, lines)
    documents.put(tx, replace(document, digest=digest, bytes=len(disk.encoded(text))))
    for space in sources:
        feed.advance(tx, _cursor(document, space), taken.head)


def _ours(pairs: Sequence[Pair]) -> list[Pair]:
    return [pair for pair in pairs if pair.row.owner == Owner.OURS]


def _result(taken: Pass, request: Request, draft: Draft, text: str, made_by: str) -> Reflection:
    assert taken.back is not None
    before = taken.before
    name = before.path.name
    diff = difflib.unified_diff(
        before.text.splitlines(keepends=True),
        text.splitlines(keepends=True),
        f"{name} as it is",
        f"{name} after reflection",
    )
    shown = "".join(line if line.endswith("\n") else f"{line}\n" for line in diff)
    return Reflection(
        path=str(before.path),
        space=request.space,
        conversations=taken.conversations,
        read=tuple(taken.back.entries),
        added=len(draft.added),
        updated=len(draft.updated),
        removed=draft.removed,
        merged=draft.merged,
        pruned=draft.pruned,
        contradictions=taken.back.clashes,
        questions=(*taken.back.questions, *draft.questions),
        problems=tuple(taken.back.problems),
        made_by=made_by,
        diff=shown.encode("utf-8", "replace").decode("utf-8"),
    )

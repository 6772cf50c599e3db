"""Which lines recollect writes into a memory file: new ones, changed ones, and which must go. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from recollect.files.compare import Pair, memory_digest
from recollect.files.lines import PROTECTED, heading_of, item_of
from recollect.files.memory_md import Heading, Item, line_of, plain
from recollect.ingest.rules.reconcile import SAME_TEXT
from recollect.model.document import Owner
from recollect.model.record import SESSION, Kind, Record, Status
from recollect.model.reflection import Question
from recollect.text.similarity import content, differs_in_substance

LIMIT = 16_000
"""Characters of recollect's own lines: about 4,000 tokens, so that an assistant can read it all."""
MERGED = 0.6
"""With this overlap one line is enough where there is not room for all."""
RETOLD = 0.7
"""A session of which other lines tell this share needs no line of its own."""


@dataclass(frozen=True, slots=True)
class New:
    """A memory that should have a line, and that line."""

    record: Record
    item: Item


Tell = Callable[[Sequence[New], Sequence[Item]], list[New]]
"""Tells the new lines, given those that stand there: the rules leave them, an LLM says them better."""


@dataclass(slots=True)
class Draft:
    """What is to be written: blocks to change or (None) to leave out, and new lines."""

    changes: dict[int, Item | None] = field(default_factory=dict)
    added: list[New] = field(default_factory=list)
    updated: list[New] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    removed: int = 0
    merged: int = 0
    pruned: int = 0


@dataclass(frozen=True, slots=True)
class _Ours:
    """One line of ours that may go: one that stands there, or one that is new."""

    item: Item
    record: Record | None
    number: int | None = None
    ref: str = ""

    @property
    def size(self) -> int:
        return len(line_of(self.item)) + 1

    @property
    def worth(self) -> tuple[int, bool, str]:
        """The least worth goes first: low significance, then what is only told again, then old."""
        at = self.record.valid_from.isoformat() if self.record else ""
        return self.item.significance or 1, self.record is None or self.record.category != SESSION, at


def follow(pairs: Sequence[Pair], records: Mapping[str, Record]) -> Draft:
    """What the store says of lines that nobody touched: ours follow it, others are asked about."""
    draft = Draft()
    for pair in pairs:
        record = records.get(pair.row.memory)
        heading = None if record is None else heading_of(record)
        if record is not None and heading is not None and memory_digest(record) == pair.row.memory_digest:
            continue
        ours = pair.row.owner == Owner.OURS
        if record is None and ours:
            _drop(draft, pair)
        elif not ours or (pair.item.significance or 0) >= PROTECTED:
            if not _still_holds(pair, record):
                _ask(draft, pair, record)
        elif record is None or heading is None:
            _drop(draft, pair)
        else:
            item = item_of(record, pair.item.heading)
            draft.changes[pair.number] = item
            draft.updated.append(New(record, item))
    return draft


def _still_holds(pair: Pair, record: Record | None) -> bool:
    """Whether a line that is not ours to change says nothing that the store takes back."""
    if record is None or record.status in (Status.SUPERSEDED, Status.FORGOTTEN):
        return False
    return memory_digest(record) == pair.row.memory_digest or pair.item.text == plain(record.text)


def _drop(draft: Draft, pair: Pair) -> None:
    draft.changes[pair.number] = None
    draft.dropped.append(pair.row.ref)
    draft.removed += 1


def _ask(draft: Draft, pair: Pair, record: Record | None) -> None:
    if record is None:
        reason = "its memory was erased: take the line out by hand"
    elif heading_of(record) is None:
        reason = f"its memory is {record.status} by now"
    else:
        reason = f"the store says by now: {record.text}"
    draft.questions.append(Question(line=pair.item.text, memory=pair.row.memory, reason=reason))


def fresh(candidates: Sequence[Record], standing: Sequence[Item]) -> list[New]:
    """The candidates that tell something no line tells yet, in the order they will stand in.

    Statements come before episodes and sessions, which tell the same again.
    """
    found: list[New] = []
    telling: list[New] = []
    told = [(item.text, content(item.text)) for item in standing]
    refs = {item.ref for item in standing}
    for record in sorted(candidates, key=lambda r: (r.category == SESSION, r.kind == Kind.EPISODE)):
        heading = heading_of(record)
        if heading is None:
            continue
        new = New(record, item_of(record, heading))
        if new.item.ref in refs:
            telling.append(new)
        elif not (_told(new, told) or _retold(new, telling)):
            found.append(new)
            telling.append(new)
            told.append((new.item.text, content(new.item.text)))
    return sorted(found, key=_order)


def _told(new: New, told: Sequence[tuple[str, frozenset[str]]]) -> bool:
    """Whether a line says the same, or for a session, whether the lines together do."""
    words = content(new.item.text)
    if new.record.category == SESSION:
        everything = frozenset().union(*(other for _, other in told))
        return len(words & everything) >= RETOLD * len(words)
    return any(_alike(new.item.text, words, text, other) >= SAME_TEXT for text, other in told)


def _retold(new: New, telling: Sequence[New]) -> bool:
    """Whether an episode only tells what a statement from the same message says."""
    if new.record.kind != Kind.EPISODE:
        return False
    words, sources = content(new.item.text), set(new.record.sources)
    return any(
        sources & set(other.record.sources) and len(words & content(other.item.text)) >= RETOLD * len(words)
        for other in telling
    )


def _alike(a: str, words: frozenset[str], b: str, others: frozenset[str]) -> float:
    """Shared words of two lines, 0 where they differ in a name, number, date or negation."""
    both = len(words | others)
    share = len(words & others) / both if both else 0.0
    return share if share >= MERGED and not differs_in_substance(a, b) else 0.0


def _order(new: New) -> tuple[object, ...]:
    if new.item.heading == Heading.IS:
        return (0, -(new.item.significance or 0), new.record.valid_from, new.record.text)
    return (1, 0, new.record.valid_from, new.record.text)


def fit(
    draft: Draft, pairs: Sequence[Pair], records: Mapping[str, Record], new: Sequence[New], limit: int = LIMIT
) -> Draft:
    """Let lines of ours go until the rest fits: likenesses first, then the least significant and oldest."""
    standing = [
        _Ours(draft.changes.get(p.number) or p.item, records.get(p.row.memory), p.number, p.row.ref)
        for p in pairs
        if p.row.owner == Owner.OURS and draft.changes.get(p.number, p.item) is not None
    ]
    lines = [*standing, *(_Ours(n.item, n.record) for n in new)]
    size = sum(line.size for line in lines)
    kept: list[_Ours] = []
    gone: list[_Ours] = []
    words = {line.item.text: content(line.item.text) for line in lines}
    for line in sorted(lines, key=lambda line: line.worth, reverse=True):
        repeats = size > limit and not _protected(line) and _repeats(line, kept, words)
        (gone if repeats else kept).append(line)
        size -= line.size if repeats else 0
    draft.merged = len(gone)
    for line in reversed(kept):
        if size > limit and not _protected(line):
            gone.append(line)
            size -= line.size
    for line in reversed(kept):  # what must never go is not let in without end
        if size > 2 * limit and _protected(line) and line.number is None:
            gone.append(line)
            size -= line.size
    draft.pruned = len(gone) - draft.merged
    for line in gone:
        _let_go(draft, line)
    unwritten = {line.item.ref for line in gone}
    draft.added = [n for n in new if n.item.ref not in unwritten]
    return draft


def _protected(line: _Ours) -> bool:
    return (line.item.significance or 0) >= PROTECTED or (line.record is not None and line.record.pinned)


def _repeats(line: _Ours, kept: Sequence[_Ours], words: Mapping[str, frozenset[str]]) -> bool:
    text = line.item.text
    others = (other.item.text for other in kept)
    return any(_alike(text, words[text], other, words[other]) >= MERGED for other in others)


def _let_go(draft: Draft, line: _Ours) -> None:
    if line.number is not None:
        draft.changes[line.number] = None
        draft.dropped.append(line.ref)
        draft.updated = [n for n in draft.updated if n.item.ref != line.ref]

"""The dated list: an app's memories as a context takes them in, within a number of characters."""

from collections.abc import Sequence
from dataclasses import replace

from recollect.context.candidate import Candidate, Option, of_record
from recollect.context.render import App as Pen
from recollect.context.render import Entry
from recollect.model.app import App
from recollect.model.context import Context, Format, LeftOut, Shown, ShownItem, Taken
from recollect.model.conversation import Trust
from recollect.model.ids import new_id
from recollect.model.record import Level, Record
from recollect.store.scope import Scope
from recollect.text.sentences import sentences

CHARACTERS = 2_000
SECTION = "memories"


class _Line:
    """One memory in the list, which can be made shorter step by step."""

    def __init__(self, pen: Pen, n: int, record: Record) -> None:
        self._pen = pen
        self._record = record
        self._smaller: list[Option] | None = None
        self.take(Entry(str(n), _candidate(record), Option(Level.FULL, record.text, 1.0)))

    def take(self, entry: Entry) -> None:
        """Write the line anew."""
        self.entry = entry
        self.text = self._pen.line(entry)

    def shrink(self) -> bool:
        """Take the next smaller size; whether there was one."""
        if self._smaller is None:
            self._smaller = _smaller(self._record)
        if not self._smaller:
            return False
        self.take(replace(self.entry, option=self._smaller.pop(0)))
        return True


def context(scope: Scope, app: App, records: Sequence[Record]) -> tuple[Context, Shown]:
    """The list as text, and what to remember of it; empty where the app has no memories."""
    pen, now = Pen(app.name), scope.now()
    lines = [_Line(pen, n, record) for n, record in enumerate(records, 1)]
    _fit(lines, CHARACTERS - 1 - len(pen.head() + pen.foot()))
    text = pen.head() + "".join(line.text for line in lines) + pen.foot() if lines else ""
    taken = tuple(
        Taken(
            ref=line.entry.ref,
            id=line.entry.candidate.id,
            kind=line.entry.candidate.kind,
            section=SECTION,
            level=line.entry.option.level,
            tokens=len(line.text),
            why=line.entry.candidate.why,
            text=line.entry.option.text,
        )
        for line in lines
    )
    left = (LeftOut(id=r.id, kind=str(r.kind), why="no room left") for r in records[len(lines) :])
    made = Context(
        id=new_id(now),
        layout="app",
        format=Format.TEXT,
        text=text,
        tokens=len(text),
        budget=CHARACTERS,
        tokenizer="characters",
        exact=True,
        made_at=now,
        taken=taken,
        left_out=tuple(left),
    )
    items = tuple(ShownItem(t.ref, t.id, t.kind, standing=True) for t in taken)
    return made, Shown(id=made.id, space=app.space, made_at=now, asked=(), items=items)


def _fit(lines: list[_Line], room: int) -> None:
    """Make the longest line shorter until all fit; where none can be, the last ones stay out."""
    open_ = list(lines)
    while sum(len(line.text) for line in lines) > room:
        if not open_:
            lines.pop()
            continue
        longest = max(open_, key=lambda line: len(line.text))
        if not longest.shrink():
            open_.remove(longest)


def _smaller(record: Record) -> list[Option]:
    """The smaller sizes of a memory: it loses its last sentences one by one, then only a brief is left."""
    whole = sentences(record.text)
    found = [Option("excerpt", " ".join(whole[:n]), 1.0) for n in range(len(whole) - 1, 0, -1)]
    for level in (Level.BRIEF, Level.TAG):
        smallest = found[-1].text if found else record.text
        if len(record.at(level)) < len(smallest):
            found.append(Option(level, record.at(level), 1.0))
    return found


def _candidate(record: Record) -> Candidate:
    """A memory as it is rendered; where it comes from is told only if that is nobody we listen to."""
    candidate = of_record(record, 1.0, "kept by the app", (), Level.FULL)
    listened_to = record.trust in (Trust.USER, Trust.ASSISTANT)
    return replace(candidate, origin="") if listened_to else candidate

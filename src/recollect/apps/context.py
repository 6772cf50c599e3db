"""The dated list: an app's memories as a context takes them in, within a number of characters."""

from collections.abc import Sequence
from dataclasses import replace

from recollect.context.candidate import Option, of_record
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


def context(scope: Scope, app: App, records: Sequence[Record]) -> tuple[Context, Shown]:
    """The list as text, and what to remember of it; empty where the app has no memories."""
    pen, now = Pen(app.name), scope.now()
    sizes = [_sizes(record) for record in records]
    room = CHARACTERS - 1 - len(pen.head() + pen.foot())
    chosen = _fitted(pen, records, sizes, room)
    entries = [_entry(n, records[n - 1], sizes[n - 1][i]) for n, i in enumerate(chosen, 1)]
    lines = "".join(map(pen.line, entries))
    text = pen.head() + lines + pen.foot() if entries else ""
    taken = tuple(
        Taken(
            ref=entry.ref,
            id=entry.candidate.id,
            kind=entry.candidate.kind,
            section=SECTION,
            level=entry.option.level,
            tokens=len(pen.line(entry)),
            why=entry.candidate.why,
            text=entry.option.text,
        )
        for entry in entries
    )
    left = (LeftOut(id=r.id, kind=str(r.kind), why="no room left") for r in records[len(chosen) :])
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


def _sizes(record: Record) -> list[Option]:
    """A memory from whole to small: it loses its last sentences one by one, then only a brief is left."""
    whole = sentences(record.text)
    found = [Option(Level.FULL, record.text, 1.0)]
    for n in range(len(whole) - 1, 0, -1):
        found.append(Option("excerpt", " ".join(whole[:n]), 1.0))
    for level in (Level.BRIEF, Level.TAG):
        if len(record.at(level)) < len(found[-1].text):
            found.append(Option(level, record.at(level), 1.0))
    return found


def _fitted(pen: Pen, records: Sequence[Record], sizes: Sequence[Sequence[Option]], room: int) -> list[int]:
    """Which size of each memory is taken: the longest line shrinks first; then the last ones stay out."""
    lengths = [
        [len(pen.line(_entry(n, record, option))) for option in options]
        for n, (record, options) in enumerate(zip(records, sizes, strict=True), 1)
    ]
    chosen = [0] * len(records)
    while sum(lengths[n][i] for n, i in enumerate(chosen)) > room:
        smaller = [n for n, i in enumerate(chosen) if i + 1 < len(sizes[n])]
        if not smaller:
            chosen.pop()
            continue
        longest = max(smaller, key=lambda n: (lengths[n][chosen[n]], n))
        chosen[longest] += 1
    return chosen


def _entry(n: int, record: Record, option: Option) -> Entry:
    """A line of the list; where it comes from is told only if that is nobody we listen to."""
    candidate = of_record(record, 1.0, "kept by the app", (), Level.FULL)
    if record.trust in (Trust.USER, Trust.ASSISTANT):
        candidate = replace(candidate, origin="")
    return Entry(str(n), candidate, option)

"""Things found as fenced lines: what every surface shows a model is marked as data, with date and origin."""

from collections.abc import Iterable

from recollect.context.candidate import Candidate, Option, of_chunk, of_message, of_record
from recollect.context.render import NOTE, Entry, Fenced
from recollect.model.conversation import Chunk, Message
from recollect.model.record import Level, Record

_PEN = Fenced("")


def line(item: Record | Message | Chunk, text: str | None = None) -> str:
    """One thing with its id, day, kind or speaker and origin; `text` stands in for its own."""
    c = _candidate(item)
    told = _PEN.line(Entry("", c, Option("full", c.text if text is None else text, 1.0)))
    return f"- [{c.id}] {c.at:%Y-%m-%d} " + told.removeprefix("- [] ")


def fenced(lines: Iterable[str], nothing: str = "") -> str:
    """Lines inside the fence, or what to say where there are none."""
    inside = "".join(lines)
    return f"<memory>\n{NOTE}\n{inside}</memory>" if inside else nothing


def _candidate(item: Record | Message | Chunk) -> Candidate:
    if isinstance(item, Record):
        return of_record(item, 1.0, "", (), Level.FULL)
    return of_message(item, 1.0, "", ()) if isinstance(item, Message) else of_chunk(item, 1.0, "", ())

"""Expansion: an entry of a context in full, with what it rests on, within a budget of its own."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from recollect.context.candidate import Candidate, Option, of_chunk, of_message, of_record
from recollect.context.render import Entry, Fenced
from recollect.errors import InvalidInput, NotFound
from recollect.model.context import Expansion, Shown
from recollect.model.conversation import Message
from recollect.model.ids import checked_id
from recollect.model.record import Level, SourceKind
from recollect.store import chunks, contexts, contradictions, conversations, memories
from recollect.store.database import Tx
from recollect.store.scope import Scope

if TYPE_CHECKING:
    from recollect.models.ports import Tokenizer

REF = re.compile(r"[a-z]?\d{1,6}")
PEN = Fenced("")


def expand(scope: Scope, ref: str, context: str | None, budget: int, tokenizer: "Tokenizer") -> Expansion:
    """What stands behind a ref (of the newest context that used it) or an id."""
    id = scope.read(lambda tx: _meant(tx, scope, ref, context))
    items = scope.read(lambda tx: _items(tx, id, scope.view.spaces))
    if not items:
        raise NotFound(f"no {ref} in {', '.join(scope.view.spaces)} any more")
    first, sources = items[0], items[1:]
    text, cut = _head(first, ref, budget, tokenizer)
    shown: list[str] = []
    for source in sources if text and not cut else []:
        longer = _written([*shown, _line(source)], text)
        if tokenizer.count(longer) > budget:
            cut = True
            break
        shown.append(_line(source))
    whole = _written(shown, text)
    return Expansion(
        ref=ref,
        id=id,
        kind=first.kind,
        text=whole,
        tokens=tokenizer.count(whole),
        sources=tuple(s.id for s in sources[: len(shown)]),
        warnings=(f"cut to {budget} tokens",) if cut else (),
    )


def _written(lines: Sequence[str], text: str) -> str:
    if not text:
        return ""
    sources = "Sources:\n" + "".join(lines) if lines else ""
    return f"<memory>\n{text}{sources}</memory>"


def _line(c: Candidate) -> str:
    return f"- {c.at:%Y-%m-%d} " + PEN.line(Entry("", c, c.options[-1])).removeprefix("- [] ")


def _head(c: Candidate, ref: str, budget: int, tokenizer: "Tokenizer") -> tuple[str, bool]:
    """The text itself, cut where not even that fits; the longest cut is found by halving."""
    low, high = 0, len(c.text)

    def written(size: int) -> str:
        shown = c.text if size == len(c.text) else c.text[:size].rstrip() + "…"
        return f"{c.at:%Y-%m-%d}\n" + PEN.line(Entry(ref, c, Option("full", shown, 1.0)))

    if tokenizer.count(_written((), written(high))) <= budget:
        return written(high), False
    while low < high:
        middle = (low + high + 1) // 2
        if tokenizer.count(_written((), written(middle))) <= budget:
            low = middle
        else:
            high = middle - 1
    fits = low > 0 and tokenizer.count(_written((), written(low))) <= budget
    return (written(low) if fits else ""), True


def _meant(tx: Tx, scope: Scope, ref: str, context: str | None) -> str:
    """The id behind a ref, or the id itself."""
    plain = ref.strip().strip("[]")
    if not REF.fullmatch(plain):
        return checked_id(plain, "the ref or id")
    shown = known(tx, scope, context) if context else contexts.latest_with(tx, plain, scope.view.spaces)
    found = next((item.id for item in shown.items if item.ref == plain), None) if shown else None
    if found is None:
        raise NotFound(f"no context used the ref {plain}: pass the ref as the context shows it, or an id")
    return found


def known(tx: Tx, scope: Scope, context: str) -> Shown:
    """A context that was given out in this view, or NotFound."""
    if not isinstance(context, str):
        raise InvalidInput("the context is named by its id")
    found = contexts.get(tx, checked_id(context, "the context id"), scope.view.spaces)
    if found is None:
        raise NotFound(f"no context {context}: it was made elsewhere, erased, or more than a month ago")
    return found


def _items(tx: Tx, id: str, spaces: Sequence[str]) -> list[Candidate]:
    """The thing itself, then what it rests on."""
    if (record := memories.by_id(tx, [id], spaces).get(id)) is not None:
        rests = {s.id for s in record.sources if s.kind == SourceKind.MESSAGE}
        said = conversations.messages_by_id(tx, sorted(rests), spaces)
        more = memories.by_id(tx, [s.id for s in record.sources if s.kind == SourceKind.MEMORY], spaces)
        return [
            of_record(record, 1.0, "", (), Level.FULL),
            *(_whole(said[key]) for key in sorted(said)),
            *(of_record(more[key], 1.0, "", (), Level.FULL) for key in sorted(more)),
        ]
    if (message := conversations.messages_by_id(tx, [id], spaces).get(id)) is not None:
        near = [(message.conversation, message.turn + step) for step in (-2, -1, 1, 2)]
        around = contexts.turns(tx, near, spaces)
        return [_whole(message), *(_whole(around[key]) for key in sorted(around))]
    chunk = chunks.by_id(tx, [id]).get(id)
    if chunk is not None and chunk.space in spaces:
        count = chunk.last_turn - chunk.first_turn + 1
        told = conversations.messages(tx, chunk.conversation, spaces, chunk.first_turn - 1, count)
        return [of_chunk(chunk, 1.0, "", ()), *map(_whole, told)]
    for c in contradictions.listed(tx, spaces, only_open=False):
        if c.id == id:
            sides = memories.by_id(tx, [c.memory_a, c.memory_b], spaces)
            found = [of_record(sides[key], 1.0, "", (), Level.FULL) for key in sorted(sides)]
            note = Option("full", c.reason, 1.0)
            head = Candidate(
                id=id, kind="contradiction", value=1.0, options=(note,), at=c.detected_at, why=""
            )
            return [head, *found]
    return []


def _whole(message: Message) -> Candidate:
    return of_message(message, 1.0, "", ())

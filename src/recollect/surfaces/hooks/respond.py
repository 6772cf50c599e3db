"""What each event is answered with; the memory is opened only where an event needs it."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.surfaces.hooks import state as kept
from recollect.surfaces.hooks.events import Event, Fired, transcript_of

if TYPE_CHECKING:
    from recollect.memory import Memory
    from recollect.model.found import Found

Open = Callable[[], "AbstractContextManager[Memory]"]

RECIPE = "words"
"""A hook loads no model: what it brings shares words with the prompt anyway."""
PROMPT_BUDGET = 400
LOOKED_AT = 24
LONGEST_PROMPT = 4_000
FEWEST_WORDS = 3
"""A shorter prompt (`yes`, `go on`) asks for nothing that could be recalled."""
STRONG = 0.2
"""What is recalled without being asked for must share words with the prompt and score at least this."""
FEWEST_SHARED = 2
"""One word alone tells nothing where nobody knows which words are rare."""
MOST_WORDS = 60
"""A longer text, such as what a tool printed, has some words of any prompt."""


def respond(event: Fired, folder: Path, open: Open) -> str:
    """The text that an event is answered with; empty where there is nothing to say."""
    if event.event == Event.START:
        return _started(event, folder, open)
    if event.event == Event.PROMPT:
        return _asked(event, folder, open)
    if event.event == Event.TOOL:
        state = kept.load(folder, event)
        state.note(event)
        kept.save(folder, event, state)
    return ""


def ingest(event: Fired, folder: Path, open: Open) -> None:
    """Store what is new in the transcript, and what follows from it; a session that is over is ended."""
    path = transcript_of(event)
    if path is not None:
        with open() as memory:
            moved = memory.transfers.load_chats(path, str(event.agent), live=True)
            if event.event == Event.END:
                for id in moved.conversations:
                    memory.conversations.end(id)
            memory.jobs.run()
    if event.event == Event.COMPACT:  # what was shown is gone from the agent's sight
        state = kept.load(folder, event)
        kept.save(folder, event, kept.State(signals=state.signals))
    if event.event == Event.END:
        kept.drop(folder, event)


def _started(event: Fired, folder: Path, open: Open) -> str:
    from recollect.surfaces.hooks.layout import SESSION

    signals = kept.signals_of(kept.load(folder, event), event)
    with open() as memory:
        return memory.context(signals=signals, layout=SESSION).text


def _asked(event: Fired, folder: Path, open: Open) -> str:
    """What fits the prompt or the last error, and neither was said in this session nor shown in it before.

    A memory and the message it was drawn from say the same: the better one of them is shown.
    """
    from recollect.models.tokens import tokenizer_for
    from recollect.surfaces.fence import fenced, line

    prompt = event.prompt.strip()[:LONGEST_PROMPT]
    if prompt.startswith("/") or len(prompt.split()) < FEWEST_WORDS:
        return ""
    state = kept.load(folder, event)
    known = set(state.shown)
    count = tokenizer_for("o200k").count
    lines: list[str] = []
    ids: list[str] = []
    with open() as memory:
        said_here = _said_here(memory, event)
        asks = (prompt, *map(_message, state.signals.get("recent_errors", ())[:1]))
        for asked, found in _recalled(memory, asks):
            if known & {found.id, *found.sources} or not _fits(found, asked) or said_here(found):
                continue
            longer = [*lines, line(found.item, _size(found))]
            if count(fenced(longer)) <= PROMPT_BUDGET:
                lines, ids = longer, [*ids, found.id]
                known |= {found.id, *found.sources}
    if ids:
        state.show(ids)
        kept.save(folder, event, state)
    return fenced(lines)


def _message(error: str) -> str:
    """What an error says, without the name of its class, which memories seldom use."""
    told = error.partition(": ")[2]
    return told if len(told.split()) > 1 else error


def _recalled(memory: "Memory", asks: Iterable[str]) -> "Iterator[tuple[set[str], Found]]":
    """What is recalled for each ask, with the telling words of that ask."""
    from recollect.text.terms import query_terms

    for ask in asks:
        asked = set(query_terms(ask))
        for found in memory.recall(ask, limit=LOOKED_AT, recipe=RECIPE):
            yield asked, found


def _fits(found: "Found", asked: set[str]) -> bool:
    """Whether its own words have to do with the prompt, not only those of the turns beside it.

    In a small store every word it does not know seems rare and takes weight from those it knows, so
    that scores are low: there, half of the telling words are enough, in a text that is not full of words.
    """
    from recollect.text.terms import terms

    told = terms(found.text)
    shared = asked & set(found.terms) & set(told)
    half = len(told) <= MOST_WORDS and len(shared) >= max(FEWEST_SHARED, len(asked) / 2)
    return found.path == "key" or half or (found.score >= STRONG and bool(shared))


def _size(found: "Found") -> str:
    """A memory at its summary, anything else by its beginning: a prompt has little room."""
    from recollect.model.record import Level, Record

    text = found.item.at(Level.SUMMARY) if isinstance(found.item, Record) else found.text
    return text if len(text) <= 400 else text[:400].rstrip() + "…"


def _said_here(memory: "Memory", event: Fired) -> "Callable[[Found], bool]":
    """Whether something is part of this very session, which the agent has before it."""
    from recollect.model.record import Record

    @cache
    def of_session(conversation: str) -> bool:
        return memory.conversations.get(conversation).metadata.get("key") == event.session

    return lambda found: (
        bool(event.session) and not isinstance(found.item, Record) and of_session(found.item.conversation)
    )

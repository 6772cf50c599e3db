"""Chunks: what left the recent window, ten messages at a time, and then ten chunks at a time.

The smallest chunks summarise messages. When there are many, the oldest ten of one size become one of
the next size, so that a long conversation has a short history at every level. A chunk and the mark
`chunked` are written together; where an erasure took chunks away, the gap is filled first.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby

from recollect.ingest.episodes import CONTEXT_TURNS, Moment, moments, store_moments
from recollect.ingest.messages import is_order, name_of
from recollect.ingest.options import DigestOptions
from recollect.jobs import queue
from recollect.model.conversation import Chunk, Conversation, Message, Role, Trust
from recollect.model.ids import derived_id
from recollect.store import chunks
from recollect.store import conversations as table
from recollect.store.database import Tx
from recollect.store.scope import Scope
from recollect.text.keyphrases import keyphrases
from recollect.text.summarise import Turn, summarise

SUMMARY_TOKENS = 60
FAN = 10
"""How many chunks become one bigger one."""
MAX_TOPICS = 8
MADE_BY = "rules:summarise"


@dataclass(frozen=True, slots=True)
class Run:
    """Messages to be made a chunk, the ones before them, and where the mark moves."""

    conversation: Conversation
    messages: Sequence[Message]
    context: Sequence[Message]
    last_turn: int


def make_chunks(scope: Scope, id: str, options: DigestOptions) -> None:
    """Chunk everything that left the recent window, and merge what has become too much."""
    while run := scope.read(partial(_overflow, id=id, options=options)):
        chunk = _chunk(scope, run) if run.messages else None
        found = moments(run.context, run.messages)
        scope.write(partial(_keep, scope=scope, run=run, chunk=chunk, found=found))
        while _merge(scope, id, options):
            pass


def tokens(text: str) -> int:
    """What a summary costs in a context."""
    from recollect.models.tokens import tokenizer_for

    return tokenizer_for("o200k").count(text)


def told(messages: Sequence[Message]) -> list[Turn]:
    """Messages as a summary reads them: no system prompts, and no orders from untrusted sources."""
    return [Turn(name_of(m), m.text) for m in messages if m.role != Role.SYSTEM and not is_order(m)]


def _overflow(tx: Tx, id: str, options: DigestOptions) -> Run | None:
    """The next messages to chunk, or None while the window holds them all."""
    conversation = table.find(tx, id)
    if conversation is None:
        return None
    after, seen = conversation.chunked, [conversation.space]
    there = chunks.next_after(tx, id, after)
    messages = table.messages(tx, id, seen, after, options.recent_window + 1)
    if there is not None:
        messages = [m for m in messages if m.turn < there.first_turn]
    elif len(messages) <= options.recent_window:
        return None
    messages = messages[: options.chunk_size]
    if messages and messages[-1].turn > conversation.digested:
        return None
    if not messages:
        assert there is not None
        return Run(conversation, (), (), there.last_turn)
    context = table.last_messages(tx, id, CONTEXT_TURNS, up_to=messages[0].turn - 1)
    return Run(conversation, messages, context, messages[-1].turn)


def _chunk(scope: Scope, run: Run) -> Chunk:
    turns = told(run.messages)
    speakers = {turn.speaker for turn in turns}
    topics = keyphrases("\n".join(turn.text for turn in turns), MAX_TOPICS, ignore=speakers)
    summary = summarise(turns, SUMMARY_TOKENS, tokens) or f"{len(run.messages)} messages without sentences."
    trusts = [m.trust for m in run.messages if m.role != Role.SYSTEM and not is_order(m)]
    first = run.messages[0].turn
    return _made(scope, run.conversation, 0, (first, run.last_turn), summary, topics, trusts)


def _made(
    scope: Scope,
    conversation: Conversation,
    level: int,
    turns: tuple[int, int],
    summary: str,
    topics: Sequence[str],
    trusts: Sequence[Trust],
) -> Chunk:
    place = (conversation.id, "chunk", str(level), str(turns[0]))
    return Chunk(
        id=derived_id(conversation.started_at, scope.tenant, *place),
        space=conversation.space,
        conversation=conversation.id,
        level=level,
        first_turn=turns[0],
        last_turn=turns[1],
        summary=summary,
        topics=tuple(topics),
        tokens=tokens(summary),
        trust=Trust.least(*trusts) if trusts else Trust.ASSISTANT,
        recorded_at=scope.now(),
        made_by=MADE_BY,
    )


def _keep(tx: Tx, scope: Scope, run: Run, chunk: Chunk | None, found: Sequence[Moment]) -> None:
    """Store a chunk with its episodes, unless the messages or the mark changed meanwhile."""
    now = scope.now()
    current = table.find(tx, run.conversation.id)
    if current is None or current.chunked != run.conversation.chunked:
        return
    involved = [*run.context, *run.messages]
    if len(table.messages_by_id(tx, [m.id for m in involved], [current.space])) < len(involved):
        return
    if chunk is not None:
        chunks.insert(tx, [chunk])
        store_moments(tx, current, found, now)
        queue.enqueue(tx, "embed", now, key="embed")
    table.advance(tx, current.id, "chunked", run.last_turn)


def _merge(scope: Scope, id: str, options: DigestOptions) -> bool:
    """Make one bigger chunk of the oldest ten of a size; whether there was any need to."""
    conversation = scope.read(lambda tx: table.find(tx, id))
    if conversation is None:
        return False
    top = scope.read(lambda tx: chunks.of_conversation(tx, id, [conversation.space]))
    parts = _mergeable(top) if len(top) > options.max_chunks else ()
    if not parts:
        return False
    summary = summarise([part.summary for part in parts], SUMMARY_TOKENS, tokens) or parts[0].summary
    turns = (parts[0].first_turn, parts[-1].last_turn)
    trusts = [part.trust for part in parts]
    merged = _made(scope, conversation, parts[0].level + 1, turns, summary, _topics(parts), trusts)
    scope.write(partial(_keep_merged, scope=scope, merged=merged, parts=[part.id for part in parts]))
    return True


def _mergeable(top: Sequence[Chunk]) -> Sequence[Chunk]:
    """The oldest ten neighbours of the smallest size that has ten in a row."""
    by_level: Callable[[Chunk], int] = lambda chunk: chunk.level  # noqa: E731
    runs = [(level, list(run)) for level, run in groupby(top, by_level)]
    whole = [(level, run) for level, run in runs if len(run) >= FAN]
    return min(whole, key=lambda pair: pair[0])[1][:FAN] if whole else ()


def _topics(parts: Sequence[Chunk]) -> list[str]:
    """The topics of all parts, each once, those that most parts share first."""
    written: dict[str, str] = {}
    count: Counter[str] = Counter()
    for part in parts:
        for topic in part.topics:
            written.setdefault(topic.casefold(), topic)
            count[topic.casefold()] += 1
    return [written[folded] for folded, _ in count.most_common(MAX_TOPICS)]


def _keep_merged(tx: Tx, scope: Scope, merged: Chunk, parts: Sequence[str]) -> None:
    """Store the bigger chunk over its parts, if they are all still there and on top."""
    found = chunks.by_id(tx, parts)
    if len(found) < len(parts) or any(part.parent for part in found.values()):
        return
    now = scope.now()
    chunks.insert(tx, [replace(merged, recorded_at=now)])
    chunks.put_under(tx, merged.id, parts)
    queue.enqueue(tx, "embed", now, key="embed")

"""The end of a conversation: its summary, its last episodes, and one concise memory of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from recollect.ingest.chunking import tokens, told
from recollect.ingest.conversations import end, promise_app_memory
from recollect.ingest.episodes import CONTEXT_TURNS, Moment, moments, store_moments
from recollect.ingest.options import DigestOptions
from recollect.jobs import queue
from recollect.model.app import App
from recollect.model.conversation import Chunk, Conversation, ConversationStatus, Message, Role, Trust
from recollect.model.ids import derived_id
from recollect.model.record import DEFAULT_IMPORTANCE, SESSION, Kind, Record, Source, SourceKind
from recollect.store import apps, chunks, memories
from recollect.store import conversations as table
from recollect.store.database import Tx
from recollect.store.scope import Scope
from recollect.text.levels import levels
from recollect.text.sentences import sentences
from recollect.text.smalltalk import is_small_talk
from recollect.text.summarise import Turn, summarise

SUMMARY_TOKENS = 150
NOTE_TOKENS = 80
MOST_SENTENCES = 4
MADE_BY = "rules:session"


@dataclass(frozen=True, slots=True)
class Ended:
    """An ended conversation: its app if it has one, its chunks, the rest, and what was before that."""

    conversation: Conversation
    app: App | None
    chunks: Sequence[Chunk]
    rest: Sequence[Message]
    context: Sequence[Message]
    learnt: Sequence[Record]


@dataclass(frozen=True, slots=True)
class Told:
    """A few sentences that are worth keeping, what they rest on, and how much that matters."""

    text: str
    sources: tuple[Source, ...]
    trusts: tuple[Trust, ...]
    importance: float = DEFAULT_IMPORTANCE[Kind.NOTE]


def finish(scope: Scope, id: str) -> None:
    """Write what remains of a conversation that has ended; nothing if it is open or was finished."""
    while ended := scope.read(partial(_ended, id=id)):
        summary = summarise(_texts(ended.chunks, ended.rest), SUMMARY_TOKENS, tokens)
        note = _note(scope, ended) if ended.app is None else None
        found = moments(ended.context, ended.rest)
        scope.write(partial(_keep, scope=scope, ended=ended, summary=summary, note=note, found=found))


def summary_of(scope: Scope, conversation: Conversation) -> str:
    """What a conversation was about: its summary, or if it goes on, one of what was said so far."""
    if conversation.summary:
        return conversation.summary
    seen = [conversation.space]
    old, rest = scope.read(
        lambda tx: (
            chunks.of_conversation(tx, conversation.id, seen),
            table.messages(tx, conversation.id, seen, conversation.chunked),
        )
    )
    spoken = [m for m in rest if m.role != Role.SYSTEM and not chatter(m)]
    return summarise(_texts(old, spoken), SUMMARY_TOKENS, tokens)


def watch(tx: Tx, conversation: Conversation, last: Message, options: DigestOptions, now: datetime) -> None:
    """Promise to look again when a conversation has been silent for long."""
    if conversation.status == ConversationStatus.ACTIVE:
        payload = {"conversation": conversation.id}
        due = last.recorded_at + options.idle
        queue.enqueue(tx, "idle", now, key=conversation.id, payload=payload, run_at=due)


def end_if_idle(scope: Scope, id: str, options: DigestOptions) -> None:
    """End a conversation that was left open, or look again later."""

    def work(tx: Tx) -> None:
        now = scope.now()
        conversation = table.find(tx, id)
        last = table.last_messages(tx, id, 1)
        if conversation is None or conversation.status != ConversationStatus.ACTIVE or not last:
            return
        if last[0].recorded_at + options.idle > now:
            watch(tx, conversation, last[0], options, now)
            return
        end(tx, conversation, now)

    scope.write(work)


def _ended(tx: Tx, id: str) -> Ended | None:
    conversation = table.find(tx, id)
    if conversation is None or conversation.status != ConversationStatus.ENDED or conversation.summary:
        return None
    ended = whole(tx, conversation)
    return ended if ended.rest and ended.rest[-1].turn <= conversation.digested else None


def whole(tx: Tx, conversation: Conversation) -> Ended:
    """A conversation with everything that what remains of it is told from."""
    id, space, after = conversation.id, conversation.space, conversation.chunked
    return Ended(
        conversation=conversation,
        app=apps.find(tx, space),
        chunks=chunks.of_conversation(tx, id, [space]),
        rest=table.messages(tx, id, [space], after),
        context=table.last_messages(tx, id, CONTEXT_TURNS, up_to=after) if after else [],
        learnt=[r for r in memories.drawn_from(tx, id, space) if r.category != SESSION],
    )


def tell(ended: Ended, size: int, count: Callable[[str], int]) -> Told | None:
    """At most four whole sentences: the weightiest things learnt, else the most telling things said."""
    facts = [r for r in ended.learnt if r.kind != Kind.EPISODE]
    if len(facts) > 1:
        return learnt(facts, size, count)
    spoken = [m for m in ended.rest if m.role != Role.SYSTEM and not chatter(m)]
    if not spoken and not ended.chunks:
        return None
    chosen = summarise(_texts(ended.chunks, spoken), size, count)
    text = " ".join(sentences(chosen)[:MOST_SENTENCES])
    if not text:
        return None
    return Told(
        text,
        (
            *(Source(SourceKind.CHUNK, chunk.id) for chunk in ended.chunks),
            *(Source(SourceKind.MESSAGE, m.id) for m in spoken),
        ),
        (*(chunk.trust for chunk in ended.chunks), *(m.trust for m in spoken)),
        max((r.importance for r in facts), default=DEFAULT_IMPORTANCE[Kind.NOTE]),
    )


def learnt(facts: Sequence[Record], size: int, count: Callable[[str], int]) -> Told:
    """The weightiest facts in the order they were said, as many as the size holds."""
    weighty = sorted(facts, key=lambda r: (-r.importance * r.confidence, _first_said(r)))
    kept = weighty[:MOST_SENTENCES]
    while len(kept) > 1 and count(_joined(kept)) > size:
        kept.pop()
    return Told(
        _joined(kept),
        tuple(Source(SourceKind.MEMORY, r.id) for r in kept),
        tuple(r.trust for r in kept),
        max(r.importance for r in kept),
    )


def _joined(facts: Sequence[Record]) -> str:
    return " ".join(r.text.rstrip(".") + "." for r in sorted(facts, key=_first_said))


def _note(scope: Scope, ended: Ended) -> Record | None:
    """The one concise memory of a conversation, two to four sentences."""
    told = tell(ended, NOTE_TOKENS, tokens)
    if told is None:
        return None
    told = replace(told, importance=DEFAULT_IMPORTANCE[Kind.NOTE])
    return session_note(scope, ended.conversation, told, MADE_BY)


def _texts(old: Sequence[Chunk], said: Sequence[Message]) -> list[Turn | str]:
    return [*(chunk.summary for chunk in old), *told(said)]


def _first_said(r: Record) -> tuple[str, str]:
    """Where a memory was first stated: ids of messages sort by time."""
    return min(s.id for s in r.sources if s.kind == SourceKind.MESSAGE), r.text


def chatter(message: Message) -> bool:
    """Whether a message is nothing but small talk."""
    return all(is_small_talk(sentence) for sentence in sentences(message.text))


def session_note(scope: Scope, conversation: Conversation, told: Told, made_by: str) -> Record:
    """What was told of a conversation as its memory."""
    sizes = levels(told.text)
    return Record(
        id=note_id(scope.tenant, conversation),
        space=conversation.space,
        kind=Kind.NOTE,
        category=SESSION,
        text=told.text,
        summary=sizes.summary,
        brief=sizes.brief,
        tag=sizes.tag,
        trust=Trust.least(*told.trusts),
        recorded_at=scope.now(),
        valid_from=conversation.ended_at or conversation.started_at,
        importance=told.importance,
        made_by=made_by,
        sources=told.sources,
    )


def note_id(tenant: str, conversation: Conversation) -> str:
    """The id of the one memory of a conversation."""
    return derived_id(conversation.started_at, tenant, conversation.id, SESSION)


def _keep(
    tx: Tx, scope: Scope, ended: Ended, summary: str, note: Record | None, found: Sequence[Moment]
) -> None:
    """Store it all at once, unless messages or memories it tells of went away meanwhile."""
    now = scope.now()
    id, space = ended.conversation.id, ended.conversation.space
    if _ended(tx, id) != ended:
        return
    store_moments(tx, ended.conversation, found, now)
    if note is not None:
        known = memories.by_id(tx, [note.id], [space]).get(note.id)
        if known is None:
            memories.insert(tx, [note])
        elif known.text != note.text:
            at = max(now, known.recorded_at)
            memories.replace_version(tx, known, replace(note, status=known.status, recorded_at=at))
    if ended.app is not None and ended.app.installed:
        promise_app_memory(tx, id, now)
    table.set_summary(tx, id, summary or f"{ended.conversation.turns} messages.")
    queue.enqueue(tx, "embed", now, key="embed")

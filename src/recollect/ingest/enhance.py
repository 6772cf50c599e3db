"""The enhance job: an LLM reads again what the rules have read, and tells it better.

The rules' result is there before and stays if the model fails: then the job keeps the error, waits
and tries again. What the model finds passes the same gate. Each answer is stored in one transaction
with the mark that it was given, so no failure loses or repeats anything.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from recollect.ingest.chunking import MADE_BY as CHUNK_RULES
from recollect.ingest.chunking import tokens
from recollect.ingest.knowledge import Found, Settled, note, settle
from recollect.ingest.messages import UNTRUSTED, is_order, name_of
from recollect.ingest.options import DigestOptions
from recollect.ingest.prompts.extraction import EXTRACTION, Extraction, Fact
from recollect.ingest.prompts.session import SESSION
from recollect.ingest.prompts.summary import SUMMARY
from recollect.ingest.remember import written
from recollect.ingest.rules.orders import looks_like_orders
from recollect.ingest.rules.reconcile import SAME_TEXT, same_value
from recollect.ingest.sessions import MADE_BY as SESSION_RULES
from recollect.ingest.sessions import note_id
from recollect.jobs import queue
from recollect.model.conversation import Chunk, Conversation, Message, Role
from recollect.model.decision import Outcome
from recollect.model.record import Record
from recollect.models.llm import LLM
from recollect.store import chunks, memories
from recollect.store import conversations as table
from recollect.store.database import Tx
from recollect.store.scope import Scope
from recollect.text.levels import levels
from recollect.text.similarity import content, overlap
from recollect.text.smalltalk import is_small_talk

BATCH = 10
SHOWN = 2_000
"""How much of one message a model is shown, in characters."""
GROUNDED = 0.5
"""The share of a fact's telling words that must stand in what was said."""


class Enhancer:
    """One conversation and one model."""

    def __init__(self, scope: Scope, id: str, llm: LLM, options: DigestOptions) -> None:
        self._scope = scope
        self._id = id
        self._llm = llm
        self._options = options

    def run(self) -> None:
        """Do everything that only the rules have done so far."""
        while self._extract():
            pass
        while self._summarise():
            pass
        self._retell()

    def _extract(self) -> bool:
        """Find facts in the next messages; whether there were any messages."""
        batch = self._scope.read(self._unread)
        if batch is None:
            return False
        conversation, messages = batch
        shown = [m for m in messages if worth_showing(m)]
        answer = EXTRACTION.ask(self._llm, text=rendered(shown)) if shown else Extraction([])
        self._scope.write(partial(self._keep_facts, before=conversation, messages=messages, answer=answer))
        return True

    def _unread(self, tx: Tx) -> tuple[Conversation, list[Message]] | None:
        conversation = table.find(tx, self._id)
        if conversation is None:
            return None
        messages = table.messages(tx, self._id, [conversation.space], conversation.enhanced, BATCH)
        messages = [m for m in messages if m.turn <= conversation.digested]
        return (conversation, messages) if messages else None

    def _keep_facts(
        self, tx: Tx, before: Conversation, messages: Sequence[Message], answer: Extraction
    ) -> None:
        current = table.find(tx, self._id)
        if current is None or current.enhanced != before.enhanced:
            return
        present = table.messages_by_id(tx, [m.id for m in messages], [before.space])
        by_turn = {m.turn: m for m in present.values() if worth_showing(m)}
        said = content(" ".join(m.text for m in by_turn.values()))
        for fact in answer.facts:
            message = by_turn.get(fact.turn)
            if message is None:
                continue
            refusal = self._refusal(tx, fact, message, said)
            rule, now = EXTRACTION.version, self._scope.now()
            if refusal is not None:
                note(tx, message, refusal, rule, fact.text, now)
                continue
            found = Found(message, fact.candidate(rule), self._maker(rule))
            settle(tx, found, self._options.promote_at, now)
        table.advance(tx, self._id, "enhanced", messages[-1].turn)
        written(tx, self._scope.now())

    def _refusal(self, tx: Tx, fact: Fact, message: Message, said: frozenset[str]) -> Settled | None:
        """Why a fact is not taken from a model: it is invented, or the rules have it already."""
        telling = content(fact.value or fact.text)
        if len(telling & said) < GROUNDED * len(telling):
            return Settled(Outcome.IGNORE, "its words were not said")
        drawn = memories.by_id(tx, memories.from_sources(tx, [message.id]), [message.space])
        for known in drawn.values():
            if _same(fact, known):
                return Settled(Outcome.IGNORE, "already drawn from this message", known.id)
        return None

    def _summarise(self) -> bool:
        """Tell one chunk better; whether there was one that only the rules have told."""
        chunk = self._scope.read(lambda tx: chunks.made_by(tx, self._id, CHUNK_RULES))
        if chunk is None:
            return False
        text = self._scope.read(partial(_text_of, chunk=chunk))
        answer = SUMMARY.ask(self._llm, text=text)
        summary = answer.summary.strip()
        better = replace(
            chunk,
            summary=summary,
            topics=tuple(topic.strip() for topic in answer.topics) or chunk.topics,
            tokens=tokens(summary),
            made_by=self._maker(SUMMARY.version),
        )
        if chunk.trust in UNTRUSTED and looks_like_orders(summary):
            better = replace(chunk, made_by=f"{CHUNK_RULES} kept")
        self._scope.write(partial(self._keep_chunk, better=better))
        return True

    def _keep_chunk(self, tx: Tx, better: Chunk) -> None:
        chunks.rewrite(tx, better)
        queue.enqueue(tx, "embed", self._scope.now(), key="embed")

    def _retell(self) -> None:
        """Tell better what remains of a conversation that has ended."""
        told = self._scope.read(self._ended)
        if told is None:
            return
        known, text = told
        answer = SESSION.ask(self._llm, text=text)
        self._scope.write(
            partial(self._keep_session, known=known, summary=answer.summary, memory=answer.memory)
        )

    def _ended(self, tx: Tx) -> tuple[Record, str] | None:
        conversation = table.find(tx, self._id)
        if conversation is None or not conversation.summary:
            return None
        seen = [conversation.space]
        id = note_id(tx.tenant, conversation)
        known = memories.by_id(tx, [id], seen).get(id)
        if known is None or known.made_by != SESSION_RULES:
            return None
        old = [chunk.summary for chunk in chunks.of_conversation(tx, self._id, seen)]
        rest = table.messages(tx, self._id, seen, conversation.chunked)
        return known, "\n".join([*old, rendered([m for m in rest if worth_showing(m)])])

    def _keep_session(self, tx: Tx, known: Record, summary: str, memory: str) -> None:
        current = memories.by_id(tx, [known.id], [known.space]).get(known.id)
        if current is None or current.version != known.version:
            return
        text = memory.strip()
        sizes = levels(text)
        better = replace(
            current,
            text=text,
            summary=sizes.summary,
            brief=sizes.brief,
            tag=sizes.tag,
            made_by=self._maker(SESSION.version),
            recorded_at=max(self._scope.now(), current.recorded_at),
        )
        memories.replace_version(tx, current, better)
        table.set_summary(tx, self._id, summary.strip())
        queue.enqueue(tx, "embed", self._scope.now(), key="embed")

    def _maker(self, version: str) -> str:
        return f"{version} {self._llm.name}"


def _same(fact: Fact, known: Record) -> bool:
    if fact.value and known.value:
        return same_value(fact.value, known.value)
    return overlap(fact.text, known.text) >= SAME_TEXT


def worth_showing(message: Message) -> bool:
    """No system prompts, no small talk, and no orders from untrusted sources."""
    return message.role != Role.SYSTEM and not is_small_talk(message.text) and not is_order(message)


def rendered(messages: Sequence[Message]) -> str:
    """Messages as a model is shown them."""
    return "\n".join(
        f"{m.turn}. {name_of(m)} ({m.trust}, {m.said_at:%Y-%m-%d}): {m.text[:SHOWN]}" for m in messages
    )


def _text_of(tx: Tx, chunk: Chunk) -> str:
    """What a chunk tells of: its messages, or the summaries of its parts."""
    parts = chunks.under(tx, chunk.id)
    if parts:
        return "\n".join(part.summary for part in parts)
    span = chunk.last_turn - chunk.first_turn + 1
    messages = table.messages(tx, chunk.conversation, [chunk.space], chunk.first_turn - 1, span)
    return rendered([m for m in messages if m.turn <= chunk.last_turn and worth_showing(m)])

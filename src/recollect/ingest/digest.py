"""The digest job: reads what was said since the last time and makes memories of it.

Reading happens between transactions. One transaction per batch stores what came of it and moves the
mark `digested`, if the mark is still where the reading began: a batch that was interrupted is read
again with the same outcome, and none is stored twice.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from recollect.ingest.chunking import make_chunks
from recollect.ingest.knowledge import Found, quarantine, settle
from recollect.ingest.messages import is_order, said
from recollect.ingest.options import DigestOptions
from recollect.ingest.remember import written
from recollect.ingest.rules.extract import extract
from recollect.ingest.sessions import finish, watch
from recollect.model.conversation import Conversation, Message, Role
from recollect.store import conversations as table
from recollect.store.database import Tx
from recollect.store.scope import Scope

BATCH = 50


@dataclass(frozen=True, slots=True)
class Reading:
    """What one message gave: candidates, or a reason to hold it for review."""

    message: Message
    found: tuple[Found, ...] = ()
    orders: bool = False


def digest(scope: Scope, id: str, options: DigestOptions) -> None:
    """Bring everything derived from a conversation up to date."""
    while _facts(scope, id, options):
        pass
    make_chunks(scope, id, options)
    finish(scope, id)


def read(message: Message, previous: Message | None) -> Reading:
    """What the rules find in a message, given the one before it."""
    if message.role == Role.SYSTEM:
        return Reading(message)
    if is_order(message):
        return Reading(message, orders=True)
    before = None if previous is None or previous.role == Role.SYSTEM else said(previous)
    candidates = extract(said(message), before)
    return Reading(message, tuple(Found(message, c, f"rules:{c.rule}") for c in candidates))


def _facts(scope: Scope, id: str, options: DigestOptions) -> bool:
    """Draw facts from the next messages; whether there were any."""
    batch = scope.read(partial(_unread, id=id))
    if batch is None:
        return False
    conversation, previous, messages = batch
    readings = []
    for message in messages:
        readings.append(read(message, previous))
        previous = message
    scope.write(partial(_store, scope=scope, before=conversation, readings=readings, options=options))
    return True


def _unread(tx: Tx, id: str) -> tuple[Conversation, Message | None, list[Message]] | None:
    """The conversation, the message before the next ones, and the next ones; None if all are read."""
    conversation = table.find(tx, id)
    if conversation is None:
        return None
    after = conversation.digested
    messages = table.messages(tx, id, [conversation.space], after, BATCH)
    if not messages:
        return None
    before = table.last_messages(tx, id, 1, up_to=after)
    return conversation, before[0] if before else None, messages


def _store(
    tx: Tx, scope: Scope, before: Conversation, readings: Sequence[Reading], options: DigestOptions
) -> None:
    """Write what a batch gave, but for messages that were erased meanwhile."""
    current = table.find(tx, before.id)
    if current is None or current.digested != before.digested:
        return
    ids = [reading.message.id for reading in readings]
    present = table.messages_by_id(tx, ids, [before.space])
    for reading in readings:
        if reading.message.id not in present:
            continue
        if reading.orders:
            quarantine(tx, reading.message, scope.now())
        for found in reading.found:
            settle(tx, found, options.promote_at, scope.now())
    table.advance(tx, before.id, "digested", readings[-1].message.turn)
    written(tx, scope.now())
    watch(tx, current, readings[-1].message, options, scope.now())

"""Conversations: start, pause, resume, end, and add messages. What is acknowledged is committed."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from recollect.errors import Conflict, InvalidInput, NotFound, TooLarge
from recollect.ingest import gate
from recollect.jobs import queue
from recollect.model.conversation import (
    TRUST_OF_ROLE,
    Conversation,
    ConversationStatus,
    Message,
    NewMessage,
    Role,
    Trust,
)
from recollect.model.ids import checked_id, ids_from, new_id
from recollect.model.receipt import Action, Entry, Receipt
from recollect.model.space import Space
from recollect.store import apps, spaces
from recollect.store import conversations as table
from recollect.store.database import Tx
from recollect.store.scope import Scope

MAX_BATCH = 100_000


def start(scope: Scope, title: str | None, metadata: dict[str, Any] | None) -> Conversation:
    """Begin a conversation in the view's home space."""
    now = scope.now()
    conversation = Conversation(
        id=new_id(now),
        space=scope.view.home,
        status=ConversationStatus.ACTIVE,
        started_at=now,
        title=gate.name(title, "the title"),
        metadata=gate.metadata(metadata),
    )
    scope.write(lambda tx: _create(tx, conversation))
    return conversation


def move(scope: Scope, id: str, status: ConversationStatus) -> Conversation:
    """Pause, resume or end a conversation; repeating it changes nothing."""
    id = checked_id(id, "the conversation id")
    now = scope.now()

    def work(tx: Tx) -> Conversation:
        known = existing(tx, scope, id)
        if known.status == status:
            return known
        if known.status == ConversationStatus.ENDED:
            raise Conflict(f"conversation {id} has ended: start a new one")
        if status == ConversationStatus.ENDED:
            queue.withdraw(tx, "idle", id)
            end(tx, known, now)
        else:
            table.set_status(tx, id, status, None)
        return existing(tx, scope, id)

    return scope.write(work)


def adopt(scope: Scope, conversation: Conversation) -> bool:
    """Make sure that a conversation from elsewhere is here and open under its own id; whether it is new.

    One that had ended goes on, and is told again when it ends the next time.
    """

    def work(tx: Tx) -> bool:
        known = table.find(tx, conversation.id)
        if known is None:
            _create(tx, conversation)
        elif known.status == ConversationStatus.ENDED:
            table.set_status(tx, conversation.id, ConversationStatus.ACTIVE, None)
            table.set_summary(tx, conversation.id, None)
        return known is None

    return scope.write(work)


def close(scope: Scope, id: str, at: datetime) -> None:
    """End a conversation from elsewhere at the time of its last message."""

    def work(tx: Tx) -> None:
        table.set_status(tx, id, ConversationStatus.ENDED, at)
        queue.withdraw(tx, "idle", id)
        follow_up(tx, id, scope.now())

    scope.write(work)


def add(scope: Scope, messages: Sequence[NewMessage], conversation: str | None) -> Receipt:
    """Commit messages and their follow-up job in one transaction, then say so.

    A message whose id is already stored is recognised as a retry and not stored twice.
    """
    if len(messages) > MAX_BATCH:
        raise TooLarge(f"{len(messages):,} messages at once are too many: pass {MAX_BATCH:,} at most")
    now = scope.now()
    wanted = None if conversation is None else checked_id(conversation, "the conversation id")
    fresh = ids_from(now, len(messages))
    checked = [_checked(new, id, now) for new, id in zip(messages, fresh, strict=True)]
    checked, redacted = _without_secrets(checked)
    given = [new.id for new in checked if new.id is not None]
    if len(set(given)) != len(given):
        raise InvalidInput("two messages of this call have the same id: give each its own")
    retried = [checked_id(new.id) for new in messages if new.id is not None]

    def work(tx: Tx) -> Receipt:
        known = table.messages_by_id(tx, retried, scope.view.spaces) if retried else {}
        home = _place(tx, scope, wanted, now, known)
        stored = []
        turn = home.turns
        for new in checked:
            assert new.id is not None
            if new.id in known:
                _same(known[new.id], new)
                continue
            turn += 1
            stored.append(_message(new, home, turn, now))
        _refuse_foreign(tx, retried, known)
        table.append(tx, home, stored)
        if stored:
            follow_up(tx, home.id, now)
        entries = (
            Entry(Action.IGNORED, new.id or "", "already stored")
            if new.id in known
            else Entry(Action.STORED, new.id or "", redacted.get(new.id or ""))
            for new in checked
        )
        return Receipt(entries=tuple(entries), conversation=home.id)

    return scope.write(work)


def follow_up(tx: Tx, conversation: str, now: datetime) -> None:
    """Promise what has to be done with new messages."""
    queue.enqueue(tx, "embed", now, key="embed")
    queue.enqueue(tx, "digest", now, key=conversation, payload={"conversation": conversation})


def end(tx: Tx, conversation: Conversation, now: datetime) -> None:
    """Close a conversation, and promise what has to be done with all of it."""
    table.set_status(tx, conversation.id, ConversationStatus.ENDED, now)
    follow_up(tx, conversation.id, now)
    app = apps.find(tx, conversation.space)
    if app is not None and app.installed:
        promise_app_memory(tx, conversation.id, now)


def promise_app_memory(tx: Tx, conversation: str, now: datetime) -> None:
    """Let an app keep something of a conversation, after the rules have read it."""
    payload = {"conversation": conversation}
    queue.enqueue(tx, "app-memory", now, key=conversation, payload=payload, priority=-1)


def existing(tx: Tx, scope: Scope, id: str) -> Conversation:
    """A conversation of the view, or NotFound."""
    found = table.get(tx, id, scope.view.spaces)
    if found is None:
        raise NotFound(f"no conversation {id} in {', '.join(scope.view.spaces)}")
    return found


def _create(tx: Tx, conversation: Conversation) -> None:
    spaces.create(tx, Space(path=conversation.space, created_at=conversation.started_at))
    table.insert(tx, conversation)


def _place(
    tx: Tx, scope: Scope, wanted: str | None, now: datetime, known: dict[str, Message]
) -> Conversation:
    """The conversation to add to: the one named, that of the retried messages, the open one, a new one."""
    if wanted is None and known:
        wanted = next(iter(known.values())).conversation
    if wanted is None:
        found = table.newest_open(tx, scope.view.home)
        if found is None:
            found = Conversation(
                id=new_id(now),
                space=scope.view.home,
                status=ConversationStatus.ACTIVE,
                started_at=now,
            )
            _create(tx, found)
        return found
    found = existing(tx, scope, wanted)
    if found.status == ConversationStatus.ENDED:
        raise Conflict(f"conversation {wanted} has ended: start a new one")
    if found.status == ConversationStatus.PAUSED:  # speaking again resumes it
        table.set_status(tx, wanted, ConversationStatus.ACTIVE, None)
    return found


def _checked(new: NewMessage, fresh: str, now: datetime) -> NewMessage:
    """The same message with every field checked and filled in."""
    if not isinstance(new, NewMessage):
        raise InvalidInput(f"a message must be a NewMessage, not {type(new).__name__}")
    role = gate.choice(new.role, Role, "role")
    default = TRUST_OF_ROLE[role]
    trust = default if new.trust is None else gate.choice(new.trust, Trust, "trust")
    if trust.rank > default.rank:
        raise InvalidInput(f"a message of role {role} cannot have more trust than {default}")
    return NewMessage(
        text=gate.text(new.text, "the message"),
        role=role,
        speaker=gate.name(new.speaker, "the speaker"),
        said_at=now if new.said_at is None else gate.moment(new.said_at, "said_at"),
        trust=trust,
        metadata=gate.metadata(new.metadata) if new.metadata else {},
        id=fresh if new.id is None else checked_id(new.id, "the message id"),
    )


def _without_secrets(messages: Sequence[NewMessage]) -> tuple[list[NewMessage], dict[str, str]]:
    """The messages as they are stored, and by id what was taken out of them."""
    stored: list[NewMessage] = []
    told: dict[str, str] = {}
    for new in messages:
        clean, reason = gate.redacted(new.text)
        stored.append(replace(new, text=clean) if reason else new)
        if reason:
            told[new.id or ""] = reason
    return stored, told


def _message(new: NewMessage, home: Conversation, turn: int, now: datetime) -> Message:
    assert new.id is not None
    assert new.said_at is not None
    assert new.trust is not None
    return Message(
        id=new.id,
        space=home.space,
        conversation=home.id,
        turn=turn,
        role=new.role,
        text=new.text,
        trust=new.trust,
        said_at=new.said_at,
        recorded_at=now,
        speaker=new.speaker,
        metadata=new.metadata,
    )


def _same(known: Message, new: NewMessage) -> None:
    if (known.text, known.role, known.speaker) != (new.text, new.role, new.speaker):
        raise Conflict(f"message {known.id} is stored with another content: messages are never rewritten")


def _refuse_foreign(tx: Tx, retried: Sequence[str], known: dict[str, Message]) -> None:
    """An id in use outside the view gets the same answer as any other clash, and no hint of what it is."""
    if any(id not in known for id in table.known(tx, retried)):
        raise Conflict("a message id of this call is already in use: let recollect make the ids")

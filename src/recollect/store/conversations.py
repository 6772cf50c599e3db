"""Queries on conversations and their messages."""

from collections.abc import Sequence
from datetime import datetime

from recollect.model.conversation import Conversation, ConversationStatus, Message
from recollect.model.ids import micros
from recollect.store import codec, texts
from recollect.store.database import Tx, batches, row, sequence, value


def insert(tx: Tx, c: Conversation) -> None:
    """Store a new conversation."""
    tx.run(
        "INSERT INTO conversations (tenant, id, space, status, title, turns, digested, "
        "chunked, enhanced, started_at, last_at, ended_at, summary, metadata) VALUES (:tenant, :id, "
        ":space, :status, :title, :turns, :digested, :chunked, :enhanced, :started_at, :last_at, "
        ":ended_at, :summary, :metadata)",
        id=c.id,
        space=c.space,
        status=c.status,
        title=c.title,
        turns=c.turns,
        digested=c.digested,
        chunked=c.chunked,
        enhanced=c.enhanced,
        started_at=micros(c.started_at),
        last_at=codec.optional_micros(c.last_at),
        ended_at=codec.optional_micros(c.ended_at),
        summary=c.summary,
        metadata=codec.packed(c.metadata),
    )


def get(tx: Tx, id: str, spaces: Sequence[str]) -> Conversation | None:
    """One conversation of the view."""
    found = row(
        tx,
        "SELECT * FROM conversations WHERE tenant = :tenant AND id = :id AND space IN :spaces",
        id=id,
        spaces=spaces,
    )
    return None if found is None else codec.conversation(found)


def find(tx: Tx, id: str) -> Conversation | None:
    """One conversation of the tenant, wherever it is: for work that was promised inside."""
    found = row(tx, "SELECT * FROM conversations WHERE tenant = :tenant AND id = :id", id=id)
    return None if found is None else codec.conversation(found)


def newest_open(tx: Tx, space: str) -> Conversation | None:
    """The conversation of a space that was started last and is still active."""
    found = row(
        tx,
        "SELECT * FROM conversations WHERE tenant = :tenant AND space = :space AND status = 'active' "
        "ORDER BY id DESC LIMIT 1",
        space=space,
    )
    return None if found is None else codec.conversation(found)


def page(tx: Tx, spaces: Sequence[str], before: str | None, limit: int) -> list[Conversation]:
    """Conversations of the view, newest first."""
    cut = "AND id < :before " if before else ""
    found = tx.rows(
        "SELECT * FROM conversations WHERE tenant = :tenant AND space IN :spaces "
        f"{cut}ORDER BY id DESC LIMIT :limit",
        spaces=spaces,
        limit=limit,
        **({"before": before} if before else {}),
    )
    return [codec.conversation(r) for r in found]


def set_status(tx: Tx, id: str, status: ConversationStatus, ended_at: datetime | None) -> None:
    """Move a conversation to another status."""
    tx.run(
        "UPDATE conversations SET status = :status, ended_at = :ended_at WHERE tenant = :tenant AND id = :id",
        id=id,
        status=status,
        ended_at=codec.optional_micros(ended_at),
    )


def advance(tx: Tx, id: str, column: str, turn: int) -> None:
    """Note how far a conversation was `digested`, `chunked` or `enhanced`."""
    tx.run(f"UPDATE conversations SET {column} = :turn WHERE tenant = :tenant AND id = :id", id=id, turn=turn)


def set_summary(tx: Tx, id: str, summary: str | None) -> None:
    """Keep what a conversation was about, or forget it where it goes on."""
    tx.run(
        "UPDATE conversations SET summary = :summary WHERE tenant = :tenant AND id = :id",
        id=id,
        summary=summary,
    )


def append(tx: Tx, conversation: Conversation, messages: Sequence[Message]) -> None:
    """Store new messages at the end of a conversation, with their terms."""
    if not messages:
        return
    seq = sequence(tx, len(messages))
    tx.run_many(
        "INSERT INTO messages (tenant, id, space, conversation, turn, role, speaker, trust, body, "
        "said_at, recorded_at, metadata, digest, seq) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                tx.tenant, m.id, m.space, m.conversation, m.turn, m.role, m.speaker, m.trust, m.text,
                micros(m.said_at), micros(m.recorded_at), codec.packed(m.metadata),
                codec.message_digest(m), seq + i,
            )
            for i, m in enumerate(messages)
        ],
    )  # fmt: skip
    texts.add(tx, "message", conversation.space, [(m.id, words_of(m)) for m in messages])
    tx.run(
        "UPDATE conversations SET turns = :turns, last_at = :last_at WHERE tenant = :tenant AND id = :id",
        id=conversation.id,
        turns=messages[-1].turn,
        last_at=micros(messages[-1].said_at),
    )


def words_of(m: Message) -> str:
    """The text a message is found by: who said it belongs to it."""
    return f"{m.speaker or m.role} {m.text}"


def messages(
    tx: Tx, conversation: str, spaces: Sequence[str], after: int = 0, limit: int = 1_000
) -> list[Message]:
    """Messages of a conversation after a turn, in order."""
    found = tx.rows(
        "SELECT * FROM messages WHERE tenant = :tenant AND conversation = :conversation "
        "AND space IN :spaces AND turn > :after ORDER BY turn LIMIT :limit",
        conversation=conversation,
        spaces=spaces,
        after=after,
        limit=limit,
    )
    return [codec.message(r) for r in found]


def between(
    tx: Tx, spaces: Sequence[str], since: datetime | None, until: datetime | None, limit: int
) -> list[Message]:
    """What was said last in the view from a moment on and before another, oldest first."""
    bounds = {"since": codec.optional_micros(since), "until": codec.optional_micros(until)}
    start = "" if since is None else "AND said_at >= :since "
    end = "" if until is None else "AND said_at < :until "
    found = tx.rows(
        f"SELECT * FROM messages WHERE tenant = :tenant AND space IN :spaces {start}{end}"
        "ORDER BY said_at DESC, id DESC LIMIT :limit",
        spaces=spaces,
        limit=limit,
        **{name: at for name, at in bounds.items() if at is not None},
    )
    return [codec.message(r) for r in reversed(found)]


def last_messages(tx: Tx, conversation: str, count: int, *, up_to: int | None = None) -> list[Message]:
    """The last messages of a conversation, or the last up to a turn, in order."""
    cut = "" if up_to is None else "AND turn <= :up_to "
    found = tx.rows(
        "SELECT * FROM messages WHERE tenant = :tenant AND conversation = :conversation "
        f"{cut}ORDER BY turn DESC LIMIT :count",
        conversation=conversation,
        count=count,
        **({} if up_to is None else {"up_to": up_to}),
    )
    return [codec.message(r) for r in reversed(found)]


def messages_by_id(tx: Tx, ids: Sequence[str], spaces: Sequence[str]) -> dict[str, Message]:
    """Those of the messages that are in the view, by id and in the order given."""
    found: dict[str, Message] = {}
    for some in batches(ids):
        for r in tx.rows(
            "SELECT * FROM messages WHERE tenant = :tenant AND id IN :ids AND space IN :spaces",
            ids=some,
            spaces=spaces,
        ):
            found[r["id"]] = codec.message(r)
    return {id: found[id] for id in ids if id in found}


def before(tx: Tx, messages: Sequence[Message]) -> dict[str, Message]:
    """The message said before each of some, by the id of the later one."""
    later = {(m.conversation, m.turn - 1): m.id for m in messages}
    found: dict[str, Message] = {}
    for conversation in {m.conversation for m in messages}:
        rows = tx.rows(
            "SELECT * FROM messages WHERE tenant = :tenant AND conversation = :conversation "
            "AND turn IN :turns",
            conversation=conversation,
            turns=[turn for home, turn in later if home == conversation],
        )
        found.update({later[r["conversation"], r["turn"]]: codec.message(r) for r in rows})
    return found


def by_id(tx: Tx, ids: Sequence[str]) -> list[Message]:
    """Those of the messages that exist, in any space of the tenant: for indexes, not for readers."""
    found: list[Message] = []
    for some in batches(ids):
        rows = tx.rows("SELECT * FROM messages WHERE tenant = :tenant AND id IN :ids", ids=some)
        found += [codec.message(r) for r in rows]
    return found


def known(tx: Tx, ids: Sequence[str]) -> dict[str, int]:
    """The digests of those message ids that the tenant already uses, in any space."""
    found: dict[str, int] = {}
    for some in batches(ids):
        for r in tx.rows("SELECT id, digest FROM messages WHERE tenant = :tenant AND id IN :ids", ids=some):
            found[r["id"]] = r["digest"]
    return found


def exists(tx: Tx, id: str) -> bool:
    """Whether the tenant has a conversation with this id, in any space."""
    return row(tx, "SELECT id FROM conversations WHERE tenant = :tenant AND id = :id", id=id) is not None


def last_turn(tx: Tx, id: str) -> int:
    """The turn of the newest message of a conversation, 0 without any."""
    return int(
        value(
            tx,
            "SELECT coalesce(max(turn), 0) AS value FROM messages "
            "WHERE tenant = :tenant AND conversation = :id",
            id=id,
        )
    )

"""The change feed: what was committed after a number of the tenant's change sequence, in order."""

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.model.record import Record
from recollect.store import memories
from recollect.store.codec import record
from recollect.store.database import Row, Tx, batches, row, value


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A searchable text that was written or changed."""

    seq: int
    kind: str
    id: str
    space: str
    text: str
    speaker: str | None = None
    said_at: int | None = None


_TEXT_TABLES = {
    "message": "SELECT seq, id, space, body, speaker, role, said_at FROM messages",
    "chunk": "SELECT seq, id, space, body FROM chunks",
    "memory": "SELECT * FROM memories",
}


def head(tx: Tx) -> int:
    """The newest change number of the tenant."""
    return int(value(tx, "SELECT seq AS value FROM tenants WHERE tenant = :tenant") or 0)


def texts_after(tx: Tx, after: int, limit: int) -> Sequence[Text]:
    """Texts that changed after a number, oldest change first, at most `limit`."""
    found: list[Text] = []
    for kind, query in _TEXT_TABLES.items():
        rows = tx.rows(
            f"{query} WHERE tenant = :tenant AND seq > :after ORDER BY seq LIMIT :limit",
            after=after,
            limit=limit,
        )
        found += [_text(kind, r) for r in rows]
    return sorted(found, key=lambda text: text.seq)[:limit]


def memories_after(tx: Tx, after: int, limit: int, space: str | None = None) -> Sequence[tuple[int, Record]]:
    """Memories, of one space or of all, that changed after a number, with theirs, oldest change first."""
    only = "" if space is None else "AND space = :space "
    found = tx.rows(
        f"SELECT * FROM memories WHERE tenant = :tenant {only}AND seq > :after ORDER BY seq LIMIT :limit",
        after=after,
        limit=limit,
        **({} if space is None else {"space": space}),
    )
    return [(r["seq"], record(r)) for r in found]


def spaces_after(tx: Tx, after: int) -> list[str]:
    """The spaces in which a memory changed after a number."""
    sql = "SELECT DISTINCT space FROM memories WHERE tenant = :tenant AND seq > :after ORDER BY space"
    return [r["space"] for r in tx.rows(sql, after=after)]


def believed_after(tx: Tx, spaces: Sequence[str], after: int, limit: int) -> list[str]:
    """Ids of believed memories of some spaces that changed after a number, the weightiest first."""
    found = tx.rows(
        "SELECT id FROM memories WHERE tenant = :tenant AND space IN :spaces AND seq > :after "
        "AND status = 'active' ORDER BY importance DESC, seq DESC LIMIT :limit",
        spaces=spaces,
        after=after,
        limit=limit,
    )
    return [r["id"] for r in found]


def conversations_after(tx: Tx, spaces: Sequence[str], after: int) -> int:
    """In how many conversations of some spaces something was said after a number."""
    counted = value(
        tx,
        "SELECT count(DISTINCT conversation) AS value FROM messages WHERE tenant = :tenant "
        "AND space IN :spaces AND seq > :after",
        spaces=spaces,
        after=after,
    )
    return int(counted)


def embed_cursor(model: str) -> str:
    """The name of the cursor that says how far a model has embedded."""
    return f"embed:{model}"


def unembedded(tx: Tx, model: str) -> int:
    """How many texts have no vector by a model yet."""
    total = 0
    for table in ("messages", "chunks", "memories"):
        total += value(
            tx,
            f"SELECT count(*) AS value FROM {table} AS t WHERE t.tenant = :tenant AND t.seq > :after "
            "AND NOT EXISTS (SELECT 1 FROM vectors AS v WHERE v.tenant = :tenant AND v.model = :model "
            "AND v.id = t.id)",
            after=cursor(tx, embed_cursor(model)),
            model=model,
        )
    return total


def present(tx: Tx, ids: Sequence[str]) -> set[str]:
    """Those of the ids that still have a text (erased ones do not)."""
    found: set[str] = set()
    for some in batches(ids):
        rows = tx.rows("SELECT id FROM texts WHERE tenant = :tenant AND id IN :ids", ids=some)
        found.update(r["id"] for r in rows)
    return found


def cursor(tx: Tx, name: str) -> int:
    """How far a follower has come."""
    found = row(tx, "SELECT seq FROM cursors WHERE tenant = :tenant AND name = :name", name=name)
    return 0 if found is None else int(found["seq"])


def advance(tx: Tx, name: str, seq: int) -> None:
    """Note how far a follower has come; it never goes back."""
    tx.run(
        "INSERT INTO cursors (tenant, name, seq) VALUES (:tenant, :name, :seq) "
        "ON CONFLICT (tenant, name) DO UPDATE SET seq = excluded.seq WHERE cursors.seq < excluded.seq",
        name=name,
        seq=seq,
    )


def _text(kind: str, r: Row) -> Text:
    if kind == "message":
        return Text(
            seq=r["seq"],
            kind=kind,
            id=r["id"],
            space=r["space"],
            text=r["body"],
            speaker=r["speaker"] or r["role"],
            said_at=r["said_at"],
        )
    body = memories.words_of(record(r)) if kind == "memory" else r["body"]
    return Text(seq=r["seq"], kind=kind, id=r["id"], space=r["space"], text=body)

"""Stats: what is in a memory, counted by the database."""

from dataclasses import dataclass, field
from pathlib import Path

from recollect.jobs import queue
from recollect.store import contradictions, feed, vectors
from recollect.store.database import Tx, value
from recollect.store.scope import Scope
from recollect.store.sqlite import SqliteDatabase


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """Counts of one tenant in one view; vectors, jobs and bytes are those of the whole tenant."""

    spaces: int
    conversations: int
    messages: int
    chunks: int
    memories: dict[str, int] = field(default_factory=dict)
    kinds: dict[str, int] = field(default_factory=dict)
    links: int = 0
    contradictions: int = 0
    vectors: dict[str, int] = field(default_factory=dict)
    unembedded: dict[str, int] = field(default_factory=dict)
    jobs: dict[str, int] = field(default_factory=dict)
    bytes: int = 0


def stats(scope: Scope) -> Stats:
    """Count what the view holds."""
    return scope.read(lambda tx: _stats(tx, scope))


def _stats(tx: Tx, scope: Scope) -> Stats:
    seen = scope.view.spaces

    def counted(table: str, where: str = "space IN :spaces") -> int:
        sql = f"SELECT count(*) AS value FROM {table} WHERE tenant = :tenant AND {where}"
        return int(value(tx, sql, spaces=seen))

    def grouped(column: str, where: str = "") -> dict[str, int]:
        sql = (
            f"SELECT {column} AS name, count(*) AS n FROM memories WHERE tenant = :tenant "
            f"AND space IN :spaces {where} GROUP BY {column} ORDER BY {column}"
        )
        return {r["name"]: r["n"] for r in tx.rows(sql, spaces=seen)}

    covered = vectors.coverage(tx)
    return Stats(
        spaces=counted("spaces", "path IN :spaces"),
        conversations=counted("conversations"),
        messages=counted("messages"),
        chunks=counted("chunks"),
        memories=grouped("status"),
        kinds=grouped("kind", "AND status = 'active'"),
        links=counted(
            "links",
            "source IN (SELECT id FROM memories WHERE tenant = :tenant AND space IN :spaces)",
        ),
        contradictions=contradictions.count_open(tx, seen),
        vectors={c.model: c.count for c in covered},
        unembedded={c.model: feed.unembedded(tx, c.model) for c in covered},
        jobs=queue.counts(tx),
        bytes=_bytes(tx, scope),
    )


def _bytes(tx: Tx, scope: Scope) -> int:
    if isinstance(scope.database, SqliteDatabase):
        path = scope.database.path
        parts = (Path(f"{path}{suffix}") for suffix in ("", "-wal"))
        return sum(part.stat().st_size for part in parts if part.exists())
    return int(value(tx, "SELECT pg_database_size(current_database()) AS value"))

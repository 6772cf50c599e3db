"""Doctor: is this memory sound? Checks the database, every row's digest, the words and the jobs."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from recollect.jobs import queue
from recollect.store import codec, feed, texts, vectors
from recollect.store.database import Database, Row, Tx, value
from recollect.store.migrate import LATEST
from recollect.store.scope import Scope
from recollect.store.serving import serving
from recollect.store.sqlite import SAFE_VERSION, driver

PAGE = 2_000
_DIGESTED: dict[str, Callable[[Row], int]] = {
    "messages": lambda r: codec.message_digest(codec.message(r)),
    "chunks": lambda r: codec.chunk_digest(codec.chunk(r)),
    "memories": lambda r: codec.record_digest(codec.record(r)),
    "memory_versions": lambda r: codec.record_digest(codec.record(r)),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was checked."""

    check: str
    ok: bool
    detail: str


def doctor(scope: Scope) -> list[Finding]:
    """Check the whole tenant; read only."""
    findings = list(_engine(scope.database, scope))
    for table in _DIGESTED:
        findings.append(_digests(scope, table))
    findings += scope.read(_words)
    findings.append(scope.read(_vectors))
    findings.append(scope.read(_jobs))
    return findings


def _engine(database: Database, scope: Scope) -> Iterator[Finding]:
    version = scope.read(lambda tx: int(value(tx, "SELECT max(version) AS value FROM schema_version")))
    yield Finding("schema", version == LATEST, f"version {version}")
    yield from scope.read(_sqlite if database.dialect == "sqlite" else _postgres)


def _sqlite(tx: Tx) -> list[Finding]:
    version = driver().sqlite_version
    broken = [r["quick_check"] for r in tx.rows("PRAGMA quick_check")]
    orphans = tx.rows("PRAGMA foreign_key_check")
    mode = tx.rows("PRAGMA journal_mode")[0]["journal_mode"]
    return [
        Finding(
            "sqlite",
            driver().sqlite_version_info >= SAFE_VERSION,
            f"version {version}, {mode} journal",
        ),
        Finding("pages", broken == ["ok"], "; ".join(broken)),
        Finding("references", not orphans, f"{len(orphans)} rows without their parent"),
    ]


def _postgres(tx: Tx) -> list[Finding]:
    server = value(tx, "SELECT current_setting('server_version') AS value")
    pgvector = value(tx, "SELECT extversion AS value FROM pg_extension WHERE extname = 'vector'")
    role = tx.rows(
        "SELECT rolname, rolsuper OR rolbypassrls AS free FROM pg_roles WHERE rolname = current_user"
    )[0]
    walled = (
        "row-level security holds"
        if not role["free"]
        else (f"role {role['rolname']} bypasses row-level security: connect as an ordinary role")
    )
    return [
        Finding("postgres", True, f"version {server}, pgvector {pgvector}"),
        Finding("tenant wall", not role["free"], walled),
    ]


def _digests(scope: Scope, table: str) -> Finding:
    """Compare every row with the digest it was written with, a page at a time."""
    wrong: list[str] = []
    checked, last = 0, 0
    while rows := scope.read(partial(_page, table=table, after=last)):
        wrong += [r["id"] for r in rows if not _intact(table, r)]
        checked += len(rows)
        last = rows[-1]["seq"]
    detail = f"{checked} rows match their digest" if not wrong else f"damaged: {', '.join(wrong[:5])}"
    return Finding(table.replace("_", " "), not wrong, detail)


def _page(tx: Tx, table: str, after: int) -> list[Row]:
    return tx.rows(
        f"SELECT * FROM {table} WHERE tenant = :tenant AND seq > :after ORDER BY seq LIMIT {PAGE}",
        after=after,
    )


def _intact(table: str, r: Row) -> bool:
    try:
        return bool(_DIGESTED[table](r) == r["digest"])
    except (ValueError, TypeError, KeyError):
        return False


def _words(tx: Tx) -> list[Finding]:
    """Every text has its words in the index."""
    findings = []
    for kind, table in (("message", "messages"), ("chunk", "chunks"), ("memory", "memories")):
        lost = texts.missing(tx, kind, table)
        findings.append(Finding(f"words of {table}", not lost, f"{lost} without an index entry"))
    return findings


def _vectors(tx: Tx) -> Finding:
    covered = vectors.coverage(tx)
    waiting = {c.model: feed.unembedded(tx, c.model) for c in covered}
    parts = [f"{c.count} by {c.model} ({c.dim} d), {waiting[c.model]} texts waiting" for c in covered]
    target = serving(tx).target
    parts += [f"changing to {target}"] if target else []
    return Finding("vectors", len(covered) <= 1 + (target is not None), "; ".join(parts) or "none yet")


def _jobs(tx: Tx) -> Finding:
    counts = queue.counts(tx)
    dead = counts.get("dead", 0)
    told = ", ".join(f"{n} {status}" for status, n in sorted(counts.items())) or "none"
    return Finding("jobs", not dead, told + (": see `recollect jobs list --status dead`" if dead else ""))

"""Migrations: numbered SQL files, applied in order, each in one transaction with its number.

`0001_first.sql` is for both databases; `0001_first.sqlite.sql` and `0001_first.postgres.sql` add what
only one of them has. A test applies all of them to an empty database and to every kept fixture.
"""

from typing import Any

from recollect.errors import StoreVersionError
from recollect.store.database import Database, Tx, value

LATEST = 8
WORDS = {
    "sqlite": {
        "{text}": "TEXT",
        "{id}": "TEXT",
        "{json}": "TEXT",
        "{half}": "BLOB",
        "{without_rowid}": " WITHOUT ROWID",
    },
    "postgres": {
        "{text}": 'TEXT COLLATE "C"',
        "{id}": "UUID",
        "{json}": "JSONB",
        "{half}": "HALFVEC",
        "{without_rowid}": "",
    },
}
_TABLE_EXISTS = {
    "sqlite": "SELECT count(*) AS value FROM sqlite_master WHERE name = :name",
    "postgres": "SELECT count(*) AS value FROM pg_tables "
    "WHERE schemaname = current_schema() AND tablename = :name",
}
_ANY_TABLE = {
    "sqlite": "SELECT count(*) AS value FROM sqlite_master WHERE type = 'table'",
    "postgres": "SELECT count(*) AS value FROM pg_tables WHERE schemaname = current_schema()",
}


def migrate(database: Database) -> None:
    """Bring a database to the latest schema; refuse one that is not ours or is newer than we are."""
    if database.read("", _version) == LATEST:
        return
    database.queue(_upgrade)


def _version(tx: Tx) -> int:
    if not value(tx, _TABLE_EXISTS[tx.dialect], name="schema_version"):
        if tx.dialect == "sqlite" and value(tx, _ANY_TABLE[tx.dialect]):
            raise StoreVersionError(
                "this SQLite file belongs to another program: choose another path for the memory"
            )
        return 0
    version = int(value(tx, "SELECT max(version) AS value FROM schema_version"))
    if version > LATEST:
        raise StoreVersionError(
            f"this memory was written by a newer recollect (schema {version}, known here: {LATEST}): "
            "upgrade with `pip install -U recollect`"
        )
    return version


def _upgrade(tx: Any) -> None:
    if tx.dialect == "postgres":
        tx.run("SELECT pg_advisory_xact_lock(7234017283807667300)")
        _need_pgvector(tx)
    version = _version(tx)
    if version == 0:
        tx.script("CREATE TABLE schema_version (version BIGINT PRIMARY KEY);")
    for number in range(version + 1, LATEST + 1):
        for sql in _files(number, tx.dialect):
            tx.script(sql)
        tx.run("INSERT INTO schema_version (version) VALUES (:number)", number=number)


def _need_pgvector(tx: Tx) -> None:
    """Install pgvector where we may; half-float vectors and iterative scans need a current one."""
    available = value(
        tx,
        "SELECT coalesce((SELECT extversion FROM pg_extension WHERE extname = 'vector'), "
        "(SELECT default_version FROM pg_available_extensions WHERE name = 'vector')) AS value",
    )
    if available is None or tuple(map(int, str(available).split("."))) < (0, 8, 4):
        raise StoreVersionError(
            f"PostgreSQL needs pgvector 0.8.4 or newer (found: {available or 'none'}): install it on the "
            "server, then `CREATE EXTENSION vector` as an administrator"
        )
    tx.run("CREATE EXTENSION IF NOT EXISTS vector")


def _files(number: int, dialect: str) -> list[str]:
    from importlib import resources

    folder = resources.files("recollect.store") / "migrations"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.startswith(f"{number:04d}_"))
    common = [name for name in names if name.count(".") == 1]
    special = [name for name in names if name.endswith(f".{dialect}.sql")]
    return [_rendered((folder / name).read_text("utf-8"), dialect) for name in common + special]


def _rendered(sql: str, dialect: str) -> str:
    for word, meaning in WORDS[dialect].items():
        sql = sql.replace(word, meaning)
    return sql

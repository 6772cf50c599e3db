"""SQLite: one file, many processes. WAL, synchronous=FULL, BEGIN IMMEDIATE, foreign keys."""

import os
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from recollect.errors import StoreBusy, StoreCorrupt, StoreError, StoreVersionError
from recollect.store.database import Row, Tx, expanded

T = TypeVar("T")

SAFE_VERSION = (3, 51, 3)
"""Older ones can corrupt a WAL database that several processes write."""
BUSY_SECONDS = 30.0


@cache
def driver() -> ModuleType:
    """Python's own sqlite3 if it is recent enough, else the bundled one, else a warning."""
    import sqlite3

    if sqlite3.sqlite_version_info >= SAFE_VERSION:
        return sqlite3
    try:
        import pysqlite3.dbapi2 as bundled
    except ImportError:
        warnings.warn(
            f"SQLite {sqlite3.sqlite_version} has a known WAL corruption bug, and pysqlite3 is not "
            "installed: use one process only, or a Python with SQLite 3.51.3 or newer",
            RuntimeWarning,
            stacklevel=2,
        )
        return sqlite3
    return bundled  # type: ignore[no-any-return]


class SqliteTx:
    """A transaction on one SQLite connection."""

    dialect = "sqlite"

    def __init__(self, connection: Any, tenant: str) -> None:
        self._connection = connection
        self.tenant = tenant

    def rows(self, sql: str, **params: Any) -> list[Row]:
        """All rows of a query, as dicts: the driver's own rows look through all names for each column."""
        params["tenant"] = self.tenant
        found = self._connection.execute(*expanded(sql, params))
        names = [column[0] for column in found.description]
        return [dict(zip(names, values, strict=True)) for values in found]

    def run(self, sql: str, **params: Any) -> int:
        """Run a statement; the number of rows it touched."""
        params["tenant"] = self.tenant
        return int(self._connection.execute(*expanded(sql, params)).rowcount)

    def run_many(self, sql: str, values: Iterable[Sequence[Any]]) -> None:
        """Run one statement for many tuples of values."""
        self._connection.executemany(sql, values)

    def script(self, sql: str) -> None:
        """Run the statements of a migration inside this transaction."""
        statement = ""
        for line in sql.splitlines():
            statement += line + "\n"
            if driver().complete_statement(statement):
                self._connection.execute(statement)
                statement = ""


class SqliteDatabase:
    """A pool of connections to one file: any number of readers, one writer at a time."""

    dialect = "sqlite"

    def __init__(self, path: Path) -> None:
        self.path = path
        self._idle: list[Any] = []
        self._lock = threading.Lock()
        self._writer = threading.Lock()
        self._known: set[str] = set()
        self._pid = os.getpid()

    def read(self, tenant: str, work: Callable[[Tx], T]) -> T:
        """Run a function on one consistent snapshot."""
        with self._transaction("BEGIN") as connection:
            return work(SqliteTx(connection, tenant))

    def write(self, tenant: str, work: Callable[[Tx], T]) -> T:
        """Run a function and commit it durably, or change nothing."""
        with self._writer, self._transaction("BEGIN IMMEDIATE") as connection:
            tx = SqliteTx(connection, tenant)
            if tenant not in self._known:
                tx.run(
                    "INSERT INTO tenants (tenant, created_at) VALUES (:tenant, unixepoch() * 1000000) "
                    "ON CONFLICT DO NOTHING"
                )
            result = work(tx)
        self._known.add(tenant)
        return result

    def queue(self, work: Callable[[Tx], T]) -> T:
        """Run a function on the job tables of all tenants, and commit it."""
        with self._writer, self._transaction("BEGIN IMMEDIATE") as connection:
            return work(SqliteTx(connection, ""))

    def close(self) -> None:
        """Close every connection; the last one of the machine folds the WAL into the file."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def scrub(self) -> None:
        """Fold the WAL into the file and empty it, so that no erased byte is left in either."""
        with self._writer, self._connection() as connection:
            busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise StoreBusy(
                "the erasure is committed, but a long-running reader keeps its bytes in the -wal "
                "file: close other readers, then run `recollect doctor`"
            )

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[Any]:
        with self._connection() as connection:
            connection.execute(begin)
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _connection(self) -> Iterator[Any]:
        """A connection of the pool; database errors come out as ours."""
        connection = None
        try:
            connection = self._take()
            yield connection
        except driver().Error as error:
            if connection is not None:
                connection.close()
                connection = None
            raise _translated(error, self.path) from error
        finally:
            if connection is not None:
                self._give(connection)

    def _take(self) -> Any:
        with self._lock:
            if self._pid != os.getpid():  # forked: SQLite connections must not cross a fork
                self._idle, self._pid = [], os.getpid()
            if self._idle:
                return self._idle.pop()
        return self._open()

    def _give(self, connection: Any) -> None:
        with self._lock:
            self._idle.append(connection)

    def _open(self) -> Any:
        sqlite = driver()
        connection = sqlite.connect(
            self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        _use_wal(connection)
        for pragma in (
            "synchronous = FULL",
            "foreign_keys = ON",
            "secure_delete = ON",
            "cache_size = -64000",
            "temp_store = MEMORY",
            "wal_autocheckpoint = 4000",
        ):
            connection.execute(f"PRAGMA {pragma}")
        connection.execute("CREATE VIRTUAL TABLE temp.words USING fts5vocab('main', 'terms', 'row')")
        return connection


def _use_wal(connection: Any) -> None:
    """Switch the file to WAL. SQLite does not wait for other openers here, so we do."""
    deadline = time.monotonic() + BUSY_SECONDS
    while connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except driver().OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def _translated(error: Exception, path: Path) -> StoreError:
    text = str(error)
    if "locked" in text or "busy" in text:
        return StoreBusy(f"{path} was locked by another writer for {BUSY_SECONDS:.0f} s: try again")
    if "not a database" in text:
        return StoreVersionError(f"{path} is not a SQLite database: choose another path")
    if "malformed" in text:
        return StoreCorrupt(f"{path} is damaged ({text}): restore a backup, or export what is readable")
    return StoreError(f"{path}: {text}")

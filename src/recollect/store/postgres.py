"""PostgreSQL with pgvector: pooled connections, only SET LOCAL state, row-level security."""

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from recollect.errors import SettingsError, StoreBusy, StoreError
from recollect.store.database import LIST, Row, Tx, batches, expanded, percent_style

if TYPE_CHECKING:
    import psycopg

T = TypeVar("T")

POOL = 8
WAIT_SECONDS = 30.0
SHORT = 8
_LOCK = "SELECT seq FROM tenants WHERE tenant = %s FOR UPDATE"
_PASSWORD = re.compile(r"(://[^:/@\s]*):[^@\s]*@")


class PostgresTx:
    """A transaction on one PostgreSQL connection."""

    dialect = "postgres"

    def __init__(self, connection: "psycopg.Connection[Any]", tenant: str) -> None:
        self._connection = connection
        self.tenant = tenant

    def rows(self, sql: str, **params: Any) -> list[Row]:
        """All rows of a query."""
        return self._execute(sql, params).fetchall()

    def run(self, sql: str, **params: Any) -> int:
        """Run a statement; the number of rows it touched."""
        return self._execute(sql, params).rowcount

    def run_many(self, sql: str, values: Iterable[Sequence[Any]]) -> None:
        """Run one statement for many tuples of values, many rows at a time where that is the same."""
        with self._connection.cursor() as cursor:
            head, values_word, rest = sql.partition("VALUES ")
            if not values_word or "DO UPDATE" in sql:
                cursor.executemany(_placeholders(sql), values)
                return
            row, tail = _row_and_tail(rest)
            for batch in batches(list(values)):
                text = f"{head}VALUES {', '.join([row] * len(batch))}{tail}"
                cursor.execute(_placeholders(text), [value for given in batch for value in given])

    def script(self, sql: str) -> None:
        """Run the statements of a migration inside this transaction."""
        self._connection.execute(sql)

    def _execute(self, sql: str, params: dict[str, Any]) -> "psycopg.Cursor[Any]":
        params["tenant"] = self.tenant
        text, flat = expanded(*_arrays(sql, params))
        return self._connection.execute(percent_style(text), flat)


class PostgresDatabase:
    """A pool of connections to one database, shared by all threads of the process."""

    dialect = "postgres"

    def __init__(self, url: str) -> None:
        try:
            import psycopg_pool
        except ImportError as error:
            raise SettingsError(
                "PostgreSQL needs the postgres extra: pip install 'recollect[postgres]'"
            ) from error
        self.url = url
        self._known: set[str] = set()
        self._turns: dict[str, threading.Lock] = {}
        self._pool = psycopg_pool.ConnectionPool(
            url, min_size=1, max_size=POOL, timeout=WAIT_SECONDS, configure=_configure, open=False
        )
        self._opened = False

    def read(self, tenant: str, work: Callable[[Tx], T]) -> T:
        """Run a function on one consistent snapshot."""
        begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        with self._transaction(begin, tenant) as connection:
            return work(PostgresTx(connection, tenant))

    def write(self, tenant: str, work: Callable[[Tx], T]) -> T:
        """Run a function and commit it durably, or change nothing.

        Writers of one tenant queue up here before they queue up for its row, so that those who wait hold no
        connection, and readers find one.
        """
        turn = self._turns.setdefault(tenant, threading.Lock())
        with turn, self._transaction("BEGIN", tenant) as connection:
            if tenant not in self._known:
                connection.execute(
                    "INSERT INTO tenants (tenant, created_at) "
                    "VALUES (%s, (extract(epoch FROM now()) * 1000000)::bigint) ON CONFLICT DO NOTHING",
                    (tenant,),
                )
            connection.execute(_LOCK, (tenant,))
            result = work(PostgresTx(connection, tenant))
        self._known.add(tenant)
        return result

    def queue(self, work: Callable[[Tx], T]) -> T:
        """Run a function on the job tables of all tenants, and commit it."""
        with self._transaction("BEGIN", "") as connection:
            return work(PostgresTx(connection, ""))

    def close(self) -> None:
        """Give back every connection."""
        self._pool.close()

    @contextmanager
    def _transaction(self, begin: str, tenant: str) -> Iterator["psycopg.Connection[Any]"]:
        with self._connection() as connection:
            try:
                connection.execute(f"{begin}; SET LOCAL recollect.tenant = {_quoted(tenant)}")
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if not connection.closed:
                    connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _connection(self) -> Iterator["psycopg.Connection[Any]"]:
        """A connection of the pool; database errors come out as ours."""
        import psycopg
        import psycopg_pool

        try:
            if not self._opened:
                self._pool.open(wait=True, timeout=WAIT_SECONDS)
                self._opened = True
            with self._pool.connection() as connection:
                yield connection
        except (psycopg_pool.PoolTimeout, psycopg.errors.LockNotAvailable) as error:
            where = _PASSWORD.sub(r"\1:…@", self.url)
            raise StoreBusy(f"{where} gave no connection for {WAIT_SECONDS:.0f} s: {error}") from error
        except psycopg.Error as error:
            raise StoreError(f"PostgreSQL: {error}") from error


def _arrays(sql: str, params: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Give long lists as arrays: one parameter, and one text of the statement whatever their length.

    Short ones stay `IN (…)`, which can use the order of an index.
    """
    listed = set(LIST.findall(sql))
    long = {
        name
        for name, given in params.items()
        if isinstance(given, list | tuple) and (name not in listed or len(given) > SHORT)
    }
    if not long:
        return sql, params
    text = LIST.sub(lambda found: f"= ANY(:{found[1]})" if found[1] in long else found[0], sql)
    return text, {name: _literal(given) if name in long else given for name, given in params.items()}


def _literal(members: Iterable[Any]) -> str:
    """An array as PostgreSQL reads it; untyped, so it becomes an array of what it is compared with."""
    quoted = (str(member).replace("\\", "\\\\").replace('"', '\\"') for member in members)
    return "{" + ",".join(f'"{member}"' for member in quoted) + "}"


@lru_cache(maxsize=4096)
def _quoted(text: str) -> str:
    """A text as a literal, for the one statement that takes no parameters."""
    from psycopg.sql import quote

    return quote(text)


def _placeholders(sql: str) -> str:
    return sql.replace("%", "%%").replace("?", "%s")


def _row_and_tail(rest: str) -> tuple[str, str]:
    """Cut `(?, f(?)) ON CONFLICT …` behind its first row."""
    depth = 0
    for i, character in enumerate(rest):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return rest[: i + 1], rest[i + 1 :]
    raise StoreError(f"no row of values in {rest!r}")


def _configure(connection: "psycopg.Connection[Any]") -> None:
    """Client-side settings only: nothing here is state on the server (poolers share it)."""
    from psycopg.rows import dict_row
    from psycopg.types.string import TextLoader

    connection.autocommit = True
    connection.prepare_threshold = None
    connection.row_factory = dict_row
    for name in ("uuid", "jsonb"):
        connection.adapters.register_loader(name, TextLoader)

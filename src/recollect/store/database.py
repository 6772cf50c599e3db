"""The port to a database: a transaction is a plain function handed to `read` or `write`.

Because the function is synchronous and gets nothing but a `Tx`, it cannot wait for a model or the
network while it holds the lock. Write transactions of one tenant run one after another on both
databases, so what a function has read stays true until it commits.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, Protocol, TypeVar

T = TypeVar("T")

_NAMED = re.compile(r"(?<!:):([a-z_][a-z0-9_]*)")
LIST = re.compile(r"\bIN :([a-z_][a-z0-9_]*)")


class Row(Protocol):
    """A result row, read by column name."""

    def __getitem__(self, column: str, /) -> Any: ...


class Tx(Protocol):
    """One transaction of one tenant. SQL names its parameters `:name`; `IN :name` takes a list."""

    dialect: str
    tenant: str

    def rows(self, sql: str, **params: Any) -> list[Row]:
        """All rows of a query; `:tenant` is filled in."""

    def run(self, sql: str, **params: Any) -> int:
        """Run a statement and say how many rows it touched; `:tenant` is filled in."""

    def run_many(self, sql: str, values: Iterable[Sequence[Any]]) -> None:
        """Run one statement with `?` placeholders for many tuples of values."""


class Database(Protocol):
    """A database that recollect can live in."""

    dialect: str

    def read(self, tenant: str, work: Callable[[Tx], T]) -> T:
        """Run a function on one consistent snapshot."""

    def write(self, tenant: str, work: Callable[[Tx], T]) -> T:
        """Run a function and commit it durably, or change nothing."""

    def queue(self, work: Callable[[Tx], T]) -> T:
        """Run a function on the job tables of all tenants, and commit it."""

    def close(self) -> None:
        """Give back every connection."""


def row(tx: Tx, sql: str, **params: Any) -> Row | None:
    """The only row of a query, or None."""
    found = tx.rows(sql, **params)
    return found[0] if found else None


def value(tx: Tx, sql: str, **params: Any) -> Any:
    """The column called `value` of the only row of a query."""
    found = row(tx, sql, **params)
    return None if found is None else found["value"]


def sequence(tx: Tx, count: int) -> int:
    """Take `count` numbers of the tenant's change sequence; the first of them.

    Writers of one tenant queue up for this, so numbers become visible in the order they are taken:
    a follower that has read up to n never misses a smaller one.
    """
    last = value(
        tx,
        "UPDATE tenants SET seq = seq + :count WHERE tenant = :tenant RETURNING seq AS value",
        count=count,
    )
    return int(last) - count + 1


def expanded(sql: str, params: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Spell out `IN :name` for lists, so that values never become part of the SQL text."""
    lists = {name: params[name] for name in LIST.findall(sql)}
    if not lists:
        return sql, params
    flat = {name: given for name, given in params.items() if name not in lists}
    for name, members in lists.items():
        flat.update({f"{name}_{i}": member for i, member in enumerate(members)})
    return _spelled(sql, tuple((name, len(members)) for name, members in lists.items())), flat


@lru_cache(maxsize=512)
def _spelled(sql: str, sizes: tuple[tuple[str, int], ...]) -> str:
    counts = dict(sizes)

    def places(match: re.Match[str]) -> str:
        name = match[1]
        return f"IN ({', '.join(f':{name}_{i}' for i in range(counts[name])) or 'NULL'})"

    return LIST.sub(places, sql)


@lru_cache(maxsize=1024)
def percent_style(sql: str) -> str:
    """The same statement with psycopg's placeholders."""
    return _NAMED.sub(r"%(\1)s", sql.replace("%", "%%"))


def batches(items: Sequence[T], size: int = 500) -> Iterable[Sequence[T]]:
    """Cut a long list so that no statement has too many parameters."""
    return (items[start : start + size] for start in range(0, len(items), size))

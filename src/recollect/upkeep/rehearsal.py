"""Rehearsal: a database whose writes are made and then taken back, so that a dry run can count them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from recollect.errors import RecollectError
from recollect.store.database import Database, Tx

T = TypeVar("T")


class _TakenBack(RecollectError, Generic[T]):
    """Carries the result of a write out of the transaction that it undoes."""

    def __init__(self, result: T) -> None:
        super().__init__("rehearsed")
        self.result = result


@dataclass(slots=True)
class Rehearsal:
    """Reads as the real one does; every write is looked at by `watch` when it is done, then rolled back."""

    database: Database
    watch: Callable[[Tx], None]
    dialect: str = ""

    def __post_init__(self) -> None:
        self.dialect = self.database.dialect

    def read(self, tenant: str, work: Callable[[Tx], T]) -> T:
        """Run a function on one consistent snapshot."""
        return self.database.read(tenant, work)

    def write(self, tenant: str, work: Callable[[Tx], T]) -> T:
        """Run a function, and change nothing."""

        def tried(tx: Tx) -> None:
            result = work(tx)
            self.watch(tx)
            raise _TakenBack(result)

        try:
            self.database.write(tenant, tried)
        except _TakenBack as back:
            result: T = back.result
            return result
        raise AssertionError("a rehearsed write never commits")

    def queue(self, work: Callable[[Tx], T]) -> T:
        """Jobs are not rehearsed."""
        raise NotImplementedError("a rehearsal promises no work")

    def close(self) -> None:
        """The real one stays open."""

"""Joined: a database whose every transaction is part of one that is already open.

A server runs a verb inside it, so that the verb, its line in the audit log and its kept answer are committed
together or not at all.
"""

from collections.abc import Callable
from typing import TypeVar

from recollect.errors import StoreError
from recollect.store.database import Tx

T = TypeVar("T")


class Joined:
    """The open transaction of one tenant, as a database."""

    def __init__(self, tx: Tx) -> None:
        self.dialect = tx.dialect
        self._tx = tx

    def read(self, tenant: str, work: Callable[[Tx], T]) -> T:
        """Run a function on what the open transaction sees."""
        return work(self._own(tenant))

    def write(self, tenant: str, work: Callable[[Tx], T]) -> T:
        """Run a function as part of the open transaction, which commits it."""
        return work(self._own(tenant))

    def queue(self, work: Callable[[Tx], T]) -> T:  # noqa: ARG002
        """Refused: the job tables of all tenants are not part of one tenant's transaction."""
        raise StoreError("the jobs of all tenants cannot be touched within one tenant's transaction")

    def close(self) -> None:
        """Nothing to give back: whoever opened the transaction closes it."""

    def _own(self, tenant: str) -> Tx:
        if tenant != self._tx.tenant:
            raise StoreError("a transaction belongs to one tenant")
        return self._tx

"""Scope: one tenant's view of one database, with the clock. Every flow gets one."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar

from recollect.errors import InvalidInput
from recollect.model.space import View
from recollect.store.database import Database, Tx

T = TypeVar("T")
Clock = Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class Scope:
    """Who asks (tenant), what they see (view), where (database) and when (clock).

    It is a value: another tenant or view is another Scope, so concurrent calls cannot mix them up.
    """

    database: Database
    tenant: str
    view: View
    clock: Clock

    def read(self, work: Callable[[Tx], T]) -> T:
        """Run a function on one consistent snapshot of this tenant."""
        return self.database.read(self.tenant, work)

    def write(self, work: Callable[[Tx], T]) -> T:
        """Run a function and commit it durably, or change nothing."""
        return self.database.write(self.tenant, work)

    def seeing(self, *spaces: str) -> "Scope":
        """The same tenant through another view."""
        return replace(self, view=View(spaces))

    def as_tenant(self, tenant: str) -> "Scope":
        """Another tenant of the same database, for workers and caches."""
        return replace(self, tenant=tenant)

    def now(self) -> datetime:
        """The moment the clock shows, which must know its time zone."""
        at = self.clock()
        if at.tzinfo is None:
            raise InvalidInput("the clock must give times with a time zone: datetime.now(UTC)")
        return at

"""The ledger of model work in the database: any number of processes share one budget."""

from datetime import datetime

from recollect.model.ids import micros, new_id
from recollect.models.energy import Spending
from recollect.store.database import Tx, value
from recollect.store.scope import Scope


def put(tx: Tx, spending: Spending, space: str | None = None) -> None:
    """Write one spending down, with the space it was for."""
    tx.run(
        "INSERT INTO energy (tenant, id, space, purpose, model, tokens_in, tokens_out, spent_at) "
        "VALUES (:tenant, :id, :space, :purpose, :model, :tokens_in, :tokens_out, :spent_at)",
        id=new_id(spending.at),
        space=space,
        purpose=spending.purpose,
        model=spending.model,
        tokens_in=spending.tokens_in,
        tokens_out=spending.tokens_out,
        spent_at=micros(spending.at),
    )


class EnergyLedger:
    """What a tenant spent on models; with `space`, what is recorded was for that space."""

    def __init__(self, scope: Scope, space: str | None = None) -> None:
        self._scope = scope
        self._space = space

    def record(self, spending: Spending) -> None:
        """Keep one call."""
        self._scope.write(lambda tx: put(tx, spending, self._space))

    def spent_since(self, moment: datetime) -> int:
        """The tokens of all calls after that moment."""
        spent = "SELECT coalesce(sum(tokens_in + tokens_out), 0) AS value FROM energy "
        where = "WHERE tenant = :tenant AND spent_at > :since"
        return int(self._scope.read(lambda tx: value(tx, spent + where, since=micros(moment))))

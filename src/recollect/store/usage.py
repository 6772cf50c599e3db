"""Queries on usage: how often memories were shown, used and passed over."""

from collections.abc import Sequence
from datetime import datetime

from recollect.model.ids import micros
from recollect.model.record import Record, Usage
from recollect.store import codec
from recollect.store.database import Tx


def count(tx: Tx, ids: Sequence[str], counter: str, when: datetime) -> None:
    """Count a use of memories: `retrieved`, `cited` or `ignored`."""
    tx.run_many(
        f"INSERT INTO usage (tenant, memory, {counter}, last_used_at) "
        "SELECT tenant, id, 1, ? FROM memories WHERE tenant = ? AND id = ? "
        f"ON CONFLICT (tenant, memory) DO UPDATE SET {counter} = usage.{counter} + 1, "
        "last_used_at = excluded.last_used_at",
        [(micros(when), tx.tenant, id) for id in ids],
    )


def put(tx: Tx, records: Sequence[Record]) -> None:
    """Store the usage counters of imported memories."""
    tx.run_many(
        "INSERT INTO usage (tenant, memory, retrieved, cited, ignored, last_used_at) "
        "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        [
            (
                tx.tenant,
                r.id,
                u.retrieved,
                u.cited,
                u.ignored,
                codec.optional_micros(u.last_used_at),
            )
            for r in records
            if (u := r.usage) != Usage()
        ],
    )

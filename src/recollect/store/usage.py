"""Queries on usage: how often memories were shown, used and passed over."""

from collections.abc import Sequence
from datetime import datetime

from recollect.model.ids import micros
from recollect.model.record import Level, Record, Usage
from recollect.store import codec
from recollect.store.database import Tx, batches


def count(tx: Tx, ids: Sequence[str], counter: str, when: datetime) -> None:
    """Count a use of memories: `retrieved`, `cited` or `ignored`; what is cited is carried whole again."""
    whole = ", carried = 'full'" if counter == "cited" else ""
    tx.run_many(
        f"INSERT INTO usage (tenant, memory, {counter}, last_used_at) "
        "SELECT tenant, id, 1, ? FROM memories WHERE tenant = ? AND id = ? "
        f"ON CONFLICT (tenant, memory) DO UPDATE SET {counter} = usage.{counter} + 1, "
        f"last_used_at = excluded.last_used_at{whole}",
        [(micros(when), tx.tenant, id) for id in ids],
    )


def put(tx: Tx, records: Sequence[Record]) -> None:
    """Store the usage counters of imported memories."""
    tx.run_many(
        "INSERT INTO usage (tenant, memory, retrieved, cited, ignored, last_used_at, carried) "
        "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        [
            (
                tx.tenant,
                r.id,
                u.retrieved,
                u.cited,
                u.ignored,
                codec.optional_micros(u.last_used_at),
                u.carried,
            )
            for r in records
            if (u := r.usage) != Usage()
        ],
    )


def of(tx: Tx, ids: Sequence[str]) -> dict[str, Usage]:
    """The counters of memories that have any."""
    found: dict[str, Usage] = {}
    for some in batches(ids):
        for r in tx.rows("SELECT * FROM usage WHERE tenant = :tenant AND memory IN :ids", ids=some):
            found[r["memory"]] = codec.usage(r)
    return found


def change(tx: Tx, id: str, more: Usage, last: datetime | None) -> None:
    """Add to the counters of a memory (or take away, below zero), and set when it was last used."""
    tx.run(
        "INSERT INTO usage (tenant, memory, retrieved, cited, ignored, last_used_at) "
        "VALUES (:tenant, :id, :retrieved, :cited, :ignored, :last) ON CONFLICT (tenant, memory) DO UPDATE "
        "SET retrieved = usage.retrieved + excluded.retrieved, cited = usage.cited + excluded.cited, "
        "ignored = usage.ignored + excluded.ignored, last_used_at = excluded.last_used_at",
        id=id,
        retrieved=more.retrieved,
        cited=more.cited,
        ignored=more.ignored,
        last=codec.optional_micros(last),
    )


def carry(tx: Tx, levels: Sequence[tuple[str, Level]]) -> None:
    """Set the largest level at which contexts carry memories."""
    tx.run_many(
        "INSERT INTO usage (tenant, memory, carried) VALUES (?, ?, ?) "
        "ON CONFLICT (tenant, memory) DO UPDATE SET carried = excluded.carried",
        [(tx.tenant, id, level) for id, level in levels],
    )

"""Queries on judgements: doubtful pairs of memories, each pair of versions judged once."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from recollect.model.ids import micros
from recollect.model.record import Record
from recollect.store.database import Tx

_PAIR = (
    "tenant = :tenant AND memory_a = :memory_a AND memory_b = :memory_b AND version_a = :version_a "
    "AND version_b = :version_b"
)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two memories at the versions that were compared."""

    memory_a: str
    version_a: int
    memory_b: str
    version_b: int
    space: str


def pair_of(a: Record, b: Record) -> Pair:
    """The pair of two records, as they are now."""
    return Pair(a.id, a.version, b.id, b.version, a.space)


def note(tx: Tx, pair: Pair, now: datetime) -> bool:
    """Let a pair wait for a judge unless it was noted before; whether it was new."""
    stored = tx.run(
        "INSERT INTO judgements (tenant, memory_a, version_a, memory_b, version_b, space, noted_at) "
        "VALUES (:tenant, :memory_a, :version_a, :memory_b, :version_b, :space, :now) "
        "ON CONFLICT DO NOTHING",
        now=micros(now),
        space=pair.space,
        **_names(pair),
    )
    return bool(stored)


def waiting(tx: Tx, limit: int) -> Sequence[Pair]:
    """Pairs that no judge has seen, the oldest first."""
    found = tx.rows(
        "SELECT * FROM judgements WHERE tenant = :tenant AND verdict IS NULL "
        "ORDER BY noted_at, memory_a, memory_b LIMIT :limit",
        limit=limit,
    )
    return [Pair(r["memory_a"], r["version_a"], r["memory_b"], r["version_b"], r["space"]) for r in found]


def settle(tx: Tx, pair: Pair, verdict: str, model: str, now: datetime) -> bool:
    """Keep a verdict; False if the pair is gone or was judged meanwhile."""
    touched = tx.run(
        f"UPDATE judgements SET verdict = :verdict, model = :model, judged_at = :now WHERE {_PAIR} "
        "AND verdict IS NULL",
        verdict=verdict,
        model=model,
        now=micros(now),
        **_names(pair),
    )
    return touched == 1


def drop(tx: Tx, pair: Pair) -> None:
    """Take back a pair that has lost its point: one side has changed or gone."""
    tx.run(f"DELETE FROM judgements WHERE {_PAIR}", **_names(pair))


def _names(pair: Pair) -> dict[str, str | int]:
    return {
        "memory_a": pair.memory_a,
        "version_a": pair.version_a,
        "memory_b": pair.memory_b,
        "version_b": pair.version_b,
    }

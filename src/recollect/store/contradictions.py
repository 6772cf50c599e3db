"""Queries on contradictions."""

from collections.abc import Sequence
from datetime import datetime

from recollect.model.ids import derived_id, micros, moment
from recollect.model.record import Record
from recollect.model.relation import Contradiction, Link, LinkType, Resolution
from recollect.store import links
from recollect.store.codec import optional_micros, optional_moment
from recollect.store.database import Row, Tx, row, value

_OPEN = (
    "AND c.resolved_at IS NULL AND 2 = (SELECT count(*) FROM memories AS m WHERE m.tenant = c.tenant "
    "AND m.id IN (c.memory_a, c.memory_b) AND m.space = c.space AND m.status IN ('active', 'pending'))"
)


def put(tx: Tx, c: Contradiction) -> bool:
    """Store a contradiction unless the pair is known; whether it was new."""
    stored = tx.run(
        "INSERT INTO contradictions (tenant, id, space, memory_a, memory_b, reason, detected_at, "
        "resolved_at, resolution, note) VALUES (:tenant, :id, :space, :memory_a, :memory_b, :reason, "
        ":detected_at, :resolved_at, :resolution, :note) ON CONFLICT DO NOTHING",
        id=c.id,
        space=c.space,
        memory_a=c.memory_a,
        memory_b=c.memory_b,
        reason=c.reason,
        detected_at=micros(c.detected_at),
        resolved_at=optional_micros(c.resolved_at),
        resolution=c.resolution,
        note=c.note,
    )
    return bool(stored)


def record(tx: Tx, a: Record, b: Record, reason: str, at: datetime) -> bool:
    """Put two memories into the inbox and link them, unless they are known there; whether they were new.

    The id follows from the pair, so a repeat changes nothing.
    """
    made = Contradiction(
        id=derived_id(b.recorded_at, tx.tenant, a.id, b.id),
        space=b.space,
        memory_a=a.id,
        memory_b=b.id,
        reason=reason,
        detected_at=at,
    )
    links.put(tx, [Link(source=b.id, target=a.id, type=LinkType.CONTRADICTS, created_at=at)])
    return put(tx, made)


def take_back(tx: Tx, id: str) -> bool:
    """Remove a contradiction that nobody has resolved; whether it was still open."""
    return bool(
        tx.run(
            "DELETE FROM contradictions WHERE tenant = :tenant AND id = :id AND resolved_at IS NULL", id=id
        )
    )


def resolve(tx: Tx, loser: str, winner: str, now: datetime) -> None:
    """Settle what is open between two memories: the second one is right."""
    for a, b, resolution in ((loser, winner, Resolution.B_WINS), (winner, loser, Resolution.A_WINS)):
        tx.run(
            "UPDATE contradictions SET resolved_at = :now, resolution = :resolution WHERE tenant = :tenant "
            "AND memory_a = :a AND memory_b = :b AND resolved_at IS NULL",
            now=micros(now),
            resolution=resolution,
            a=a,
            b=b,
        )


def listed(tx: Tx, spaces: Sequence[str], *, only_open: bool) -> list[Contradiction]:
    """Contradictions of the view, oldest first.

    One is open until it is resolved, and only as long as both sides are believed or waiting: when one is
    superseded, set aside or moved away there is nothing left to decide, and when it comes back there is.
    """
    found = tx.rows(
        "SELECT c.* FROM contradictions AS c WHERE c.tenant = :tenant AND c.space IN :spaces "
        f"{_OPEN if only_open else ''} ORDER BY c.id",
        spaces=spaces,
    )
    return [_contradiction(r) for r in found]


def count_open(tx: Tx, spaces: Sequence[str]) -> int:
    """How many contradictions of the view wait for somebody to decide."""
    found = value(
        tx,
        "SELECT count(*) AS value FROM contradictions AS c WHERE c.tenant = :tenant "
        f"AND c.space IN :spaces {_OPEN}",
        spaces=spaces,
    )
    return int(found)


def by_id(tx: Tx, id: str, spaces: Sequence[str]) -> Contradiction | None:
    """One contradiction of the view."""
    found = row(
        tx, "SELECT * FROM contradictions WHERE tenant = :tenant AND id = :id AND space IN :spaces",
        id=id,
        spaces=spaces,
    )  # fmt: skip
    return None if found is None else _contradiction(found)


def rivals(tx: Tx, id: str) -> set[str]:
    """The memories that are known to contradict one, settled or not."""
    found = tx.rows(
        "SELECT memory_a, memory_b FROM contradictions WHERE tenant = :tenant "
        "AND (memory_a = :id OR memory_b = :id)",
        id=id,
    )
    return {r["memory_b"] if r["memory_a"] == id else r["memory_a"] for r in found}


def settle(tx: Tx, c: Contradiction) -> None:
    """Write down how a contradiction was resolved, or that it is open again."""
    tx.run(
        "UPDATE contradictions SET resolved_at = :resolved_at, resolution = :resolution, note = :note "
        "WHERE tenant = :tenant AND id = :id",
        resolved_at=optional_micros(c.resolved_at),
        resolution=c.resolution,
        note=c.note,
        id=c.id,
    )


def _contradiction(r: Row) -> Contradiction:
    return Contradiction(
        id=r["id"],
        space=r["space"],
        memory_a=r["memory_a"],
        memory_b=r["memory_b"],
        reason=r["reason"],
        detected_at=moment(r["detected_at"]),
        resolved_at=optional_moment(r["resolved_at"]),
        resolution=None if r["resolution"] is None else Resolution(r["resolution"]),
        note=r["note"],
    )

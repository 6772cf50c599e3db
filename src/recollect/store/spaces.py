"""Queries on spaces."""

from collections.abc import Sequence
from typing import Any

from recollect.model.ids import micros, moment
from recollect.model.space import Space
from recollect.store.codec import packed, unpacked
from recollect.store.database import Row, Tx, row


def create(tx: Tx, space: Space) -> bool:
    """Store a space if it is new; whether it was."""
    return bool(
        tx.run(
            "INSERT INTO spaces (tenant, path, policy, created_at) "
            "VALUES (:tenant, :path, :policy, :created_at) ON CONFLICT (tenant, path) DO NOTHING",
            path=space.path,
            policy=packed(space.policy),
            created_at=micros(space.created_at),
        )
    )


def get(tx: Tx, path: str) -> Space | None:
    """One space by its path."""
    found = row(tx, "SELECT * FROM spaces WHERE tenant = :tenant AND path = :path", path=path)
    return None if found is None else _space(found)


def every(tx: Tx) -> Sequence[Space]:
    """All spaces of the tenant, by path."""
    return [_space(r) for r in tx.rows("SELECT * FROM spaces WHERE tenant = :tenant ORDER BY path")]


def set_policy(tx: Tx, path: str, policy: dict[str, Any]) -> None:
    """Replace the policy of a space."""
    tx.run(
        "UPDATE spaces SET policy = :policy WHERE tenant = :tenant AND path = :path",
        path=path,
        policy=packed(policy),
    )


def _space(found: Row) -> Space:
    return Space(path=found["path"], created_at=moment(found["created_at"]), policy=unpacked(found["policy"]))

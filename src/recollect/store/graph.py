"""Queries on memories that are about named things."""

from collections.abc import Sequence

from recollect.model.record import Record
from recollect.store import codec
from recollect.store.database import Tx


def named(tx: Tx, spaces: Sequence[str], category: str) -> list[Record]:
    """Believed memories about a named subject, or of a category, in the order they were made; no episodes."""
    found = tx.rows(
        "SELECT * FROM memories WHERE tenant = :tenant AND space IN :spaces AND status = 'active' "
        "AND kind <> 'episode' AND (subject IS NOT NULL OR kind = 'entity' OR category = :category) "
        "ORDER BY id",
        spaces=spaces,
        category=category,
    )
    return [codec.record(r) for r in found]

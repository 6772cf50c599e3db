"""Going back: the version before the current one takes its place again, as if the last had never been."""

from collections.abc import Sequence
from dataclasses import replace

from recollect.model.record import Record
from recollect.store import codec, memories
from recollect.store.codec import MEMORY_COLUMNS
from recollect.store.database import Tx, batches, row, sequence

_VALUES = ", ".join(f"{c} = :{c}" for c in MEMORY_COLUMNS if c not in ("tenant", "id"))


def current(tx: Tx, ids: Sequence[str]) -> dict[str, int]:
    """The current version numbers of memories of any space; those that are gone are left out."""
    found: dict[str, int] = {}
    for some in batches(ids):
        rows = tx.rows("SELECT id, version FROM memories WHERE tenant = :tenant AND id IN :ids", ids=some)
        found.update({r["id"]: r["version"] for r in rows})
    return found


def step_back(tx: Tx, id: str, made: int) -> bool:
    """Take back version `made` of a memory if it is the current one; whether it was."""
    (now,) = memories.bare_by_id(tx, [id]) or (None,)
    if now is None or now.version != made:
        return False
    found = row(
        tx,
        "SELECT * FROM memory_versions WHERE tenant = :tenant AND id = :id AND version = :version",
        id=id,
        version=made - 1,
    )
    if found is None:
        return False
    old: Record = replace(codec.record(found), retired_at=None)
    values = dict(zip(MEMORY_COLUMNS, codec.record_row(old, tx.tenant, sequence(tx, 1)), strict=True))
    del values["tenant"]
    tx.run(f"UPDATE memories SET {_VALUES} WHERE tenant = :tenant AND id = :id", **values)
    tx.run(
        "DELETE FROM memory_versions WHERE tenant = :tenant AND id = :id AND version = :version",
        id=id,
        version=made - 1,
    )
    memories.follow(tx, now, old)
    return True

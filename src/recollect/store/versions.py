"""Many new versions at once, and the way back: the version before the current one takes its place again."""

from collections.abc import Sequence
from dataclasses import replace

from recollect.model.ids import micros
from recollect.model.record import Record
from recollect.store import codec, memories, spaces
from recollect.store.codec import MEMORY_COLUMNS
from recollect.store.database import Tx, batches, row, sequence

_CHANGING = tuple(c for c in MEMORY_COLUMNS if c not in ("tenant", "id"))
_VALUES = ", ".join(f"{c} = :{c}" for c in _CHANGING)
_PLACES = ", ".join(f"{c} = ?" for c in _CHANGING)
_COLUMNS = ", ".join(MEMORY_COLUMNS)


def current(tx: Tx, ids: Sequence[str]) -> dict[str, int]:
    """The current version numbers of memories of any space; those that are gone are left out."""
    found: dict[str, int] = {}
    for some in batches(ids):
        rows = tx.rows("SELECT id, version FROM memories WHERE tenant = :tenant AND id IN :ids", ids=some)
        found.update({r["id"]: r["version"] for r in rows})
    return found


def replace_many(tx: Tx, pairs: Sequence[tuple[Record, Record]]) -> None:
    """Put new versions of different memories in the place of the old ones, which are kept.

    The same as memories.replace_version for each of them, in a few statements for all. The new records
    come with their version numbers and times.
    """
    for some in batches([old.id for old, _ in pairs]):
        tx.run(
            f"INSERT INTO memory_versions ({_COLUMNS}) "
            f"SELECT {_COLUMNS} FROM memories WHERE tenant = :tenant AND id IN :ids",
            ids=some,
        )
    tx.run_many(
        "UPDATE memory_versions SET retired_at = ? WHERE tenant = ? AND id = ? AND version = ?",
        [(micros(new.recorded_at), tx.tenant, old.id, old.version) for old, new in pairs],
    )
    first = sequence(tx, len(pairs))
    rows = []
    for number, (_, new) in enumerate(pairs, first):
        values = dict(zip(MEMORY_COLUMNS, codec.record_row(new, tx.tenant, number), strict=True))
        rows.append((*(values[column] for column in _CHANGING), tx.tenant, new.id))
    tx.run_many(f"UPDATE memories SET {_PLACES} WHERE tenant = ? AND id = ?", rows)
    for old, new in pairs:
        memories.follow(tx, old, new)


def step_back(tx: Tx, id: str, made: int) -> bool:
    """Take back version `made` of a memory if it is the current one and its old space is there; whether."""
    (now,) = memories.bare_by_id(tx, [id]) or (None,)
    if now is None or now.version != made:
        return False
    found = row(
        tx,
        "SELECT * FROM memory_versions WHERE tenant = :tenant AND id = :id AND version = :version",
        id=id,
        version=made - 1,
    )
    if found is None or spaces.get(tx, found["space"]) is None:
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

"""Queries on API keys: only hashes are stored, and a key is found before its tenant is known."""

import json
from datetime import datetime

from recollect.model.access import ApiKey
from recollect.model.ids import micros, moment
from recollect.store.codec import optional_micros, optional_moment
from recollect.store.database import Row, Tx, row


def insert(tx: Tx, key: ApiKey, hash: str) -> None:
    """Store a new key of the tenant."""
    tx.run(
        "INSERT INTO keys (tenant, id, name, prefix, hash, spaces, rights, created_at, expires_at) VALUES "
        "(:tenant, :id, :name, :prefix, :hash, :spaces, :rights, :created_at, :expires_at)",
        id=key.id,
        name=key.name,
        prefix=key.prefix,
        hash=hash,
        spaces=json.dumps(key.spaces),
        rights=json.dumps(key.rights),
        created_at=micros(key.created_at),
        expires_at=optional_micros(key.expires_at),
    )


def by_hash(tx: Tx, hash: str) -> ApiKey | None:
    """The key with a hash, of whichever tenant: the one query that must not name the tenant."""
    found = row(tx, "SELECT * FROM keys WHERE hash = :hash", hash=hash)
    return None if found is None else _key(found)


def listed(tx: Tx) -> list[ApiKey]:
    """All keys of the tenant, newest first."""
    return [_key(r) for r in tx.rows("SELECT * FROM keys WHERE tenant = :tenant ORDER BY id DESC")]


def revoke(tx: Tx, id: str, now: datetime) -> bool:
    """Close a key for good; whether it was open."""
    sql = "UPDATE keys SET revoked_at = :now WHERE tenant = :tenant AND id = :id AND revoked_at IS NULL"
    return tx.run(sql, id=id, now=micros(now)) == 1


def used(tx: Tx, id: str, at: datetime) -> None:
    """Note when a key was last used."""
    sql = "UPDATE keys SET last_used_at = :at WHERE tenant = :tenant AND id = :id"
    tx.run(sql, id=id, at=micros(at))


def _key(r: Row) -> ApiKey:
    return ApiKey(
        id=r["id"],
        tenant=r["tenant"],
        name=r["name"],
        prefix=r["prefix"],
        spaces=tuple(json.loads(r["spaces"])),
        rights=tuple(json.loads(r["rights"])),
        created_at=moment(r["created_at"]),
        expires_at=optional_moment(r["expires_at"]),
        revoked_at=optional_moment(r["revoked_at"]),
        last_used_at=optional_moment(r["last_used_at"]),
    )

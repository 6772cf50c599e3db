"""API keys: 256 random bits, shown once; the store keeps their SHA-256, which is enough to know them by."""

import secrets
from collections.abc import Iterable, Sequence
from datetime import datetime
from hashlib import sha256

from recollect.errors import InvalidInput, NotFound, Unauthenticated
from recollect.ingest import gate
from recollect.model.access import ApiKey, AuditEntry
from recollect.model.ids import new_id
from recollect.store import audit, keys
from recollect.store.database import Tx
from recollect.store.scope import Scope
from recollect.surfaces.access import Grant, Right, checked_patterns

MARK = "rcl_"
SHOWN = len(MARK) + 8
"""Characters of a key that lists show, to tell keys apart: 48 of its 256 bits."""
OPERATOR = "command line"
"""Who makes and revokes keys: whoever can reach the database itself."""


class Keys:
    """The keys of one tenant, as its operator sees them."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    def create(
        self,
        name: str,
        *,
        spaces: Iterable[str],
        rights: Iterable[Right | str],
        expires_at: datetime | None = None,
    ) -> tuple[str, ApiKey]:
        """A new key: its secret, which is not kept, and what is kept of it."""
        gate.text(name, "the key's name", gate.MAX_NAME)
        chosen = gate.choices(rights, Right, "right")
        if not chosen:
            raise InvalidInput(f"a key needs at least one right out of {', '.join(Right)}")
        now = self._scope.now()
        if expires_at is not None and gate.moment(expires_at, "the expiry") <= now:
            raise InvalidInput("the key would expire before it is made: choose a later time")
        secret = MARK + secrets.token_urlsafe(32)
        key = ApiKey(
            id=new_id(now),
            tenant=self._scope.tenant,
            name=name,
            prefix=secret[:SHOWN],
            spaces=checked_patterns(spaces),
            rights=tuple(dict.fromkeys(str(right) for right in chosen)),
            created_at=now,
            expires_at=expires_at,
        )

        def work(tx: Tx) -> None:
            keys.insert(tx, key, digest(secret))
            audit.put(tx, [self._entry("keys.create", key.id)])

        self._scope.write(work)
        return secret, key

    def list(self) -> Sequence[ApiKey]:
        """All keys of the tenant, newest first, revoked ones too."""
        return self._scope.read(keys.listed)

    def revoke(self, name: str) -> ApiKey:
        """Close a key for good, by its id or by the beginning that lists show."""

        def work(tx: Tx) -> ApiKey:
            found = [key for key in keys.listed(tx) if name in (key.id, key.prefix)]
            if not found or not keys.revoke(tx, found[0].id, self._scope.now()):
                raise NotFound(f"no open key {name!r}: see `recollect keys list`")
            audit.put(tx, [self._entry("keys.revoke", found[0].id)])
            return found[0]

        return self._scope.write(work)

    def _entry(self, operation: str, id: str) -> AuditEntry:
        now = self._scope.now()
        return AuditEntry(id=new_id(now), at=now, who=OPERATOR, operation=operation, ids=(id,))


def digest(secret: str) -> str:
    """What is kept of a secret. It is random, so a fast hash is as good as a slow one."""
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def known(scope: Scope, secret: str) -> ApiKey:
    """The key with this secret, of whichever tenant, if it is open."""
    key = scope.database.read("", lambda tx: keys.by_hash(tx, digest(secret)))
    if key is None or key.revoked_at is not None:
        raise Unauthenticated("this key is not known, or was revoked: make one with `recollect keys create`")
    if key.expires_at is not None and key.expires_at <= scope.now():
        raise Unauthenticated("this key has expired: make a new one with `recollect keys create`")
    return key


def granted(key: ApiKey) -> Grant:
    """What a key opens."""
    return Grant(key.tenant, key.spaces, frozenset(Right(right) for right in key.rights), key.name)

"""ApiKey and AuditEntry: who may come in through a server, and what was done there."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """A key as it is kept: never its secret, only how it begins, what it opens and when it was used."""

    id: str
    tenant: str
    name: str
    prefix: str
    spaces: tuple[str, ...]
    rights: tuple[str, ...]
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    last_used_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """One thing that was done: by whom, which operation, in which space, on which ids. No text."""

    id: str
    at: datetime
    who: str
    operation: str
    space: str | None = None
    ids: tuple[str, ...] = ()

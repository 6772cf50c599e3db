"""House: what all requests of one server process share."""

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from hmac import compare_digest

from recollect.memory import Memory, bound, engine_of, scope_of
from recollect.model.access import ApiKey, AuditEntry
from recollect.model.ids import new_id
from recollect.store import audit, keys
from recollect.store.database import Tx
from recollect.surfaces.access import EVERYWHERE, Grant, Right
from recollect.surfaces.keys import granted, known
from recollect.surfaces.notice import Notice
from recollect.surfaces.rest.limits import Buckets
from recollect.surfaces.rest.metrics import Metrics

KEY_USE = "keys.use"
USE_EVERY = timedelta(minutes=1)
"""A key's uses are noted once in this time: the first of them, with its time."""
REMEMBERED_SECONDS = 1.0
"""For how long a key that was looked up is believed: a revoked one is refused after this at the latest."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one request and one key may ask of the server; `failures`: without a good key."""

    body: int = 2_000_000
    upload: int = 1 << 30
    rate: float = 100.0
    failures: float = 10.0
    depth: int = 64


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: what they may do, and the name that the log and kept answers know them by."""

    grant: Grant
    id: str


@dataclass(slots=True)
class House:
    """The open memory, its keys, and the counts that wait to be written down."""

    memory: Memory
    limits: Limits
    hosts: frozenset[str]
    insecure: bool
    monotonic: Callable[[], float]
    metrics: Metrics = field(default_factory=Metrics)
    buckets: Buckets = field(init=False)
    strangers: Buckets = field(init=False)
    stopping: threading.Event = field(default_factory=threading.Event)
    notice: Notice | None = None
    """What this server left for the processes of its own user."""
    _known: dict[str, tuple[float, ApiKey]] = field(default_factory=dict)
    _used: dict[str, tuple[ApiKey, datetime]] = field(default_factory=dict)
    _noted: dict[str, datetime] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _settling: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.buckets = Buckets(self.limits.rate, self.monotonic)
        self.strangers = Buckets(self.limits.failures, self.monotonic)

    def local(self) -> Caller:
        """Whoever is on this machine, where the operator said that they need no key."""
        tenant = scope_of(self.memory).tenant
        return Caller(Grant(tenant, (EVERYWHERE,), frozenset(Right), "local"), "local")

    def remembered(self, secret: str) -> Caller | None:
        """The caller with a secret that was looked up a moment ago, or that this server's notice holds."""
        if self.notice is not None and compare_digest(secret.encode(), self.notice.key.encode()):
            rights = frozenset({Right.READ, Right.WRITE})
            return Caller(Grant(self.notice.tenant, (EVERYWHERE,), rights, "own processes"), "own processes")
        with self._lock:
            found = self._known.get(secret)
        if found is None or found[0] < self.monotonic():
            return None
        return self._admitted(found[1])

    def caller(self, secret: str) -> Caller:
        """The caller with a secret, looked up, or Unauthenticated."""
        key = known(scope_of(self.memory), secret)
        with self._lock:
            if len(self._known) > 10_000:
                self._known.clear()
            self._known[secret] = (self.monotonic() + REMEMBERED_SECONDS, key)
        return self._admitted(key)

    def _admitted(self, key: ApiKey) -> Caller:
        now = scope_of(self.memory).now()
        with self._lock:
            last = self._noted.get(key.id)
            if last is None or now - last >= USE_EVERY:
                self._noted[key.id] = now
                self._used[key.id] = (key, now)
        return Caller(granted(key), _name(key))

    def seen_by(self, caller: Caller, spaces: Iterable[str]) -> Memory:
        """The memory as a caller sees it."""
        scope = scope_of(self.memory).as_tenant(caller.grant.tenant)
        return bound(self.memory, scope.seeing(*spaces))

    def start(self) -> None:
        """Let the worker begin with what waits, if there is one."""
        engine_of(self.memory).stir()

    def settle(self) -> None:
        """Write down which memories and keys were used since the last time.

        One at a time: whoever returns from here finds it written, also what another thread was just writing.
        What cannot be written goes on waiting.
        """
        scope = scope_of(self.memory)
        engine_of(self.memory).uses.settle_all(scope)
        with self._settling:
            with self._lock:
                used = dict(self._used)
            for id, (key, at) in used.items():
                scope.as_tenant(key.tenant).write(partial(_note_use, key=key, at=at))
                with self._lock:
                    if self._used[id][1] == at:
                        del self._used[id]


def _name(key: ApiKey) -> str:
    """How the log calls a key: by its name, and by its beginning, which no other key has."""
    return f"{key.name} ({key.prefix})"


def _note_use(tx: Tx, key: ApiKey, at: datetime) -> None:
    keys.used(tx, key.id, at)
    entry = AuditEntry(id=new_id(at), at=at, who=_name(key), operation=KEY_USE, ids=(key.id,))
    audit.put(tx, [entry])

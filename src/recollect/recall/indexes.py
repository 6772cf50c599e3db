"""The search indexes of an open memory: one for each tenant and embedder, made when first needed."""

import shutil
import threading
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from recollect.store.scope import Scope
from recollect.store.sqlite import SqliteDatabase

if TYPE_CHECKING:
    from recollect.models.ports import Embedder
    from recollect.store.index.ask import Ask
    from recollect.store.index.index import Index
    from recollect.store.index.pool import Pool, Stats


class Candidates(Protocol):
    """Where candidates come from."""

    def search(self, ask: "Ask") -> "tuple[Pool, Stats]":
        """Candidates from everything that is committed now."""

    def compact(self) -> None:
        """Put the index in order; for quiet moments."""


@dataclass(frozen=True, slots=True)
class Proposer:
    """PostgreSQL's own indexes, asked anew every time: a server process holds no state of a tenant."""

    scope: Scope
    model: str

    def search(self, ask: "Ask") -> "tuple[Pool, Stats]":
        """Candidates from everything that is committed now."""
        from recollect.store.propose import propose

        return self.scope.read(lambda tx: propose(tx, ask, self.model))

    def compact(self) -> None:
        """PostgreSQL sees to its indexes by itself."""


class Indexes:
    """Caches over one database; they follow its change sequence and may be dropped at any time."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, str], Index] = {}
        self._lock = threading.Lock()

    def of(self, scope: Scope, embedder: "Embedder") -> Candidates:
        """Where the candidates of a tenant come from, for an embedder's vectors."""
        if scope.database.dialect == "postgres":
            return Proposer(scope, embedder.name)
        from recollect.store.changes import TenantFeed
        from recollect.store.index.index import Index

        with self._lock:
            key = (scope.tenant, embedder.name)
            if key not in self._made:
                for old in [made for made in self._made if made[0] == scope.tenant]:
                    del self._made[old]  # of an embedder that does not serve any more
                feed = TenantFeed(scope.database, scope.tenant, embedder.name)
                folder = cache_folder(scope, embedder.name)
                self._made[key] = Index(feed, dim=embedder.dim, folder=folder, key=embedder.name)
            return self._made[key]

    def erased(self, scope: Scope) -> None:
        """Let what was erased leave the cache files too: ours follow now, others are dropped."""
        for index in self._made.values():
            index.save()
        root = _root(scope)
        if root is not None and root.is_dir():
            ours = {cache_folder(scope.as_tenant(tenant), model) for tenant, model in self._made}
            for folder in root.iterdir():
                if folder not in ours:
                    shutil.rmtree(folder, ignore_errors=True)

    def save(self) -> None:
        """Bring the cache folders up to date, for the next process."""
        for index in self._made.values():
            index.save()


def cache_folder(scope: Scope, model: str) -> Path | None:
    """Where an index is cached: beside its SQLite file."""
    root = _root(scope)
    name = blake2b(f"{scope.tenant}\0{model}".encode(), digest_size=8).hexdigest()
    return None if root is None else root / name


def _root(scope: Scope) -> Path | None:
    if not isinstance(scope.database, SqliteDatabase):
        return None
    return Path(f"{scope.database.path}-index")

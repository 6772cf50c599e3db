"""Uses: what was given out since it was last written down, so that reading never waits for a write."""

import threading
from collections import defaultdict
from collections.abc import Iterable

from recollect.model.app import Injection
from recollect.model.context import Context, Shown
from recollect.store import apps, contexts, usage
from recollect.store.database import Tx
from recollect.store.scope import Scope


class Uses:
    """Counts by tenant, shared by all views and threads of an open memory."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._taken: defaultdict[str, set[str]] = defaultdict(set)
        self._shown: defaultdict[str, list[Shown]] = defaultdict(list)
        self._injected: defaultdict[str, list[Injection]] = defaultdict(list)

    def note(self, scope: Scope, ids: Iterable[str], shown: Shown | None = None) -> None:
        """These memories were given out, perhaps as a context."""
        with self._lock:
            self._taken[scope.tenant].update(ids)
            if shown is not None:
                self._shown[scope.tenant].append(shown)

    def given(self, scope: Scope, made: Context, shown: Shown, injection: Injection) -> None:
        """A context was given to a conversation of an app."""
        self.note(scope, made.ids(), shown)
        with self._lock:
            self._injected[scope.tenant].append(injection)

    def settle(self, scope: Scope) -> None:
        """Write down what was given out to the tenant of a scope."""
        with self._lock:
            taken = self._taken.pop(scope.tenant, set())
            shown = self._shown.pop(scope.tenant, [])
            injected = self._injected.pop(scope.tenant, [])
        if taken or shown:
            now = scope.now()

            def work(tx: Tx) -> None:
                usage.count(tx, sorted(taken), "retrieved", now)
                contexts.keep(tx, shown)
                apps.keep_injections(tx, injected)

            scope.write(work)

    def settle_all(self, scope: Scope) -> None:
        """The same for every tenant of the database."""
        with self._lock:
            tenants = sorted(self._taken.keys() | self._shown.keys())
        for tenant in tenants:
            self.settle(scope.as_tenant(tenant))

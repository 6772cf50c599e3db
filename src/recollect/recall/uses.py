"""Uses: what was given out since it was last written down, so that reading never waits for a write."""

from __future__ import annotations

import logging
import threading
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from recollect.errors import RecollectError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from recollect.model.app import Injection
    from recollect.model.context import Context, Shown
    from recollect.store.database import Tx
    from recollect.store.scope import Scope

MOST = 100
"""So many contexts are gathered by a process that only reads, then they are written all the same."""
log = logging.getLogger("recollect.uses")


@dataclass(slots=True)
class _Waiting:
    """What one tenant was given and nobody wrote down yet."""

    taken: set[str] = field(default_factory=set)
    shown: list[Shown] = field(default_factory=list)
    injected: list[Injection] = field(default_factory=list)


class Uses:
    """Counts by tenant, shared by all views and threads of an open memory."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._settling = threading.Lock()
        self._waiting: defaultdict[str, _Waiting] = defaultdict(_Waiting)

    def note(self, scope: Scope, ids: Iterable[str], shown: Shown | None = None) -> None:
        """These memories were given out, perhaps as a context. What cannot be written goes on waiting."""
        taken = set(ids)
        if not taken and shown is None:
            return
        with self._lock:
            waiting = self._waiting[scope.tenant]
            waiting.taken |= taken
            if shown is not None:
                waiting.shown.append(shown)
            many = shown is not None and len(waiting.shown) % MOST == 0
        if many:
            try:
                self.settle(scope)
            except RecollectError as error:
                log.warning("%d contexts wait to be written down: %s", len(waiting.shown), error)

    def given(self, scope: Scope, made: Context, shown: Shown, injection: Injection) -> None:
        """A context was given to a conversation of an app."""
        self.note(scope, made.ids(), shown)
        with self._lock:
            self._waiting[scope.tenant].injected.append(injection)

    def settle(self, scope: Scope) -> None:
        """Write down what was given out to the tenant of a scope.

        One at a time: whoever returns from here finds written what was given out before, also what another
        thread was just writing. What cannot be written goes on waiting.
        """
        with self._settling:
            self._settle(scope)

    def settle_all(self, scope: Scope) -> None:
        """The same for every tenant of the database."""
        with self._settling:
            with self._lock:
                tenants = sorted(self._waiting)
            for tenant in tenants:
                self._settle(scope.as_tenant(tenant))

    def _settle(self, scope: Scope) -> None:
        with self._lock:
            waiting = self._waiting.pop(scope.tenant, None)
        if waiting is None:
            return
        from recollect.store import apps, contexts, usage

        def work(tx: Tx) -> None:
            usage.count(tx, sorted(waiting.taken), "retrieved", scope.now())
            contexts.keep(tx, waiting.shown)
            apps.keep_injections(tx, waiting.injected)

        try:
            scope.write(work)
        except BaseException:
            with self._lock:
                later = self._waiting[scope.tenant]
                later.taken |= waiting.taken
                later.shown[:0] = waiting.shown
                later.injected[:0] = waiting.injected
            raise

"""The verbs on apps: `memory.apps.register()` and so on."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from recollect.apps.records import exported, seen
from recollect.errors import InvalidInput, NotFound
from recollect.ingest import gate
from recollect.jobs import queue
from recollect.model.app import (
    DEFAULT_CAP,
    DEFAULT_LENGTH,
    PREFIX,
    App,
    AppEnergy,
    AppMemory,
    AppStats,
    Injection,
    Point,
    Purged,
)
from recollect.model.context import Context, Shown
from recollect.model.filter import Filter
from recollect.model.ids import checked_id
from recollect.model.receipt import Receipt
from recollect.model.record import Kind, Record, Status
from recollect.model.space import Space, checked_space
from recollect.recall.toolbox import Toolbox
from recollect.store import apps as table
from recollect.store import conversations, memories, spaces
from recollect.store.database import Tx
from recollect.store.scope import Scope

if TYPE_CHECKING:
    from recollect.ingest.llms import LLMs

log = logging.getLogger("recollect.apps")

MAX_CAP = 1_000
MIN_LENGTH, MAX_LENGTH = 40, 2_000
Given = Callable[[Context, Shown, Injection], None]
"""Takes note of a context that was given out."""


class Apps:
    """Apps, each with a few memories of its own: what their conversations leave behind."""

    def __init__(
        self,
        scope: Scope,
        toolbox: Toolbox,
        llms: "Callable[[], LLMs]",
        given: Given,
        settle: Callable[[], None],
        stir: Callable[[], None],
    ) -> None:
        self._scope = scope
        self._toolbox = toolbox
        self._llms = llms
        self._given = given
        self._settle = settle
        self._stir = stir

    def register(
        self, id: str, *, name: str | None = None, cap: int | None = None, length: int | None = None
    ) -> App:
        """Make `app:<id>` an app, or change it: its name, how many memories it keeps, of what length."""
        path = _path(id)
        chosen: dict[str, Any] = {"installed": True}
        if name is not None:
            chosen["name"] = gate.text(name, "the app's name", gate.MAX_NAME)
        if cap is not None:
            chosen["cap"] = gate.count(cap, "cap", 1, MAX_CAP)
        if length is not None:
            chosen["length"] = gate.count(length, "length", MIN_LENGTH, MAX_LENGTH)
        made = self._scope.write(partial(_register, path=path, chosen=chosen, scope=self._scope))
        self._stir()
        return made

    def list(self, *, uninstalled: bool = False) -> Sequence[App]:
        """The apps that are installed, by id; or also those that no longer are."""
        found = self._scope.read(table.every)
        return [app for app in found if app.installed or uninstalled]

    def get(self, id: str) -> App:
        """One app, installed or not."""
        return self._scope.read(lambda tx: _existing(tx, id))

    def of_conversation(self, conversation: str) -> App | None:
        """The app that a conversation belongs to, if it belongs to one."""
        wanted = checked_id(conversation, "the conversation id")

        def work(tx: Tx) -> App | None:
            found = conversations.find(tx, wanted)
            return None if found is None else table.find(tx, found.space)

        return self._scope.read(work)

    def uninstall(self, id: str, *, purge: bool = False) -> App:
        """Keep nothing of its conversations any more; its memories stay unless they are purged."""
        app = replace(self.get(id), installed=False)
        self._scope.write(partial(_set_policy, path=app.space, chosen={"installed": False}))
        if gate.flag(purge, "purge"):
            self.purge(id)
        return app

    def memories(self, id: str, *, removed: bool = False) -> Sequence[AppMemory]:
        """What an app keeps, the latest changed first; or what was taken out and `restore` brings back."""
        from recollect.apps.restore import REMOVED

        statuses = REMOVED if removed else (Status.ACTIVE,)
        found = self._scope.read(lambda tx: table.listed(tx, _existing(tx, id).space, *statuses))
        return [seen(r) for r in found]

    def search(self, id: str, query: str, *, limit: int = 10) -> Sequence[AppMemory]:
        """The memories of an app that answer to a query, best first."""
        from recollect.recall.recall import recall

        gate.text(query, "the query")
        gate.count(limit, "limit", 1, MAX_CAP)
        own = self._scope.seeing(self.get(id).space)
        wanted = Filter(kinds=(Kind.NOTE,), categories=(table.CATEGORY,), items=("memory",))
        means = self._toolbox.means(own, None, 0.0)
        found = recall(own, query, means, wanted=wanted, limit=limit, as_of=None)
        return [seen(f.item) for f in found if isinstance(f.item, Record)]

    def delete(self, id: str, memory: str) -> None:
        """Erase one memory of an app for good, with what was merged into it."""
        from recollect.ingest.erase import Target, erase

        app, wanted = self.get(id), checked_id(memory, "the memory id")
        found = self._scope.read(lambda tx: memories.by_id(tx, [wanted], [app.space]).get(wanted))
        if found is None or found.category != table.CATEGORY:
            raise NotFound(f"app {id} has no memory {wanted}")
        parts = self._scope.read(lambda tx: table.merged_into(tx, wanted, app.space))
        erase(self._scope.seeing(app.space), Target("memory", wanted, tuple(parts)))
        self._toolbox.indexes.erased(self._scope)

    def purge(self, id: str) -> Purged:
        """Erase all memories of an app for good, also those it had removed; its conversations stay."""
        from recollect.ingest.erase import Target, erase

        app = self.get(id)
        listed = self._scope.read(lambda tx: table.listed(tx, app.space))
        receipt = erase(self._scope, Target("memories", app.space))
        self._toolbox.indexes.erased(self._scope)
        return Purged(app_id=id, deleted_count=len(listed), erased=receipt.removed.get("memories", 0))

    def restore(self, id: str, *memories: str) -> Receipt:
        """Bring back what compaction removed; what is worth least makes room, and the receipt says so."""
        from recollect.apps.restore import restore

        if not memories:
            raise InvalidInput("restore what? Pass ids that memories(…, removed=True) gives")
        return restore(self._scope, self.get(id), memories)

    def export(self, id: str) -> dict[str, Any]:
        """Everything an app keeps, as plain JSON."""
        return exported(self.get(id), self.memories(id))

    def stats(self, id: str | None = None) -> AppStats:
        """Figures of one app, or of all that are installed."""
        from recollect.apps.metrics import stats

        self._settle()
        return stats(self._scope, None if id is None else self.get(id))

    def energy(self) -> AppEnergy:
        """What keeping memories cost since the last call, in all, and what it will at this pace."""
        from recollect.apps.metrics import energy

        return energy(self._scope, self._llms().budget())

    def context(
        self, id: str, *, point: Point | str = Point.UNANSWERED, conversation: str | None = None
    ) -> Context:
        """The dated list of what an app keeps, for a system message, in less than 2,000 characters."""
        from recollect.apps.context import context

        chosen = gate.choice(point, Point, "point")
        wanted = None if conversation is None else checked_id(conversation, "the conversation id")

        def work(tx: Tx) -> tuple[App, Sequence[Record]]:
            app = _existing(tx, id)
            if wanted is not None and conversations.get(tx, wanted, [app.space]) is None:
                raise NotFound(f"app {id} has no conversation {wanted}")
            return app, table.listed(tx, app.space)

        app, records = self._scope.read(work)
        made, shown = context(self._scope, app, records)
        log.debug("retrieved %d memories for app %s", len(made.taken), id)
        if made.taken:
            self._given(made, shown, Injection(app.space, chosen, wanted, made.made_at))
        return made


def _path(id: str) -> str:
    """The space of an app by its id."""
    gate.text(id, "the app's id", gate.MAX_NAME)
    path = checked_space(PREFIX + id)
    if "/" in path:
        raise InvalidInput(f"an app's id has no '/', not {id!r}")
    return path


def _existing(tx: Tx, id: str) -> App:
    """An app by its id, or NotFound."""
    found = table.find(tx, _path(id))
    if found is None:
        raise NotFound(f"no app {id}: register it first")
    return found


def _register(tx: Tx, path: str, chosen: dict[str, Any], scope: Scope) -> App:
    now = scope.now()
    defaults = {"name": path.removeprefix(PREFIX), "cap": DEFAULT_CAP, "length": DEFAULT_LENGTH}
    spaces.create(tx, Space(path=path, created_at=now))
    app = _set_policy(tx, path, chosen, defaults)
    if len(table.listed(tx, path)) > app.cap:
        queue.enqueue(tx, "app-compact", now, key=path, payload={"space": path}, priority=-1)
    return app


def _set_policy(tx: Tx, path: str, chosen: dict[str, Any], defaults: dict[str, Any] | None = None) -> App:
    """Change an app's part of its space's policy; whatever else stands there stays."""
    space = spaces.get(tx, path)
    assert space is not None
    spaces.set_policy(tx, path, (defaults or {}) | space.policy | chosen)
    found = table.find(tx, path)
    assert found is not None
    return found

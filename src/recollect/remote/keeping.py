"""Contradictions, upkeep and apps of a memory behind a server; each verb is one route."""

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from recollect.apps.verbs import Apps
from recollect.errors import InvalidInput, NotFound
from recollect.model.app import App, AppEnergy, AppMemory, AppStats, Point, Purged
from recollect.model.context import Context
from recollect.model.receipt import Receipt
from recollect.model.relation import Dispute, Resolution
from recollect.model.upkeep import Run, Undone, UpkeepReport
from recollect.model.wire import decoded
from recollect.remote.groups import listed
from recollect.remote.line import Line, segment
from recollect.upkeep.inbox import Contradictions
from recollect.upkeep.verbs import Progress, Upkeep


class RemoteContradictions(Contradictions):
    """Memories that cannot both be true: look at them, and decide."""

    def __init__(self, line: Line) -> None:
        self._line = line

    def list(self, *, all: bool = False) -> Sequence[Dispute]:
        """What waits for a decision, oldest first; with `all`, also what is settled."""
        return listed(Dispute, self._line.get("/v1/contradictions", all=all))

    def get(self, id: str) -> Dispute:
        """One contradiction with both its sides."""
        return decoded(Dispute, self._line.get(f"/v1/contradictions/{segment(id)}"))

    def resolve(
        self, id: str, resolution: Resolution | str, *, note: str | None = None, text: str | None = None
    ) -> Dispute:
        """Decide: `a_wins`, `b_wins`, `both_valid`, or `merged` into the text that is given."""
        body = {"resolution": resolution, "note": note, "text": text}
        path = f"/v1/contradictions/{segment(id)}/resolve"
        return decoded(Dispute, self._line.write("POST", path, body))

    def reopen(self, id: str) -> Dispute:
        """Take a resolution back."""
        return decoded(Dispute, self._line.write("POST", f"/v1/contradictions/{segment(id)}/reopen"))


class RemoteUpkeep(Upkeep):
    """A memory that keeps itself in order; every run of it can be undone as a whole."""

    def __init__(self, line: Line) -> None:
        self._line = line

    def __call__(self, *, dry_run: bool = False, progress: Progress | None = None) -> UpkeepReport:
        """Keep the view in order, on the server."""
        made = self._line.follow("/v1/upkeep", {"dry_run": dry_run}, _teller(progress))
        return decoded(UpkeepReport, made)

    def undo(self, run: str, *, progress: Progress | None = None) -> Undone:
        """Put back everything a run changed; what somebody changed since is left alone, and named."""
        path = f"/v1/upkeep/runs/{segment(run)}/undo"
        return decoded(Undone, self._line.follow(path, {}, _teller(progress)))

    def runs(self, *, limit: int = 50) -> Sequence[Run]:
        """The runs that touched spaces of the view, newest first."""
        return listed(Run, self._line.get("/v1/upkeep/runs", limit=limit))

    def merge(
        self, source: str, target: str, *, dry_run: bool = False, progress: Progress | None = None
    ) -> UpkeepReport:
        """Move the memories of one space into another, undoable as a whole."""
        body = {"source": source, "target": target, "dry_run": dry_run}
        return decoded(UpkeepReport, self._line.follow("/v1/spaces/merge", body, _teller(progress)))


def _teller(progress: Progress | None) -> Callable[[dict[str, Any]], None]:
    """Who hears of the steps that the server names on the way."""
    return lambda so_far: None if progress is None else progress(so_far["step"], so_far["done"])


class RemoteApps(Apps):
    """Apps, each with a few memories of its own."""

    def __init__(self, line: Line) -> None:
        self._line = line

    def register(
        self, id: str, *, name: str | None = None, cap: int | None = None, length: int | None = None
    ) -> App:
        """Make `app:<id>` an app, or change it."""
        body = {"name": name, "cap": cap, "length": length}
        return decoded(App, self._line.write("PUT", _path(id), body))

    def list(self, *, uninstalled: bool = False) -> Sequence[App]:
        """The apps that are installed and that the key opens, by id."""
        return listed(App, self._line.get("/v1/apps", uninstalled=uninstalled))

    def get(self, id: str) -> App:
        """One app, installed or not."""
        return decoded(App, self._line.get(_path(id)))

    def of_conversation(self, conversation: str) -> App | None:
        """The app that a conversation belongs to, if it belongs to one."""
        try:
            return decoded(App, self._line.get(f"/v1/conversations/{segment(conversation)}/app"))
        except NotFound:
            return None

    def uninstall(self, id: str, *, purge: bool = False) -> App:
        """Keep nothing of its conversations any more; its memories stay unless they are purged."""
        app = decoded(App, self._line.write("DELETE", _path(id)))
        if purge:
            self.purge(id)
        return app

    def memories(self, id: str, *, removed: bool = False) -> Sequence[AppMemory]:
        """What an app keeps, the latest changed first; or what was taken out."""
        return listed(AppMemory, self._line.get(f"{_path(id)}/memories", removed=removed))

    def search(self, id: str, query: str, *, limit: int = 10) -> Sequence[AppMemory]:
        """The memories of an app that answer to a query, best first."""
        return listed(AppMemory, self._line.get(f"{_path(id)}/search", query=query, limit=limit))

    def delete(self, id: str, memory: str) -> None:
        """Erase one memory of an app for good."""
        self._line.write("DELETE", f"{_path(id)}/memories/{segment(memory)}")

    def purge(self, id: str) -> Purged:
        """Erase all memories of an app for good; its conversations stay."""
        return decoded(Purged, self._line.write("DELETE", f"{_path(id)}/memories"))

    def restore(self, id: str, *memories: str) -> Receipt:
        """Bring back what compaction removed; what is worth least makes room."""
        body = {"ids": [*memories]}
        return decoded(Receipt, self._line.write("POST", f"{_path(id)}/restore", body))

    def export(self, id: str) -> dict[str, Any]:
        """Everything an app keeps, as plain JSON."""
        found: dict[str, Any] = self._line.get(f"{_path(id)}/export")
        return found

    def stats(self, id: str | None = None) -> AppStats:
        """Figures of one app, or of all that are installed."""
        path = "/v1/app-stats" if id is None else f"{_path(id)}/stats"
        return decoded(AppStats, self._line.get(path))

    def energy(self) -> AppEnergy:
        """What keeping memories cost since the last call, in all, and what it will at this pace."""
        return decoded(AppEnergy, self._line.write("POST", "/v1/app-energy"))

    def context(
        self, id: str, *, point: Point | str = Point.UNANSWERED, conversation: str | None = None
    ) -> Context:
        """The dated list of what an app keeps, for a system message."""
        params = {"point": str(point), "conversation": conversation}
        return decoded(Context, self._line.get(f"{_path(id)}/context", **params))


def _path(id: str) -> str:
    return f"/v1/apps/{segment(id)}"


class Elsewhere:
    """Verbs on the server's own files and models, which it does not offer to others."""

    def __init__(self, what: str) -> None:
        self._what = what

    def __getattr__(self, verb: str) -> NoReturn:
        if verb.startswith("__"):
            raise AttributeError(verb)
        raise InvalidInput(f"{self._what} belong to the server's machine: use them there, on its database")

"""Routes on what keeps a memory in order: contradictions, upkeep, and the apps' own memories."""

from typing import Annotated, Any

from fastapi import Query
from pydantic import ConfigDict, Field
from starlette.responses import Response

from recollect.errors import NotFound
from recollect.model.app import App, AppEnergy, AppMemory, AppStats, Point, Purged
from recollect.model.context import Context
from recollect.model.receipt import Receipt
from recollect.model.relation import Dispute, Resolution
from recollect.model.upkeep import Run, Undone, UpkeepReport
from recollect.surfaces.access import check
from recollect.surfaces.rest.bodies import Body, IdsBody, Loose
from recollect.surfaces.rest.call import Called, answer
from recollect.surfaces.rest.memories import Id, Limit
from recollect.surfaces.rest.route import doc, router, told_on_the_way

routes = router("keeping")
AppId = str


class ResolveBody(Body):
    """Which side is right, and why."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"resolution": "b_wins", "note": "Migration completed"}]}
    )
    resolution: Annotated[Resolution, Loose]
    note: str | None = None
    text: str | None = None


class UpkeepBody(Body):
    """Whether only to say what would be done."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"dry_run": True}]})
    dry_run: bool = False


class MergeBody(Body):
    """Two spaces, of which the first goes into the second."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"source": "user:al", "target": "user:alex", "dry_run": True}]}
    )
    source: str
    target: str
    dry_run: bool = False


class AppBody(Body):
    """An app: how it is called, how many memories it keeps, and of about how many characters."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "Calendar", "cap": 10}]})
    name: str | None = None
    cap: Annotated[int, Field(ge=1, le=1_000)] | None = None
    length: Annotated[int, Field(ge=40, le=2_000)] | None = None


@routes.get("/contradictions", **doc("contradictions.list", list[Dispute]))
def contradictions(call: Called, all: bool = False) -> Response:
    """What waits for a decision, oldest first; with `all`, also what is settled."""
    return answer(call.memory.contradictions.list(all=all))


@routes.get("/contradictions/{id}", **doc("contradictions.get", Dispute, also=(404,)))
def contradiction(call: Called, id: Id) -> Response:
    """One contradiction with both its sides."""
    return answer(call.memory.contradictions.get(id))


@routes.post("/contradictions/{id}/resolve", **doc("contradictions.resolve", Dispute, also=(404, 409, 415)))
def resolve(call: Called, id: Id, body: ResolveBody) -> Response:
    """Decide: `a_wins`, `b_wins`, `both_valid`, or `merged` into the text that is given."""
    return call.write(
        lambda memory: memory.contradictions.resolve(id, body.resolution, note=body.note, text=body.text)
    )


@routes.post("/contradictions/{id}/reopen", **doc("contradictions.reopen", Dispute, also=(404, 409)))
def reopen(call: Called, id: Id) -> Response:
    """Take a resolution back."""
    return call.write(lambda memory: memory.contradictions.reopen(id))


@routes.post("/upkeep", **told_on_the_way(doc("upkeep", UpkeepReport, also=(409, 415))))
def upkeep(call: Called, body: UpkeepBody) -> Response:
    """Keep the view in order; with `dry_run`, only say what would be done."""
    return call.long(lambda memory, progress: memory.upkeep(dry_run=body.dry_run, progress=progress))


@routes.get("/upkeep/runs", **doc("upkeep.runs", list[Run]))
def runs(call: Called, limit: Limit = 50) -> Response:
    """The runs that touched spaces of the view, newest first."""
    return answer(call.memory.upkeep.runs(limit=limit))


@routes.post("/upkeep/runs/{id}/undo", **told_on_the_way(doc("upkeep.undo", Undone, also=(404, 409))))
def undo(call: Called, id: Id) -> Response:
    """Put back everything a run changed; what somebody changed since is left alone, and named."""
    return call.long(lambda memory, progress: memory.upkeep.undo(id, progress=progress))


@routes.post("/spaces/merge", **told_on_the_way(doc("upkeep.merge", UpkeepReport, also=(404, 409, 415))))
def merge(call: Called, body: MergeBody) -> Response:
    """Move the memories of one space into another, undoable as a whole."""
    check(call.caller.grant, call.operation, (body.source, body.target))
    return call.long(
        lambda memory, progress: memory.upkeep.merge(
            body.source, body.target, dry_run=body.dry_run, progress=progress
        )
    )


@routes.get("/apps", **doc("apps.list", list[App]))
def apps(call: Called, uninstalled: bool = False) -> Response:
    """The apps that are installed and that the key opens, by id; or also those that no longer are."""
    grant = call.caller.grant
    return answer([a for a in call.memory.apps.list(uninstalled=uninstalled) if grant.covers(a.space)])


@routes.get("/conversations/{id}/app", **doc("apps.of_conversation", App, also=(404,)))
def of_conversation(call: Called, id: Id) -> Response:
    """The app that a conversation belongs to, where there is one and the key opens it."""
    found = call.memory.apps.of_conversation(id)
    if found is None or not call.caller.grant.covers(found.space):
        raise NotFound(f"no app has conversation {id}")
    return answer(found)


@routes.put("/apps/{app}", **doc("apps.register", App, also=(415,)))
def register(call: Called, app: AppId, body: AppBody) -> Response:
    """Make an app, or change it."""
    return call.write(lambda m: m.apps.register(app, name=body.name, cap=body.cap, length=body.length))


@routes.get("/apps/{app}", **doc("apps.get", App, also=(404,)))
def app(call: Called, app: AppId) -> Response:
    """One app, installed or not."""
    return answer(call.memory.apps.get(app))


@routes.delete("/apps/{app}", **doc("apps.uninstall", App, also=(404,)))
def uninstall(call: Called, app: AppId) -> Response:
    """Keep nothing of its conversations any more; its memories stay."""
    return call.write(lambda memory: memory.apps.uninstall(app))


@routes.get("/apps/{app}/memories", **doc("apps.memories", list[AppMemory], also=(404,)))
def memories(call: Called, app: AppId, removed: bool = False) -> Response:
    """What an app keeps, the latest changed first; or what was taken out."""
    return answer(call.memory.apps.memories(app, removed=removed))


@routes.get("/apps/{app}/search", **doc("apps.search", list[AppMemory], also=(404,)))
def search(
    call: Called, app: AppId, query: str, limit: Annotated[int, Query(ge=1, le=1_000)] = 10
) -> Response:
    """The memories of an app that answer to a query, best first."""
    return answer(call.memory.apps.search(app, query, limit=limit))


@routes.delete("/apps/{app}/memories", **doc("apps.purge", Purged, also=(404,)))
def purge(call: Called, app: AppId) -> Response:
    """Erase all memories of an app for good."""
    return call.work(lambda memory: memory.apps.purge(app))


@routes.delete("/apps/{app}/memories/{id}", **doc("apps.delete", dict[str, str], also=(404,)))
def delete(call: Called, app: AppId, id: Id) -> Response:
    """Erase one memory of an app for good."""
    return call.work(lambda memory: _deleted(memory, app, id))


@routes.post("/apps/{app}/restore", **doc("apps.restore", Receipt, also=(404, 409, 415)))
def restore(call: Called, app: AppId, body: IdsBody) -> Response:
    """Bring back what compaction removed; what is worth least makes room."""
    return call.write(lambda memory: memory.apps.restore(app, *body.ids))


@routes.get("/apps/{app}/export", **doc("apps.export", dict[str, Any], also=(404,)))
def export(call: Called, app: AppId) -> Response:
    """Everything an app keeps, as plain JSON."""
    return answer(call.memory.apps.export(app))


@routes.get("/apps/{app}/stats", **doc("apps.stats", AppStats, also=(404,)))
def stats(call: Called, app: AppId) -> Response:
    """Figures of one app."""
    return answer(call.memory.apps.stats(app))


@routes.get("/apps/{app}/context", **doc("apps.context", Context, also=(404,)))
def context(
    call: Called, app: AppId, point: Point = Point.UNANSWERED, conversation: str | None = None
) -> Response:
    """The dated list of what an app keeps, for a system message, in less than 2,000 characters."""
    return answer(call.memory.apps.context(app, point=point, conversation=conversation))


@routes.get("/app-stats", **doc("apps.stats_of_all", AppStats))
def stats_of_all(call: Called) -> Response:
    """Figures of all installed apps."""
    return answer(call.memory.apps.stats())


@routes.post("/app-energy", **doc("apps.energy", AppEnergy))
def energy(call: Called) -> Response:
    """What keeping memories cost since the last call, in all, and what it will at this pace."""
    return call.work(lambda memory: memory.apps.energy())


def _deleted(memory: Any, app: AppId, id: str) -> dict[str, str]:
    memory.apps.delete(app, id)
    return {"id": id}

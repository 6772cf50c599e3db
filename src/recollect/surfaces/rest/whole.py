"""Routes on the whole: spaces, stats, doctor, metrics, export and import."""

import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path as FilePath
from typing import Annotated

from anyio import to_thread
from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from recollect.files.jsonl import Transfer
from recollect.model.space import Space
from recollect.surfaces.access import EVERYWHERE, check
from recollect.surfaces.rest import metrics, problems
from recollect.surfaces.rest.bodies import SpaceBody
from recollect.surfaces.rest.call import Call, Called, answer
from recollect.surfaces.rest.events import MEDIA_TYPE, told
from recollect.surfaces.rest.route import doc, router, streamed, told_on_the_way
from recollect.upkeep.doctor import Finding
from recollect.upkeep.stats import Stats

routes = router("whole")
bare = router("whole", prefix="")
NDJSON = "application/x-ndjson"
PIECE = 1 << 16


@routes.get("/spaces", **doc("spaces.list", list[Space]))
def spaces(call: Called) -> Response:
    """The spaces of the tenant that the key opens."""
    return answer([s for s in call.memory.spaces.list() if call.caller.grant.covers(s.path)])


@routes.post("/spaces", **doc("spaces.create", Space, status=201, also=(415,)))
def create(call: Called, body: SpaceBody) -> Response:
    """Make a space, or find it; writing to a space makes it too."""
    check(call.caller.grant, call.operation, [body.path])
    return call.write(lambda memory: memory.spaces.create(body.path, policy=body.policy), 201)


@routes.get("/spaces/{path:path}", **doc("spaces.get", Space, also=(404,)))
def space(call: Called, path: str) -> Response:
    """One space."""
    return answer(call.memory.spaces.get(path))


@routes.get("/stats", **doc("stats", Stats))
def stats(call: Called) -> Response:
    """What is in this memory."""
    return answer(call.memory.stats())


@routes.get("/doctor", **doc("doctor", list[Finding]))
def doctor(call: Called) -> Response:
    """Whether this memory is sound: every row is compared with its digest."""
    return answer(call.memory.doctor())


@bare.get("/metrics", **streamed("metrics", "text/plain"))
def prometheus(call: Called) -> Response:
    """Counters of this server process for Prometheus, and the figures of the apps of the key's tenant."""
    apps = metrics.AppMetrics(call.memory.apps.stats())
    return Response(call.house.metrics.text() + apps.text(), media_type=metrics.MEDIA_TYPE)


@routes.get("/export", **streamed("transfers.export", NDJSON))
def export(call: Called, space: Annotated[list[str] | None, Query()] = None) -> Response:
    """Everything of the tenant, or of some spaces, as JSON Lines."""
    if space is None and EVERYWHERE not in call.caller.grant.spaces:
        space = [s.path for s in call.memory.spaces.list() if call.caller.grant.covers(s.path)]
    check(call.caller.grant, call.operation, space or ())
    call.note(None)
    folder = tempfile.TemporaryDirectory(prefix="recollect-export-")
    file = FilePath(folder.name) / "export.jsonl"
    call.memory.transfers.export(file, spaces=space)
    return StreamingResponse(_pieces(file, folder), media_type=NDJSON)


LOAD = told_on_the_way(doc("transfers.load", Transfer, also=(409, 415)))
LOAD["openapi_extra"]["requestBody"] = {
    "required": True,
    "content": {NDJSON: {"schema": {"type": "string"}, "example": '{"recollect": 1}\n'}},
}


@routes.post("/import", **LOAD)
async def load(call: Called, request: Request) -> Response:
    """Read an export: all of it, or nothing. With `Accept: text/event-stream`, its progress is told."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != NDJSON:
        raise problems.UnsupportedMediaType(f"send the export as {NDJSON}")
    folder = tempfile.TemporaryDirectory(prefix="recollect-import-")
    try:
        file = FilePath(folder.name) / "import.jsonl"
        await _received(request.stream(), file)
        if call.streamed:
            return StreamingResponse(_loading(call, file, folder), media_type=MEDIA_TYPE)
        moved = await to_thread.run_sync(lambda: call.work(lambda memory: memory.transfers.load(file)))
    except BaseException:
        folder.cleanup()
        raise
    folder.cleanup()
    return moved


async def _received(stream: AsyncIterator[bytes], file: FilePath) -> None:
    """Write a body to disk as it comes, so that its size is no matter of memory."""
    with file.open("wb") as out:
        async for piece in stream:
            await to_thread.run_sync(out.write, piece)


def _loading(call: Call, file: FilePath, folder: "tempfile.TemporaryDirectory[str]") -> Iterator[bytes]:
    def work(tell: Callable[[dict[str, int]], None]) -> Transfer:
        moved = call.memory.transfers.load(file, progress=lambda done: tell({"done": done}))
        call.note(moved)
        return moved

    with folder:
        yield from told(work)


def _pieces(file: FilePath, folder: "tempfile.TemporaryDirectory[str]") -> Iterator[bytes]:
    with folder, file.open("rb") as held:
        while piece := held.read(PIECE):
            yield piece

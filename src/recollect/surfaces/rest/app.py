"""The app factory: routes by noun behind the gate, problems, health, and a life that ends well."""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Callable, Iterable
from functools import partial
from importlib.util import find_spec
from typing import Any

from anyio import to_thread
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from recollect import __version__
from recollect.errors import RecollectError
from recollect.memory import Memory, scope_of
from recollect.surfaces.rest import (
    conversations,
    documents,
    jobs,
    keeping,
    memories,
    problems,
    recall,
    relations,
    whole,
)
from recollect.surfaces.rest.gate import LOOPBACK, Gate
from recollect.surfaces.rest.house import House, Limits

log = logging.getLogger("recollect.server")
SETTLE_SECONDS = 5.0
DESCRIPTION = """Memory for AI assistants. Every route needs a key (`Authorization: Bearer …`, made by
`recollect keys create`); `x-right` says which right. `view` names the spaces to see. Errors are problem
details (RFC 9457). A write that is sent again with the same `Idempotency-Key` is done once."""


def create_app(
    memory: Memory,
    *,
    limits: Limits | None = None,
    hosts: Iterable[str] = (),
    insecure: bool = False,
    monotonic: Callable[[], float] = time.monotonic,
) -> FastAPI:
    """The server of an open memory as an ASGI app. It closes the memory when it ends."""
    allowed = LOOPBACK | {host.lower() for host in hosts}
    house = House(memory, limits or Limits(), frozenset(allowed), insecure, monotonic)
    app = FastAPI(
        title="recollect",
        version=__version__,
        description=DESCRIPTION,
        lifespan=_life,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.house = house
    problems.install(app)
    for nouns in (memories, conversations, recall, relations, keeping, jobs, whole, documents):
        app.router.routes.extend(nouns.routes.routes)  # included, they would be built anew when first asked
    app.router.routes.extend(whole.bare.routes)
    _add_mcp(app, house)
    app.add_api_route("/livez", _livez, tags=["health"], include_in_schema=False)
    app.add_api_route("/readyz", _readyz, tags=["health"], include_in_schema=False)
    app.add_middleware(Gate, house=house)
    app.openapi = lambda: _openapi(app)  # type: ignore[method-assign]
    return app


def _add_mcp(app: FastAPI, house: House) -> None:
    """MCP at /mcp, where it is installed: the same keys, the same table of operations, the same log."""
    app.state.mcp = None
    if find_spec("mcp") is None:
        return
    from recollect.surfaces.mcp.server import build, http_app
    from recollect.surfaces.rest.route import performed

    server = build(partial(performed, house))
    hosts = [name for host in sorted(house.hosts) for name in (host, f"{host}:*")]
    app.router.routes.extend(http_app(server, hosts).routes)
    app.state.mcp = server.session_manager


@contextlib.asynccontextmanager
async def _life(app: FastAPI) -> AsyncIterator[None]:
    """Begin with the work that waits; end with everything written down and given back."""
    house: House = app.state.house
    house.start()
    settling = asyncio.create_task(_settling(house))
    try:
        async with app.state.mcp.run() if app.state.mcp else contextlib.nullcontext():
            yield
    finally:
        house.stopping.set()
        settling.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await settling
        await to_thread.run_sync(_settled, house)
        await to_thread.run_sync(house.memory.close)


async def _settling(house: House) -> None:
    while True:
        await asyncio.sleep(SETTLE_SECONDS)
        await to_thread.run_sync(_settled, house)


def _settled(house: House) -> None:
    try:
        house.settle()
    except RecollectError:
        log.exception("what was used could not be written down")


def _livez() -> Response:
    """Whether this process answers."""
    return JSONResponse({"status": "alive"})


def _readyz(request: Request) -> Response:
    """Whether its database answers too."""
    house: House = request.app.state.house
    if house.stopping.is_set():
        return problems.problem(503, "this server is stopping", "ServerError")
    scope_of(house.memory).read(lambda tx: tx.rows("SELECT 1 AS ready"))
    return JSONResponse({"status": "ready"})


def _openapi(app: FastAPI) -> dict[str, Any]:
    """The document of the routes, with the key they need and the shape of their problems."""
    if app.openapi_schema is None:
        made: dict[str, Any] = FastAPI.openapi(app)
        parts = made.setdefault("components", {})
        parts.setdefault("schemas", {})["Problem"] = problems.SCHEMA
        parts["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
        made["security"] = [{"key": []}]
        for path in made["paths"].values():
            for route in path.values():
                route["operationId"] = route["operationId"].removesuffix("_")
        app.openapi_schema = made
    return app.openapi_schema

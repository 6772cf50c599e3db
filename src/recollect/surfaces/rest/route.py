"""Route: a FastAPI route that is one operation of the table; rights are checked before the body is read."""

import json
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from recollect.errors import InvalidInput
from recollect.memory import Memory, scope_of
from recollect.model.app import PREFIX
from recollect.surfaces.access import ON_DISK, OPERATIONS, Grant, Right, check
from recollect.surfaces.rest import events, problems
from recollect.surfaces.rest.call import Call
from recollect.surfaces.rest.gate import CALLER, OPERATION
from recollect.surfaces.rest.house import Caller, House

T = TypeVar("T")
X_OPERATION = "x-operation"
MAX_IDEMPOTENCY_KEY = 200
Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class Route(APIRoute):
    """Checks who asks and what they send, then runs the route's function on a thread."""

    def get_route_handler(self) -> Handler:
        """The handler of this route; a route without an operation cannot be made."""
        inner = super().get_route_handler()
        operation = (self.openapi_extra or {})[X_OPERATION]
        takes_json = self.body_field is not None
        assert operation in OPERATIONS, f"{operation} is not in the table of operations"

        async def handler(request: Request) -> Response:
            house: House = request.app.state.house
            caller: Caller = request.scope[CALLER]
            request.scope[OPERATION] = operation
            _check_address(request)
            view = _view(house, caller.grant, request)
            check(caller.grant, operation, (*view, *_named(request)))
            if takes_json:
                await _read(request, house.limits.depth)
            request.state.call = Call(
                house=house,
                caller=caller,
                operation=operation,
                memory=house.seen_by(caller, view),
                target=f"{request.method} {request.url.path}?{request.url.query}",
                body=getattr(request, "_body", b""),
                key=_idempotency_key(request),
                streamed=events.MEDIA_TYPE in request.headers.get("accept", ""),
            )
            return await inner(request)

        return handler


def performed(house: House, operation: str, request: Request, work: Callable[[Memory], T]) -> T:
    """Do what a request over MCP asks for, if its key may; what writes is logged with the ids it touched."""
    caller: Caller = request.scope[CALLER]
    view = _view(house, caller.grant, request)
    check(caller.grant, operation, view, host=scope_of(house.memory).tenant)
    memory = house.seen_by(caller, view)
    if OPERATIONS[operation] == Right.READ:
        return work(memory)
    call = Call(house=house, caller=caller, operation=operation, memory=memory, target="", body=b"", key=None)
    if operation not in ON_DISK:
        return call.done(work)
    made = work(memory)  # a file is no part of a transaction
    call.note(made)
    return made


def router(tag: str, prefix: str = "/v1") -> APIRouter:
    """A router for the routes of one noun."""
    return APIRouter(prefix=prefix, tags=[tag], route_class=Route)


def doc(operation: str, returns: Any, *, status: int = 200, also: tuple[int, ...] = ()) -> dict[str, Any]:
    """What a route's decorator says of it: its operation, what it returns and the problems it may meet."""
    codes = sorted({401, 403, 413, 421, 422, 429, 500, 503, *also})
    return {
        "response_model": returns,
        "response_class": Response if returns is None else JSONResponse,
        "status_code": status,
        "openapi_extra": {X_OPERATION: operation, "x-right": str(OPERATIONS[operation])},
        "responses": {
            code: {
                "description": problems.TITLES[code],
                "content": {problems.MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
            }
            for code in codes
        },
    }


def told_on_the_way(about: dict[str, Any]) -> dict[str, Any]:
    """The same for a route that also answers as events, with `Accept: text/event-stream`."""
    about["responses"][200] = {"content": {events.MEDIA_TYPE: {"schema": events.SCHEMA}}}
    return about


def streamed(operation: str, media_type: str) -> dict[str, Any]:
    """The same for a route whose answer is a text of another type."""
    about = doc(operation, None)
    schema = events.SCHEMA if media_type == events.MEDIA_TYPE else {"type": "string"}
    about["responses"][200] = {"content": {media_type: {"schema": schema}}}
    return about


def _view(house: House, grant: Grant, request: Request) -> tuple[str, ...]:
    """The spaces a request names, else those of its key, else those of the server."""
    named = tuple(request.query_params.getlist("view"))
    return named or grant.home or scope_of(house.memory).view.spaces


def _named(request: Request) -> tuple[str, ...]:
    """The spaces that the path of a request names: that of an app, or one by its own path."""
    held = request.path_params
    app = (f"{PREFIX}{held['app']}",) if "app" in held else ()
    return (*app, held["path"]) if "path" in held else app


async def _read(request: Request, depth: int) -> None:
    """Read a JSON body whole, and refuse what is not one or is nested too deeply."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json" and not kind.endswith("+json"):
        raise problems.UnsupportedMediaType("send the body as application/json")
    body = await request.body()
    try:
        parsed = json.loads(body, parse_constant=_no_constant) if body else None
    except RecursionError:
        raise InvalidInput(f"the body is nested deeper than {depth} levels") from None
    except ValueError as error:
        raise InvalidInput(f"the body is not JSON: {error}") from None
    _check_content(parsed, depth)
    request._json = parsed


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


def _check_content(value: Any, depth: int) -> None:
    """Refuse what no database can hold: NUL and lone surrogates anywhere, and too deep a nest."""
    level = [value]
    for _ in range(depth + 1):
        for text in level:
            if isinstance(text, str):
                _check_text(text, "the body")
        held = [v for v in level if isinstance(v, dict | list)]
        if not held:
            return
        level = [part for v in held for part in ([*v, *v.values()] if isinstance(v, dict) else v)]
    raise InvalidInput(f"the body is nested deeper than {depth} levels")


def _check_address(request: Request) -> None:
    for text in (*request.path_params.values(), *request.query_params.values()):
        _check_text(str(text), "the address")


def _check_text(text: str, where: str) -> None:
    if "\0" in text:
        raise InvalidInput(f"{where} has a NUL character: remove it")
    if not text.isascii() and any("\ud800" <= c <= "\udfff" for c in text):
        raise InvalidInput(f"{where} has a lone surrogate: decode it with errors='replace'")


def _idempotency_key(request: Request) -> str | None:
    key = request.headers.get("idempotency-key")
    if key is not None and not (0 < len(key) <= MAX_IDEMPOTENCY_KEY and key.isprintable()):
        raise InvalidInput(f"an Idempotency-Key has 1 to {MAX_IDEMPOTENCY_KEY} printable characters")
    return key

"""The gate in front of every route: host, origin, key, rate and size, before a body is read."""

import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from recollect.errors import Forbidden, RecollectError, TooLarge, TooManyRequests, Unauthenticated
from recollect.surfaces.rest import problems
from recollect.surfaces.rest.house import Caller, House
from recollect.surfaces.rest.limits import neighbourhood

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

OPEN = frozenset({"/livez", "/readyz", "/openapi.json"})
"""Paths that need no key: they hold nothing of anybody's."""
UPLOADS = frozenset({"/v1/import"})
CALLER = "recollect.caller"
"""Where the gate leaves the `Caller` in the ASGI scope, for routes and mounted apps."""
OPERATION = "recollect.operation"
"""Where a route leaves the name of its operation, for the metrics."""
LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})


class Gate:
    """An ASGI app around another; nobody passes who is not named in the one table of rights."""

    def __init__(self, app: App, house: House) -> None:
        self._app = app
        self._house = house

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it with a problem."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        started, status = time.perf_counter(), 500

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], (b"x-content-type-options", b"nosniff")]
            await send(message)

        try:
            await self._http(scope, receive, watched)
        finally:
            took = time.perf_counter() - started
            self._house.metrics.observe(scope.get(OPERATION, "none"), status, took)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        refused = self._refused_host(headers)
        if refused is not None:
            await refused(scope, receive, send)
            return
        try:
            limit = self._house.limits.upload if scope["path"] in UPLOADS else self._house.limits.body
            if scope["path"] not in OPEN:
                scope[CALLER] = await self._known(scope, headers)
            if headers.get(b"content-length", "0").isdigit():
                _check_size(int(headers.get(b"content-length", "0")), limit)
        except RecollectError as error:
            await problems.of_error(error)(scope, receive, send)
            return
        await self._app(scope, _limited(receive, limit), send)

    def _refused_host(self, headers: dict[bytes, str]) -> Any:
        """A page that got its name to resolve to us names itself in Host or Origin."""
        if _name(headers.get(b"host", "")) not in self._house.hosts:
            detail = "this name is not a host of this server: start it with --allow-host NAME"
            return problems.problem(421, detail, "Forbidden")
        origin = headers.get(b"origin")
        if origin is not None and _name(urlsplit(origin).netloc) not in self._house.hosts:
            return problems.of_error(Forbidden("requests from pages of other origins are not answered"))
        return None

    async def _known(self, scope: Scope, headers: dict[bytes, str]) -> Caller:
        """The caller with a good key, always; others are refused, and after too many tries told to wait."""
        try:
            return await self._caller(headers)
        except Unauthenticated:
            address = (scope.get("client") or ("",))[0]
            if not self._house.strangers.take(neighbourhood(address)):
                rate = self._house.limits.failures
                raise TooManyRequests(
                    f"without a good key this address may ask {rate:g} times a second: wait a moment"
                ) from None
            raise

    async def _caller(self, headers: dict[bytes, str]) -> Caller:
        from anyio import to_thread

        house = self._house
        given = headers.get(b"authorization")
        if given is None and house.insecure:
            return house.local()
        kind, _, secret = (given or "").partition(" ")
        if kind.lower() != "bearer" or not secret:
            raise Unauthenticated("send a key as 'Authorization: Bearer …': see `recollect keys create`")
        caller = house.remembered(secret)
        if caller is None:
            caller = await to_thread.run_sync(house.caller, secret)
        if not house.buckets.take(caller.id):
            raise TooManyRequests(f"this key may ask {house.limits.rate:g} times a second: wait a moment")
        return caller


def _name(authority: str) -> str:
    """The host of `host:port`, in lower case; an IPv6 address keeps its brackets."""
    host = authority.lower()
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.partition(":")[0]


def _check_size(size: int, limit: int) -> None:
    if size > limit:
        raise TooLarge(f"the body is larger than {limit:,} bytes: send it in parts, or raise max_body")


def _limited(receive: Receive, limit: int) -> Receive:
    """Count what comes in, and stop reading where it is too much."""
    taken = 0

    async def counted() -> Message:
        nonlocal taken
        message = await receive()
        if message["type"] == "http.request":
            taken += len(message.get("body", b""))
            _check_size(taken, limit)
        return message

    return counted

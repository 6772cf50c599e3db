"""Problem details (RFC 9457): every error of the server in one shape, and back to our own errors."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from recollect import errors
from recollect.errors import RecollectError

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.responses import Response

MEDIA_TYPE = "application/problem+json"
STATUS: dict[type[RecollectError], int] = {
    errors.TooLarge: 413,
    errors.InvalidInput: 422,
    errors.NotFound: 404,
    errors.Conflict: 409,
    errors.Unauthenticated: 401,
    errors.Forbidden: 403,
    errors.TooManyRequests: 429,
    errors.StoreBusy: 503,
    errors.ModelUnavailable: 503,
    errors.ModelMissing: 503,
    RecollectError: 500,
}
"""The status of each error; the first line that fits decides."""
TITLES = {
    400: "Bad request",
    401: "A key is needed",
    403: "Not allowed",
    404: "Not found",
    405: "Method not allowed",
    409: "Conflict",
    412: "It was changed in the meantime",
    413: "Too large",
    415: "Not a media type for this",
    421: "Not a host of this server",
    422: "Invalid input",
    429: "Too many requests",
    500: "The server failed",
    503: "Not available now",
}
SCHEMA: dict[str, Any] = {
    "title": "Problem",
    "type": "object",
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "code": {"type": "string", "description": "The name of the error in Python."},
    },
    "required": ["type", "title", "status", "detail", "code"],
}


class PreconditionFailed(errors.Conflict):
    """The version in `If-Match` is not the current one."""


class UnsupportedMediaType(errors.InvalidInput):
    """The body is of a media type that the route does not take."""


SPECIAL: dict[type[RecollectError], int] = {PreconditionFailed: 412, UnsupportedMediaType: 415}


def status_of(error: RecollectError) -> int:
    """The HTTP status of an error."""
    return next(status for kind, status in (SPECIAL | STATUS).items() if isinstance(error, kind))


def problem(status: int, detail: str, code: str, headers: Mapping[str, str] | None = None) -> "Response":
    """A problem as a response."""
    from starlette.responses import Response

    content = {
        "type": f"urn:recollect:problem:{status}",
        "title": TITLES.get(status, "Error"),
        "status": status,
        "detail": detail,
        "code": code,
    }
    body = json.dumps(content, ensure_ascii=False).encode("utf-8", "replace")
    return Response(body, status, dict(headers or {}), MEDIA_TYPE)


def of_error(error: RecollectError) -> "Response":
    """An error of ours as a problem; what went wrong inside the server stays in its log."""
    status = status_of(error)
    headers = {401: {"WWW-Authenticate": "Bearer"}, 429: {"Retry-After": "1"}, 503: {"Retry-After": "1"}}
    public = next(kind for kind in type(error).__mro__ if kind.__module__ == errors.__name__)
    detail = str(error) if status < 500 or status == 503 else "the server's log says more"
    return problem(status, detail, public.__name__, headers.get(status))


def install(app: "FastAPI") -> None:
    """Let every error of an app leave as a problem."""
    from fastapi.exceptions import RequestValidationError
    from starlette.exceptions import HTTPException
    from starlette.requests import Request

    @app.exception_handler(RecollectError)
    def ours(_: Request, error: RecollectError) -> "Response":
        return of_error(error)

    @app.exception_handler(RequestValidationError)
    def invalid(_: Request, error: RequestValidationError) -> "Response":
        found = error.errors()[0]
        where = ".".join(str(part) for part in found["loc"])
        return problem(422, f"{where}: {found['msg']}", "InvalidInput")

    @app.exception_handler(HTTPException)
    def http(request: Request, error: HTTPException) -> "Response":
        detail = f"{request.method} {request.url.path}: {error.detail}"
        code = {404: "NotFound", 405: "InvalidInput"}.get(error.status_code, "InvalidInput")
        return problem(error.status_code, detail, code, error.headers)

    @app.exception_handler(Exception)
    def unexpected(_: Request, __: Exception) -> "Response":
        return problem(500, "the server's log says more", "ServerError")

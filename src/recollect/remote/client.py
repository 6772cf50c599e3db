"""The client of a recollect server: requests that may be repeated are, and problems become our own errors."""

import json
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from recollect import errors
from recollect.errors import InvalidInput, RecollectError, ServerError
from recollect.model.wire import encoded
from recollect.remote.wire import Answer, Wire, target

ATTEMPTS = 5
_FIRST_WAIT = 0.2
_LONGEST_WAIT = 5.0
_RETRIED = frozenset({429, 502, 503, 504})


class Client:
    """One server, one key. Every write has an idempotency key of its own, so that it is done once."""

    def __init__(self, url: str, key: str | None, sleep: Callable[[float], None] = time.sleep) -> None:
        self.url = url.rstrip("/")
        if key is not None and not (key.isascii() and key.isprintable()):
            raise InvalidInput("this is no key: pass what `recollect keys create` printed")
        self._sleep = sleep
        self._wire = Wire(self.url)
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}

    def get(self, path: str, **params: Any) -> Any:
        """What a route holds; parameters that are None are left out."""
        return self._call("GET", path, params=params)

    def ask(self, path: str, body: Mapping[str, Any], **params: Any) -> Any:
        """The answer to a question that is sent as a body and changes nothing."""
        return self._call("POST", path, params=params, body=body)

    def write(self, method: str, path: str, body: Mapping[str, Any] | None = None, **params: Any) -> Any:
        """Change something, once, however often it has to be sent."""
        headers = {"Idempotency-Key": uuid.uuid4().hex}
        return self._call(method, path, params=params, body=body, headers=headers)

    @contextmanager
    def stream(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, Any],
        content: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Iterator[Answer]:
        """A long answer as it comes; it is not sent again."""
        sent = {**self._headers, **(headers or {})}
        with self._wire.stream(method, target(path, params), content, sent) as answer:
            if answer.status >= 400:
                raise error_of(answer.status, answer.read())
            yield answer

    def follow(self, path: str, tell: Callable[[Any], None], **options: Any) -> Any:
        """What came of long work; `tell` gets what the server says on the way."""
        options["headers"] = {"accept": "text/event-stream", **options.get("headers", {})}
        with self.stream("POST", path, **options) as response:
            for name, data in _events(response.lines()):
                if name == "progress":
                    tell(json.loads(data))
                elif name == "problem":
                    raise error_of(json.loads(data)["status"], data.encode())
                elif name == "done":
                    return json.loads(data)
        raise ServerError("the server ended the work without saying how it went: ask for it again")

    def close(self) -> None:
        """Close the connections."""
        self._wire.close()

    def _call(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, Any],
        body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        content = None if body is None else packed(body)
        where = target(path, params)
        kind = {"content-type": "application/json"} if content is not None else {}
        sent = {**self._headers, **kind, **(headers or {})}
        trouble: RecollectError = ServerError(f"{self.url} was not asked")
        for attempt in range(ATTEMPTS):
            if attempt:
                self._sleep(min(_LONGEST_WAIT, _FIRST_WAIT * 2 ** (attempt - 1)))
            try:
                status, answer = self._wire.send(method, where, content, sent)
            except ServerError as error:
                trouble = error
                continue
            if status < 400:
                return _told(status, answer)
            trouble = error_of(status, answer)
            if status not in _RETRIED:
                break
        raise trouble


def error_of(status: int, content: bytes) -> RecollectError:
    """The error of ours that a problem stands for."""
    try:
        told = json.loads(content)
        detail, code = str(told["detail"]), str(told["code"])
    except (ValueError, KeyError, TypeError):
        return ServerError(f"the server answered {status}, and not as a recollect server does")
    kind: Any = getattr(errors, code, None)
    known = isinstance(kind, type) and issubclass(kind, RecollectError)
    return kind(detail) if known else ServerError(detail)


def _told(status: int, content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        raise error_of(status, content) from None


def _events(lines: Iterator[str]) -> Iterator[tuple[str, str]]:
    name = ""
    for line in lines:
        field, _, value = line.partition(": ")
        if field == "event":
            name = value
        elif field == "data":
            yield name, value


def packed(body: Mapping[str, Any]) -> bytes:
    """A body as JSON; InvalidInput where it cannot be."""
    try:
        return json.dumps(encoded(body), allow_nan=False).encode("utf-8")
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"this cannot be sent as JSON: {error}") from None

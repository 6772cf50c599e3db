"""The client of a recollect server: requests that may be repeated are, and problems become our own errors."""

import json
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from recollect import errors
from recollect.errors import InvalidInput, RecollectError, ServerError, SettingsError
from recollect.model.wire import encoded

if TYPE_CHECKING:
    import httpx2

ATTEMPTS = 5
TIMEOUT_SECONDS = 60.0
_FIRST_WAIT = 0.2
_LONGEST_WAIT = 5.0
_RETRIED = frozenset({429, 502, 503, 504})


class Client:
    """One server, one key. Every write has an idempotency key of its own, so that it is done once."""

    def __init__(self, url: str, key: str | None, sleep: Callable[[float], None] = time.sleep) -> None:
        self.url = url.rstrip("/")
        self._key = key
        self._sleep = sleep

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
    def stream(self, method: str, path: str, **options: Any) -> Iterator["httpx2.Response"]:
        """A long answer as it comes; it is not sent again."""
        import httpx2

        options["params"] = _present(options.pop("params", {}))
        try:
            with self._http.stream(method, self.url + path, **options) as response:
                if response.status_code >= 400:
                    response.read()
                    raise error_of(response.status_code, response.content)
                yield response
        except httpx2.HTTPError as error:
            raise ServerError(f"{self.url} cannot be reached: {error}") from error

    def follow(self, path: str, tell: Callable[[Any], None], **options: Any) -> Any:
        """What came of long work; `tell` gets what the server says on the way."""
        options["headers"] = {"accept": "text/event-stream", **options.get("headers", {})}
        with self.stream("POST", path, **options) as response:
            for name, data in _events(response.iter_lines()):
                if name == "progress":
                    tell(json.loads(data))
                elif name == "problem":
                    raise error_of(json.loads(data)["status"], data.encode())
                elif name == "done":
                    return json.loads(data)
        raise ServerError("the server ended the work without saying how it went: ask for it again")

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    @cached_property
    def _http(self) -> "httpx2.Client":
        try:
            import httpx2
        except ImportError as error:
            message = "a server's memory needs the remote extra: pip install 'recollect[remote]'"
            raise SettingsError(message) from error
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        secure = self.url.startswith("https:")  # to read the certificates of the world takes 60 ms
        return httpx2.Client(headers=headers, timeout=TIMEOUT_SECONDS, follow_redirects=False, verify=secure)

    def _call(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, Any],
        body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        import httpx2

        content = None if body is None else packed(body)
        kind = {"content-type": "application/json"} if content is not None else {}
        trouble: RecollectError = ServerError(f"{self.url} was not asked")
        for attempt in range(ATTEMPTS):
            if attempt:
                self._sleep(min(_LONGEST_WAIT, _FIRST_WAIT * 2 ** (attempt - 1)))
            try:
                response = self._http.request(
                    method,
                    self.url + path,
                    params=_present(params),
                    content=content,
                    headers={**kind, **(headers or {})},
                )
            except httpx2.HTTPError as error:
                trouble = ServerError(f"{self.url} cannot be reached: {error}")
                continue
            if response.status_code < 400:
                return response.json()
            trouble = error_of(response.status_code, response.content)
            if response.status_code not in _RETRIED:
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


def _present(params: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that say something, as text."""
    found = {name: encoded(value) for name, value in params.items()}
    return {name: value for name, value in found.items() if value is not None and value != []}

"""The wire to a server: HTTP as the standard library speaks it, because a hook has no time to load more."""

import http.client
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import urlencode, urlsplit

from recollect.errors import InvalidInput, ServerError
from recollect.model.wire import encoded

TIMEOUT_SECONDS = 60.0
_PIECE = 65_536
_TROUBLE = (OSError, http.client.HTTPException, UnicodeError)
"""No such host, no answer, half an answer; a host that cannot be a name."""


class Answer:
    """What a server answers, as it comes; ServerError where it breaks off."""

    def __init__(self, url: str, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self._url = url
        self._response = response

    def read(self) -> bytes:
        """All of it."""
        with _reaching(self._url):
            return self._response.read()

    def pieces(self) -> Iterator[bytes]:
        """All of it, piece by piece."""
        while piece := self._piece():
            yield piece
        if self._response.length:  # the library says nothing of what was promised and did not come
            raise ServerError(f"{self._url} broke off in the middle of its answer")

    def lines(self) -> Iterator[str]:
        """All of it, line by line."""
        while line := self._line():
            yield line.decode("utf-8", "replace").rstrip("\r\n")

    def _piece(self) -> bytes:
        with _reaching(self._url):
            return self._response.read(_PIECE)

    def _line(self) -> bytes:
        with _reaching(self._url):
            return self._response.readline()


class Wire:
    """Connections to one server, for any number of threads; those that are idle are used again."""

    def __init__(self, url: str) -> None:
        try:
            self._url, self._where = url, urlsplit(url)
            self._host, self._port = self._where.hostname or "", self._where.port
        except ValueError as error:
            raise InvalidInput(f"{url!r} is not the address of a server: {error}") from None
        self._idle: list[http.client.HTTPConnection] = []
        self._lock = threading.Lock()

    def send(
        self, method: str, target: str, body: bytes | None, headers: Mapping[str, str]
    ) -> tuple[int, bytes]:
        """The status and the content of the answer to a request that may be sent twice.

        It is, at once, where an idle connection turns out to be gone.
        """
        while True:
            with self._lock:
                used = self._idle.pop() if self._idle else None
            connection = used or self._connection()
            try:
                response = self._asked(connection, method, target, body, headers)
                content = response.read()
            except _TROUBLE as error:
                connection.close()
                if used is not None and not isinstance(error, TimeoutError):
                    continue
                raise _unreached(self._url, error) from error
            with self._lock:
                self._idle.append(connection)
            return response.status, content

    @contextmanager
    def stream(self, method: str, target: str, body: Any, headers: Mapping[str, str]) -> Iterator[Answer]:
        """An answer as it comes, on a connection of its own; the body may come in pieces."""
        connection = self._connection()
        try:
            with _reaching(self._url):
                response = self._asked(connection, method, target, body, headers)
            yield Answer(self._url, response)
        finally:
            connection.close()

    def close(self) -> None:
        """Close the idle connections."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _connection(self) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self._where.scheme == "https" else http.client.HTTPConnection
        return kind(self._host, self._port, timeout=TIMEOUT_SECONDS)

    def _asked(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        target: str,
        body: Any,
        headers: Mapping[str, str],
    ) -> http.client.HTTPResponse:
        place = self._where.path.rstrip("/") + target
        with suppress(BrokenPipeError):  # it may have answered before it heard all
            connection.request(method, place, body=body, headers=dict(headers))
        return connection.getresponse()


def target(path: str, params: Mapping[str, Any]) -> str:
    """A path with the parameters that say something; InvalidInput where they cannot be sent."""
    found = {name: _text(encoded(value)) for name, value in params.items()}
    try:
        query = urlencode({name: text for name, text in found.items() if text not in (None, [])}, doseq=True)
    except UnicodeEncodeError:
        raise InvalidInput("a parameter has a lone surrogate: decode it with errors='replace'") from None
    return f"{path}?{query}" if query else path


@contextmanager
def _reaching(url: str) -> Iterator[None]:
    try:
        yield
    except _TROUBLE as error:
        raise _unreached(url, error) from error


def _unreached(url: str, error: Exception) -> ServerError:
    return ServerError(f"{url} cannot be reached: {str(error) or type(error).__name__}")


def _text(value: Any) -> Any:
    """A parameter as a server reads it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return [_text(one) for one in value] if isinstance(value, list) else value

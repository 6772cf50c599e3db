"""The wire to a server, against sockets that break off, hang up in between, or speak of something else."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import pytest

from recollect import InvalidInput, Memory, ServerError
from recollect.remote.client import Client

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n" + b'{"ok": true}'


@contextmanager
def answering(*connections: Callable[[socket.socket], None]) -> Iterator[str]:
    """A server that treats each connection as it is told, one after another."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            for treat in connections:
                connection, _ = server.accept()
                with connection:
                    treat(connection)

        thread = threading.Thread(target=serve)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
        thread.join(30)
        assert not thread.is_alive()


def heard(connection: socket.socket) -> bytes:
    """One request without a body."""
    found = b""
    while not found.endswith(b"\r\n\r\n"):
        found += connection.recv(65_536)
    return found


def once(answer: bytes) -> Callable[[socket.socket], None]:
    def treat(connection: socket.socket) -> None:
        heard(connection)
        connection.sendall(answer)

    return treat


def impatient(_: float) -> None:
    raise AssertionError("it waits to try again, but need not")


def test_a_connection_that_was_closed_in_between_is_opened_again_at_once() -> None:
    with answering(once(OK), once(OK)) as url, closing(Client(url, None, sleep=impatient)) as client:
        assert [client.get("/v1/x") for _ in range(2)] == [{"ok": True}] * 2


def test_an_idle_connection_serves_again() -> None:
    def twice(connection: socket.socket) -> None:
        for _ in range(2):
            once(OK)(connection)

    with answering(twice) as url, closing(Client(url, None, sleep=impatient)) as client:
        assert [client.get("/v1/x") for _ in range(2)] == [{"ok": True}] * 2


def test_half_an_answer_is_none() -> None:
    with answering(*[once(OK[:-3])] * 5) as url, pytest.raises(ServerError, match="cannot be reached"):
        Client(url, None, sleep=lambda _: None).get("/v1/x")
    with (
        answering(once(OK[:-3])) as url,
        Client(url, None).stream("GET", "/v1/x", params={}) as answer,
        pytest.raises(ServerError, match="broke off"),
    ):
        list(answer.pieces())
    begun = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nevent\r\n"
    with (
        answering(once(begun)) as url,
        Client(url, None).stream("GET", "/v1/x", params={}) as answer,
        pytest.raises(ServerError, match="cannot be reached"),
    ):
        list(answer.pieces())


def test_who_answers_before_hearing_all_is_heard() -> None:
    refused = b'{"detail": "no more than this", "code": "TooLarge"}'
    head = b"HTTP/1.1 413 Too Large\r\nContent-Length: %d\r\n\r\n" % len(refused)

    def early(connection: socket.socket) -> None:
        connection.recv(1_000)
        connection.sendall(head + refused)
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(65_536):
            pass

    with answering(early) as url:
        pieces = iter([b"x" * 65_536] * 40)
        with (
            pytest.raises(InvalidInput, match="no more than this"),
            Client(url, None).stream("POST", "/v1/x", params={}, content=pieces),
        ):
            pass


def test_another_server_is_told_from_ours() -> None:
    page = b"<html>hello</html>"
    for status in (b"200 OK", b"404 Not Found"):
        answer = b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s" % (status, len(page), page)
        with (
            answering(once(answer)) as url,
            closing(Client(url, None)) as client,
            pytest.raises(ServerError, match="not as a recollect server"),
        ):
            client.get("/v1/x")


def test_parameters_arrive_as_they_are_meant() -> None:
    seen: list[bytes] = []

    def keep(connection: socket.socket) -> None:
        seen.append(heard(connection))
        connection.sendall(OK)

    with answering(keep) as url, closing(Client(f"{url}/below/", "key")) as client:
        client.get("/v1/x", view=("user:a b", "team:ü"), all=True, limit=3, none=None, empty=[])
    line, _, rest = seen[0].partition(b"\r\n")
    assert line == b"GET /below/v1/x?view=user%3Aa+b&view=team%3A%C3%BC&all=true&limit=3 HTTP/1.1"
    assert b"Authorization: Bearer key\r\n" in rest


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:99999", "http://[::1", "http://a..b", "http://127.0.0.1:x"]
)
def test_addresses_that_are_none(url: str) -> None:
    with pytest.raises((InvalidInput, ServerError)):
        Client(url, None, sleep=lambda _: None).get("/v1/x")


def test_what_cannot_be_sent_is_told() -> None:
    with pytest.raises(InvalidInput, match="lone surrogate"):
        Client("http://127.0.0.1:9", None).get("/v1/x", q="\ud800")
    for key in ("a\nb", "ключ"):
        with pytest.raises(InvalidInput, match="no key"):
            Memory("http://127.0.0.1:9", key=key)

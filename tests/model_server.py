"""A model service on the loopback that is in whatever mood a test needs; real HTTP, no sleeping.

with ModelServer() as server:
    server.moods = [Mood(status=500), Mood(body={"embeddings": [[1.0]]})]
    ... server.requests[0].body ...
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from recollect.models.chat import OpenAIChat
from recollect.models.http import Endpoint


def patience(request: pytest.FixtureRequest) -> float:
    """Seconds to wait for an answer: little where the test's mood is one that hangs, else what it takes."""
    chosen = getattr(request.node, "callspec", None)
    return 0.5 if chosen is not None and "hangs" in chosen.params.values() else 60.0


@dataclass(frozen=True, slots=True)
class Request:
    """What the service was asked."""

    path: str
    headers: Mapping[str, str]
    body: Any


@dataclass(frozen=True, slots=True)
class Mood:
    """How the service answers one request."""

    body: Any = field(default_factory=dict)
    """Sent as JSON, or as it is if bytes; a function gets the request."""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    hangs: bool = False
    """Say nothing until the server is closed."""
    breaks_off: bool = False
    """Promise more bytes than are sent, then close the connection."""


def answered(value: object) -> dict[str, Any]:
    """What a chat model's service sends back: a text, or a value as JSON."""
    text = value if isinstance(value, str) else json.dumps(value)
    choice = {"message": {"content": text}, "finish_reason": "stop"}
    return {"choices": [choice], "usage": {"prompt_tokens": 100, "completion_tokens": 10}}


BROKEN = {
    "broken JSON": Mood(body=answered('{"facts": [')),
    "empty": Mood(body=answered("")),
    "refusal": Mood(body={"choices": [{"message": {"refusal": "no"}, "finish_reason": "stop"}]}),
    "cut off": Mood(body={"choices": [{"message": {"content": "{"}, "finish_reason": "length"}]}),
    "429": Mood(status=429),
    "500": Mood(status=500),
    "breaks off": Mood(breaks_off=True),
    "hangs": Mood(hangs=True),
}
"""What goes wrong with every chat model, whatever it was asked."""


def patient(server: ModelServer, timeout: float = 60.0) -> OpenAIChat:
    """A chat model behind the server, whose pauses between attempts pass at once."""
    return OpenAIChat("openai:test", "test", Endpoint(server.url, timeout=timeout, sleep=lambda _: None))


class ModelServer:
    """Answers with one mood after another; the last one stays."""

    def __init__(self) -> None:
        self.moods: list[Mood] = [Mood()]
        self.requests: list[Request] = []
        self._closing = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = False
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> ModelServer:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _next(self) -> Mood:
        return self.moods.pop(0) if len(self.moods) > 1 else self.moods[0]

    def _handler(self) -> Callable[..., BaseHTTPRequestHandler]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers.get("content-length", "0")))
                request = Request(self.path, dict(self.headers), json.loads(raw or b"null"))
                outer.requests.append(request)
                mood = outer._next()
                if mood.hangs:
                    outer._closing.wait()
                    return
                body = mood.body(request) if callable(mood.body) else mood.body
                sent = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(mood.status)
                for name, value in mood.headers.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(sent) + 100 * mood.breaks_off))
                self.end_headers()
                self.wfile.write(sent)

            def log_message(self, *args: object) -> None:
                pass

        return Handler

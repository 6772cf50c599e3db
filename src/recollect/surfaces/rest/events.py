"""Server-sent events: long work tells how far it is, then what came of it."""

import json
import queue
import threading
from collections.abc import Callable, Iterator
from typing import Any

from recollect.errors import RecollectError
from recollect.model.wire import encoded
from recollect.surfaces.rest import problems

MEDIA_TYPE = "text/event-stream"
QUIET_SECONDS = 15.0
SCHEMA = {
    "type": "object",
    "properties": {"event": {"type": "string"}, "data": {"type": "string", "description": "JSON"}},
}
"""What one event is, for the OpenAPI document."""


def event(name: str, data: Any) -> bytes:
    """One event."""
    return f"event: {name}\ndata: {json.dumps(encoded(data))}\n\n".encode()


def told(work: Callable[[Callable[[Any], None]], Any]) -> Iterator[bytes]:
    """Run work on a thread of its own; `progress` events while it goes on, then `done` or `problem`.

    Where there is nothing to tell for a while a comment is sent, so that nobody takes the line for dead.
    """
    line: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()

    def run() -> None:
        try:
            line.put(event("done", work(lambda so_far: line.put(event("progress", so_far)))))
        except RecollectError as error:
            line.put(b"event: problem\ndata: " + bytes(problems.of_error(error).body) + b"\n\n")
        finally:
            line.put(None)

    thread = threading.Thread(target=run, name="recollect-events")
    thread.start()
    while (part := _next(line)) is not None:
        yield part
    thread.join()


def _next(line: "queue.SimpleQueue[bytes | None]") -> bytes | None:
    try:
        return line.get(timeout=QUIET_SECONDS)
    except queue.Empty:
        return b": still at it\n\n"

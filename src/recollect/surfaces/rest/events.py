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
SCHEMA = {
    "type": "object",
    "properties": {"event": {"type": "string"}, "data": {"type": "string", "description": "JSON"}},
}
"""What one event is, for the OpenAPI document."""


def event(name: str, data: Any) -> bytes:
    """One event."""
    return f"event: {name}\ndata: {json.dumps(encoded(data))}\n\n".encode()


def told(work: Callable[[Callable[[int], None]], Any]) -> Iterator[bytes]:
    """Run work on a thread of its own; `progress` events while it goes on, then `done` or `problem`."""
    line: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()

    def run() -> None:
        try:
            line.put(event("done", work(lambda done: line.put(event("progress", {"done": done})))))
        except RecollectError as error:
            line.put(b"event: problem\ndata: " + bytes(problems.of_error(error).body) + b"\n\n")
        finally:
            line.put(None)

    thread = threading.Thread(target=run, name="recollect-events")
    thread.start()
    while (part := line.get()) is not None:
        yield part
    thread.join()

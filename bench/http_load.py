"""A server under load: `python bench/http_load.py [--kill]`. 64 clients add and recall for a minute.

Every write that was acknowledged is looked for afterwards, in the database itself. With `--kill` the server
is killed (SIGKILL) in the middle, started again on the same database, and the clients go on. The clients are
threads of one process beside the server, so on a small machine they share its cores.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx2

from common import percentile, postgres, table, texts
from recollect import Memory
from recollect.memory import scope_of
from recollect.surfaces.keys import Keys

RECALLS = 0.3
"""The share of requests that recall; the others add a message."""


@dataclass
class Tally:
    """What the clients saw."""

    took: dict[str, list[float]] = field(default_factory=lambda: {"add": [], "recall": []})
    acknowledged: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    lost_connections: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


def main() -> None:
    """Measure on SQLite and, unless told otherwise, on PostgreSQL."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--clients", type=int, default=64)
    arguments.add_argument("--seconds", type=float, default=60.0)
    arguments.add_argument("--kill", action="store_true", help="kill -9 the server in the middle")
    arguments.add_argument("--no-workers", action="store_true", help="leave the follow-up work undone")
    arguments.add_argument("--embedder", default="static:recollect-256", help="the server's embedder")
    arguments.add_argument("--no-postgres", action="store_true")
    given = arguments.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        rows += measured("SQLite", str(Path(folder) / "m.db"), given)
    if not given.no_postgres:
        with postgres() as url:
            rows += measured("PostgreSQL", url, given)
    table(("database", "request", "count", "per second", "p50 ms", "p95 ms", "p99 ms"), rows)


def measured(name: str, where: str, given: argparse.Namespace) -> list[tuple[str, ...]]:
    """Load one server, then look for everything it acknowledged."""
    with Memory(where, view="user:load", embedder=given.embedder, background=False) as memory:
        key, _ = Keys(scope_of(memory)).create("load", spaces=["user:load", "*"], rights=["admin"])
    tally = Tally()
    with Process(where, given.embedder, given.no_workers) as server:
        said = texts(5_000)
        ready = threading.Barrier(given.clients + 1)
        clients = [
            threading.Thread(target=client, args=(Client(server, key, i, said, tally, given), ready))
            for i in range(given.clients)
        ]
        for thread in clients:
            thread.start()
        ready.wait()
        if given.kill:
            time.sleep(given.seconds / 2)
            server.kill()
            before = len(tally.acknowledged)
            server.start()
            print(f"{name}: killed after {before:,} acknowledged writes, answering again", file=sys.stderr)
        for thread in clients:
            thread.join()
    requests = sum(map(len, tally.took.values()))
    missing = absent(where, tally.acknowledged, given.embedder)
    print(
        f"{name}: {len(tally.acknowledged):,} writes acknowledged, {missing} of them missing; "
        f"{len(tally.errors)} errors {tally.errors[:3]}; "
        f"{tally.lost_connections} connections lost to the kill; "
        f"{server.worked / requests * 1000:.1f} ms of the server's processor a request, its start included",
        file=sys.stderr,
    )
    if missing or tally.errors:
        sys.exit(f"{name}: the server lost or refused what it must not")
    return [(name, what, *figures(took, given.seconds)) for what, took in tally.took.items()]


class Process:
    """`recollect serve` in a process of its own, on one port for its whole life."""

    def __init__(self, where: str, embedder: str, idle: bool) -> None:
        self.port = 0
        self.worked = 0.0
        self._idle = ["--no-workers"] if idle else []
        program = [sys.executable, "-c", "from recollect.surfaces.cli import main; main()"]
        self._command = [*program, "--db", where, "--embedder", embedder]
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> "Process":
        self.start()
        return self

    def __exit__(self, *exc: object) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        self._end()

    def start(self) -> None:
        """Start it, and wait until it says where it listens."""
        words = ["--view", "user:load", "serve", "--json", "--port", str(self.port), *self._idle]
        command = [*self._command, *words]
        environment = {**os.environ, "RECOLLECT_RATE_LIMIT": "0"}
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        assert self._process.stdout is not None
        self.port = int(json.loads(self._process.stdout.readline())["serving"].rpartition(":")[2])

    def kill(self) -> None:
        """SIGKILL: it gets no chance to finish anything."""
        assert self._process is not None
        self._process.kill()
        self._end()

    def _end(self) -> None:
        """Wait for its end, and add up the processor time it took."""
        assert self._process is not None
        _, status, usage = os.wait4(self._process.pid, 0)
        self._process.returncode = os.waitstatus_to_exitcode(status)
        self.worked += usage.ru_utime + usage.ru_stime


@dataclass(frozen=True)
class Client:
    """Whom a client asks, what it has to say, and where it notes what happened."""

    server: Process
    key: str
    number: int
    said: list[str]
    tally: Tally
    given: argparse.Namespace


def client(me: Client, ready: threading.Barrier) -> None:
    """One client with a conversation of its own: adds and recalls by chance, until the time is over."""
    chance, tally = random.Random(me.number), me.tally
    with connection(me.server, me.key) as http:
        chat = http.post("/v1/conversations", json={"title": f"client {me.number}"}).json()["id"]
        ready.wait()
        ends = time.monotonic() + me.given.seconds
        while time.monotonic() < ends:
            text = chance.choice(me.said)
            what = "recall" if chance.random() < RECALLS else "add"
            started = time.perf_counter()
            try:
                response = asked(http, what, text, chat)
            except httpx2.HTTPError as error:
                with tally.lock:
                    if me.given.kill:
                        tally.lost_connections += 1
                    else:
                        tally.errors.append(repr(error))
                time.sleep(0.05)
                continue
            took = time.perf_counter() - started
            with tally.lock:
                if response.status_code >= 400:
                    tally.errors.append(response.text[:200])
                    continue
                tally.took[what].append(took)
                if what == "add":
                    tally.acknowledged.append(response.json()["entries"][0]["id"])


def asked(http: httpx2.Client, what: str, text: str, chat: str) -> httpx2.Response:
    """One request."""
    if what == "add":
        return http.post("/v1/messages", json={"messages": [{"text": text}], "conversation": chat})
    return http.post("/v1/recall", json={"query": text[:60], "limit": 5})


@contextmanager
def connection(server: Process, key: str) -> Iterator[httpx2.Client]:
    """One kept-alive connection."""
    headers = {"Authorization": f"Bearer {key}"}
    url = f"http://127.0.0.1:{server.port}"
    with httpx2.Client(base_url=url, headers=headers, timeout=60, trust_env=False) as http:
        yield http


def absent(where: str, ids: list[str], embedder: str) -> int:
    """How many acknowledged messages are not in the database."""
    with Memory(where, view="user:load", embedder=embedder, background=False) as memory:
        held: set[str] = set()
        for chat in memory.conversations.list(limit=1_000).items:
            after = 0
            while page := memory.conversations.messages(chat.id, after=after, limit=10_000):
                held.update(message.id for message in page)
                after = page[-1].turn
    return len(set(ids) - held)


def figures(took: list[float], seconds: float) -> tuple[str, ...]:
    """Count, rate and percentiles."""
    return (
        f"{len(took):,}",
        f"{len(took) / seconds:.0f}",
        percentile(took, 0.5),
        percentile(took, 0.95),
        percentile(took, 0.99),
    )


if __name__ == "__main__":
    main()

"""A real server on a free loopback port, for tests: uvicorn in a thread, httpx2 in front."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx2

from recollect import Memory
from recollect.memory import scope_of
from recollect.surfaces.address import Address
from recollect.surfaces.keys import Keys
from recollect.surfaces.rest.app import create_app
from recollect.surfaces.rest.house import Limits
from recollect.surfaces.rest.serve import Server

EASY = Limits(rate=0, failures=0)


@dataclass
class Served:
    """A running server, the memory behind it, and how to get keys and clients for it."""

    memory: Memory
    port: int
    app: Any

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def key(self, *spaces: str, rights: str = "admin", tenant: str = "default", **about: Any) -> str:
        keys = Keys(scope_of(self.memory).as_tenant(tenant))
        return keys.create(f"{tenant} {rights}", spaces=spaces or ["*"], rights=rights.split(), **about)[0]

    def client(self, key: str | None = None) -> httpx2.Client:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return httpx2.Client(base_url=self.url, headers=headers, timeout=30, trust_env=False)


@contextmanager
def served(memory: Memory, **options: Any) -> Iterator[Served]:
    """Serve a memory until the block ends; the server closes the memory."""
    app = create_app(memory, **{"limits": EASY, **options})
    listening = Address(port=0).bound()
    server = Server(app, ended=lambda: None)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        found = Served(memory, listening.getsockname()[1], app)
        with found.client() as client:
            assert client.get("/livez").status_code == 200
        yield found
    finally:
        server.should_exit = True
        thread.join()

"""Serving: one process, one port, until a signal; then what was taken on is finished."""

import logging
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import uvicorn

from recollect.surfaces.rest.house import House

if TYPE_CHECKING:
    from fastapi import FastAPI

GRACE_SECONDS = 30
"""How long requests in hand may take once the server was told to stop."""


class Server(uvicorn.Server):
    """Uvicorn that tells streams to end before it waits for them."""

    def __init__(self, app: "FastAPI", ended: Callable[[], None]) -> None:
        config = uvicorn.Config(
            app,
            log_level=logging.WARNING,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=GRACE_SECONDS,
        )
        super().__init__(config)
        self._house: House = app.state.house
        self._ended = ended

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop accepting, let streams end, finish the requests in hand."""
        self._house.stopping.set()
        self._ended()
        await super().shutdown(sockets)


def serve(app: "FastAPI", listening: socket.socket, ended: Callable[[], None]) -> Any:
    """Answer until SIGINT or SIGTERM; `ended` is called when no more is accepted."""
    Server(app, ended).run(sockets=[listening])

"""Serving: one process, one port, until a signal; then what was taken on is finished."""

import ipaddress
import logging
import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import uvicorn

from recollect.errors import SettingsError
from recollect.surfaces.rest.house import House

if TYPE_CHECKING:
    from fastapi import FastAPI

GRACE_SECONDS = 30
"""How long requests in hand may take once the server was told to stop."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen; port 0 takes a free one."""

    host: str = "127.0.0.1"
    port: int = 8420

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach it."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def bound(self) -> socket.socket:
        """A socket that listens there, or SettingsError."""
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        # asyncio turns Nagle's delay (40 ms an answer) off only for sockets that say they are TCP
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((self.host, self.port))
            listening.listen()
        except OSError as error:
            listening.close()
            where = f"{self.host} port {self.port}"
            raise SettingsError(f"cannot listen on {where}: {error.strerror or error}") from error
        return listening


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

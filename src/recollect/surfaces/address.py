"""Address: where a server listens, and the socket that does."""

import ipaddress
import socket
from dataclasses import dataclass

from recollect.errors import SettingsError


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
        except (OSError, OverflowError) as error:
            listening.close()
            why = error.strerror if isinstance(error, OSError) else "a port is from 0 to 65535"
            raise SettingsError(f"cannot listen on {self.host} port {self.port}: {why or error}") from error
        return listening

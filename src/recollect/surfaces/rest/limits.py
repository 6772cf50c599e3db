"""Rate limits: a bucket of tokens for each key or address, in this process; each request takes one."""

import ipaddress
import threading
from collections.abc import Callable

BURST_SECONDS = 2.0
"""How many seconds of the rate a caller may save up."""
MOST_BUCKETS = 10_000
"""Beyond so many, the one that was not used for longest is dropped; it would begin full again."""


class Buckets:
    """Token buckets by name, filled at one rate; a rate of 0 limits nobody."""

    def __init__(self, rate: float, monotonic: Callable[[], float]) -> None:
        self._rate = rate
        self._full = max(1.0, rate * BURST_SECONDS)
        self._monotonic = monotonic
        self._held: dict[str, tuple[float, float]] = {}
        self._lock = threading.Lock()

    def take(self, name: str) -> bool:
        """Take a token, if there is one."""
        if not self._rate:
            return True
        now = self._monotonic()
        with self._lock:
            tokens, at = self._held.pop(name, (self._full, now))
            tokens = min(self._full, tokens + (now - at) * self._rate)
            self._held[name] = (max(0.0, tokens - 1) if tokens >= 1 else tokens, now)
            if len(self._held) > MOST_BUCKETS:
                del self._held[next(iter(self._held))]
            return tokens >= 1


def neighbourhood(address: str) -> str:
    """What stands for one client: an IPv4 address, or the /64 network that an IPv6 client has to itself."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if found.version == 4:
        return address
    return str(ipaddress.ip_network((found.packed, 64), strict=False))

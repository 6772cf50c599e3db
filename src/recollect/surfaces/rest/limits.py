"""Rate limits: a bucket of tokens for each key, in this process; each request takes one."""

import threading
from collections.abc import Callable

BURST_SECONDS = 2.0
"""How many seconds of the rate a caller may save up."""


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
            tokens, at = self._held.get(name, (self._full, now))
            tokens = min(self._full, tokens + (now - at) * self._rate)
            self._held[name] = (max(0.0, tokens - 1) if tokens >= 1 else tokens, now)
            return tokens >= 1

"""A circuit breaker: a service that keeps failing is left alone for a while.

closed ──(failures in a row)──▶ open ──(pause over)──▶ half-open ──(one call works)──▶ closed
                                 ▲                         │
                                 └───────(it fails)────────┘
"""

from __future__ import annotations

import threading
from enum import StrEnum


class State(StrEnum):
    """Whether calls go through."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half-open"


class Breaker:
    """Counts failures in a row; times are seconds of any clock that only goes forward."""

    def __init__(self, failures: int = 3, pause: float = 60.0) -> None:
        self._limit = failures
        self._pause = pause
        self._failed = 0
        self._opened: float | None = None
        self._trying = False
        self._lock = threading.Lock()

    def state(self, now: float) -> State:
        """Closed lets every call through, open none, half-open one to try."""
        if self._opened is None:
            return State.CLOSED
        return State.OPEN if now < self._opened + self._pause else State.HALF_OPEN

    def admit(self, now: float) -> bool:
        """Whether a call may go now; who gets True must report how it went."""
        with self._lock:
            state = self.state(now)
            if state is State.HALF_OPEN and not self._trying:
                self._trying = True
                return True
            return state is State.CLOSED

    def report(self, worked: bool, now: float) -> None:
        """How an admitted call went: success forgives everything, failure may open."""
        with self._lock:
            self._failed = 0 if worked else self._failed + 1
            if worked:
                self._opened = None
            elif self._trying or self._failed >= self._limit:
                self._opened = now
            self._trying = False

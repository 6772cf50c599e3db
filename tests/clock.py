"""A clock for tests."""

import threading
from datetime import UTC, datetime, timedelta

START = datetime(2026, 3, 2, 9, tzinfo=UTC)


class Clock:
    """Stands still until it is moved; every look moves it by a microsecond, so times are distinct.

    Also for threads that look at once: none sees the time of another, and none undoes a move.
    """

    def __init__(self, at: datetime = START) -> None:
        self.at = at
        self._lock = threading.Lock()

    def __call__(self) -> datetime:
        return self.forward(microseconds=1)

    def forward(self, **delta: float) -> datetime:
        """Move ahead and say what time it is."""
        with self._lock:
            self.at += timedelta(**delta)
            return self.at

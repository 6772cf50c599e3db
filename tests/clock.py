"""A clock for tests."""

from datetime import UTC, datetime, timedelta

START = datetime(2026, 3, 2, 9, tzinfo=UTC)


class Clock:
    """Stands still until it is moved; every look moves it by a microsecond, so times are distinct."""

    def __init__(self, at: datetime = START) -> None:
        self.at = at

    def __call__(self) -> datetime:
        self.at += timedelta(microseconds=1)
        return self.at

    def forward(self, **delta: float) -> datetime:
        """Move ahead and say what time it is."""
        self.at += timedelta(**delta)
        return self.at

"""Cron expressions: five fields (minute hour day month weekday), in UTC."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from recollect.errors import InvalidInput

_FIELDS = (("minute", 0, 59), ("hour", 0, 23), ("day", 1, 31), ("month", 1, 12), ("weekday", 0, 7))
_ALIASES = {
    "@hourly": "0 * * * *",
    "@daily": "0 3 * * *",
    "@weekly": "0 3 * * 0",
    "@monthly": "0 3 1 * *",
}
_HORIZON_DAYS = 366 * 8


@dataclass(frozen=True, slots=True)
class Cron:
    """A parsed expression: the allowed values of each field."""

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    either_day: bool

    def next_after(self, at: datetime) -> datetime:
        """The first fitting minute after a moment."""
        time = at.replace(second=0, microsecond=0) + timedelta(minutes=1)
        for _ in range(_HORIZON_DAYS):
            if self._fits_day(time):
                for hour in sorted(h for h in self.hours if h >= time.hour):
                    first = time.minute if hour == time.hour else 0
                    minute = min((m for m in self.minutes if m >= first), default=None)
                    if minute is not None:
                        return time.replace(hour=hour, minute=minute)
            time = time.replace(hour=0, minute=0) + timedelta(days=1)
        raise InvalidInput("this schedule never comes round: check its day and month")

    def _fits_day(self, time: datetime) -> bool:
        """As in cron: if both day fields are restricted, either may fit."""
        day, weekday = time.day in self.days, time.isoweekday() % 7 in self.weekdays
        return time.month in self.months and ((day or weekday) if self.either_day else (day and weekday))


def parsed(expression: str) -> Cron:
    """Read a cron expression, or say what is wrong with it."""
    fields = _ALIASES.get(expression.strip(), expression).split()
    if len(fields) != len(_FIELDS):
        raise InvalidInput(
            f"{expression!r} is not a schedule: write five fields (minute hour day month weekday), "
            f"such as '0 3 * * *', or one of {', '.join(_ALIASES)}"
        )
    values = [
        _values(field, name, low, high) for field, (name, low, high) in zip(fields, _FIELDS, strict=True)
    ]
    return Cron(
        minutes=values[0],
        hours=values[1],
        days=values[2],
        months=values[3],
        weekdays=frozenset(day % 7 for day in values[4]),
        either_day=fields[2] != "*" and fields[4] != "*",
    )


def _values(field: str, name: str, low: int, high: int) -> frozenset[int]:
    found: set[int] = set()
    for part in field.split(","):
        span, _, step = part.partition("/")
        first, _, last = span.partition("-")
        try:
            start = low if span == "*" else int(first)
            end = high if span == "*" or (step and not last) else int(last or first)
            stride = int(step or 1)
        except ValueError:
            raise InvalidInput(f"{part!r} is not a {name}: use numbers, a-b, */n or *") from None
        if not low <= start <= end <= high or stride < 1:
            raise InvalidInput(f"{part!r} is out of range: a {name} is {low} to {high}")
        found.update(range(start, end + 1, stride))
    return frozenset(found)

"""Calendar arithmetic on half-open spans of time: days, weeks, months, seasons, years.

A span is `(start, end)` with the end excluded. Weeks begin on Monday. Seasons are those of the
northern hemisphere and begin on the first day of a month; winter belongs to the year it begins in.
"""

from datetime import date, datetime, timedelta

Span = tuple[datetime, datetime]

SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}


def midnight(at: datetime) -> datetime:
    """The start of the day of `at`, in its own time zone."""
    return at.replace(hour=0, minute=0, second=0, microsecond=0)


def day(at: datetime, shift: int = 0, length: int = 1) -> Span:
    """`length` days beginning `shift` days after the day of `at`."""
    start = midnight(at) + timedelta(days=shift)
    return start, start + timedelta(days=length)


def week(at: datetime, shift: int = 0) -> Span:
    """The week of `at`, moved by whole weeks."""
    return day(at, shift * 7 - at.weekday(), 7)


def weekend(at: datetime, shift: int = 0) -> Span:
    """Saturday and Sunday of the week of `at`, moved by whole weeks."""
    return day(at, shift * 7 - at.weekday() + 5, 2)


def month(at: datetime, shift: int = 0, length: int = 1) -> Span:
    """`length` calendar months beginning `shift` months after the month of `at`."""
    return _first(at, at.year * 12 + at.month - 1 + shift), _first(
        at, at.year * 12 + at.month - 1 + shift + length
    )


def month_of(at: datetime, year: int, number: int, length: int = 1) -> Span:
    """`length` months beginning with a named month of a year."""
    index = year * 12 + number - 1
    return _first(at, index), _first(at, index + length)


def quarter(at: datetime, year: int, number: int) -> Span:
    """Quarter 1 to 4 of a year."""
    return month_of(at, year, number * 3 - 2, 3)


def season(at: datetime, year: int, name: str) -> Span:
    """A season of a year."""
    return month_of(at, year, SEASONS[name], 3)


def year_span(at: datetime, year: int, length: int = 1) -> Span:
    """`length` calendar years beginning with `year`."""
    return month_of(at, year, 1, 12 * length)


def day_of(at: datetime, year: int, number: int, monthday: int) -> Span | None:
    """A named day, or None where the calendar has no such day."""
    try:
        named = date(year, number, monthday)
    except ValueError:
        return None
    start = midnight(at).replace(year=named.year, month=named.month, day=named.day)
    return start, start + timedelta(days=1)


def in_reach(year: int) -> bool:
    """Whether spans around this year can be computed at all."""
    return 2 <= year <= 9990


def _first(at: datetime, index: int) -> datetime:
    """The first of the month with this index (year * 12 + month - 1)."""
    return midnight(at).replace(year=index // 12, month=index % 12 + 1, day=1)

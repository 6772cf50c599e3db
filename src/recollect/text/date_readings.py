"""What a matched date expression means: each reading turns a match into a span of time."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from recollect.text import periods
from recollect.text.date_words import DAYS, HOLIDAYS, MONTHS, NUMBERS, ORDINALS
from recollect.text.periods import Span
from recollect.text.verbs import IRREGULAR_PAST

_PAST = re.compile(
    r"\b(?:ago|since|been|happened|(?!need)\w{3,}ed|" + "|".join(sorted(IRREGULAR_PAST)) + r")\b"
)
_FUTURE = re.compile(
    r"\b(?:will|won't|going to|gonna|plan|plans|planning|hope|hoping|want|wanna|next|upcoming|"
    r"tomorrow|soon|excited|looking forward|by|until|till|due|deadline|let's|shall|should|"
    r"can't wait)\b|'ll\b"
)
_PUT_OFF = re.compile(
    r"\b(?:moved|pushed|shifted|postponed|delayed|deferred|rescheduled|scheduled|planned|booked)\b"
    r".*\b(?:to|for|until|till)\s+(?:the\s+)?\S+$"
)
"""What was moved to a day lies ahead, although moving it is past."""
Found = tuple[Span, str] | None
Handler = Callable[["re.Match[str]", "Scene"], Found]


@dataclass(frozen=True, slots=True)
class Scene:
    """The text around a match and the time it is read against."""

    text: str
    low: str
    at: datetime

    def direction(self, match: re.Match[str]) -> int:
        """-1 or +1 where the words before (or just after) tell past or future, else 0."""
        before = self.low[max(0, match.start() - 80) : match.start()]
        before = re.split(r"[.!?;\n]", before)[-1]
        if _PUT_OFF.search(before + match[0]):
            return 1
        past = [hit.end() for hit in _PAST.finditer(before)]
        future = [hit.end() for hit in _FUTURE.finditer(before)]
        if past or future:
            return 1 if (future[-1:] or [0]) > (past[-1:] or [0]) else -1
        after = re.split(r"[.!?;\n]", self.low[match.end() : match.end() + 60])[0]
        if _FUTURE.search(after):
            return 1
        return -1 if _PAST.search(after) else 0

    def capital(self, match: re.Match[str], group: str) -> bool:
        """Whether the named group is written with a capital."""
        return self.text[match.start(group)].isupper()


def _year(match: re.Match[str]) -> int | None:
    value = match.groupdict().get("year")
    return int(value) if value else None


def _nearest(options: list[Span | None], scene: Scene, match: re.Match[str]) -> Span | None:
    """The occurrence the sentence points to: last year's, this year's or next year's."""
    spans = [span for span in options if span is not None]
    direction = scene.direction(match)
    today = periods.midnight(scene.at)
    if direction < 0:
        spans = [span for span in spans if span[0] <= scene.at] or spans
        return spans[-1] if spans else None
    if direction > 0:
        spans = [span for span in spans if span[1] > today] or spans
        return spans[0] if spans else None
    return min(spans, key=lambda span: abs((span[0] - today).days), default=None)


def _day_number(word: str) -> int:
    return ORDINALS.get(word) or int(word)


def month_day(match: re.Match[str], scene: Scene) -> Found:
    """`May 7th, 2023`, `7 May`, `May 5-7`."""
    number = MONTHS[match["month"].rstrip(".")]
    first = _day_number(match["day"])
    last = int(match.groupdict().get("day2") or first)
    year = _year(match)
    years = [year] if year else [scene.at.year - 1, scene.at.year, scene.at.year + 1]
    options: list[Span | None] = []
    for each in years:
        low = periods.day_of(scene.at, each, number, first)
        high = periods.day_of(scene.at, each, number, last)
        options.append((low[0], high[1]) if low and high and low[0] < high[1] else None)
    span = options[0] if year else _nearest(options, scene, match)
    return (span, "day" if first == last else "range") if span else None


def iso_day(match: re.Match[str], scene: Scene) -> Found:
    """`2023-05-07`, `2023-05`."""
    year, number = int(match["y"]), int(match["m"])
    if not 1 <= number <= 12 or not periods.in_reach(year):
        return None
    if match["d"] is None:
        return periods.month_of(scene.at, year, number), "month"
    span = periods.day_of(scene.at, year, number, int(match["d"]))
    return (span, "day") if span else None


def slashed(match: re.Match[str], scene: Scene) -> Found:
    """`5/7/2023` is read month first unless that is impossible; `7.5.2023` day first."""
    first, second, year = int(match["a"]), int(match["b"]), int(match["y"])
    year += 2000 if year < 70 else 1900 if year < 100 else 0
    day_first = match["sep"] == "." or first > 12
    number, monthday = (second, first) if day_first else (first, second)
    if not 1 <= number <= 12 or not periods.in_reach(year):
        return None
    span = periods.day_of(scene.at, year, number, monthday)
    return (span, "day") if span else None


def month_year(match: re.Match[str], scene: Scene) -> Found:
    """`May 2023`."""
    return periods.month_of(scene.at, int(match["year"]), MONTHS[match["month"].rstrip(".")]), "month"


_VERB_AFTER = re.compile(
    r"\s+(?:be|have|not|well|also|or|even|only|seem|need|want|take|help|come|get|i|you|we|he|she|"
    r"they|it)\b"
)


def month_word(match: re.Match[str], scene: Scene) -> Found:
    """`in May`, `last March`, `since June`: a bare month after a word that makes it one."""
    word, which = match["month"].rstrip("."), match["lead"]
    if word in ("may", "march"):
        verb = bool(_VERB_AFTER.match(scene.low, match.end()))
        small = not scene.capital(match, "month")
        if (small and which in ("this", "next", "by")) or (verb and (small or which == "this")):
            return None
    number, at = MONTHS[word], scene.at
    if which == "last":
        year = at.year - (number >= at.month)
    elif which in ("next", "coming"):
        year = at.year + (number <= at.month)
    elif which == "this":
        year = at.year
    else:
        options: list[Span | None] = [periods.month_of(at, at.year + n, number) for n in (-1, 0, 1)]
        span = _nearest(options, scene, match)
        return (span, "month") if span else None
    return periods.month_of(at, year, number), "month"


def year_word(match: re.Match[str], scene: Scene) -> Found:
    """`in 2019`."""
    return periods.year_span(scene.at, int(match["year"])), "year"


def decade(match: re.Match[str], scene: Scene) -> Found:
    """`the 90s`, `the early 1980s`."""
    year = int(match["decade"])
    if year < 100:
        year += 2000 if year <= scene.at.year % 100 else 1900
    part = match["part"]
    start = year + {"early": 0, "mid": 3, "late": 6}.get(part or "", 0)
    return periods.year_span(scene.at, start, 4 if part else 10), "decade"


def season(match: re.Match[str], scene: Scene) -> Found:
    """`last summer`, `winter 2021`."""
    name, at, year = match["season"], scene.at, _year(match)
    if scene.capital(match, "season") and scene.text[match.end() :].lstrip()[:1].isupper():
        return None  # the Spring Fling Market
    if year:
        return periods.season(at, year, name), "season"
    options = [periods.season(at, at.year + n, name) for n in (-2, -1, 0, 1)]
    which = match.groupdict().get("which") or ""
    if which in ("last", "past", "this past", "previous"):
        return [span for span in options if span[1] <= at][-1], "season"
    if which in ("next", "coming", "upcoming", "this coming"):
        return next(span for span in options if span[0] > at), "season"
    if which == "this":
        return min(options, key=lambda span: abs((span[0] - at).days - 45)), "season"
    span = _nearest(list(options), scene, match)
    return (span, "season") if span else None


def quarter(match: re.Match[str], scene: Scene) -> Found:
    """`Q3 2024`, `last quarter`."""
    at, year = scene.at, _year(match)
    name = match.groupdict().get("q")
    if name:
        number = ORDINALS.get(name) or int(name)
        return periods.quarter(at, year or at.year, number), "quarter"
    shift = {"last": -1, "previous": -1, "next": 1}.get(match["which"], 0)
    index = at.year * 4 + (at.month - 1) // 3 + shift
    return periods.quarter(at, index // 4, index % 4 + 1), "quarter"


_FIXED_DAYS = {
    "today": 0, "tonight": 0, "yesterday": -1, "tomorrow": 1, "last night": -1,
    "the day before yesterday": -2, "the day after tomorrow": 2,
    "this morning": 0, "this afternoon": 0, "this evening": 0, "the other day": -3,
}  # fmt: skip


def fixed_day(match: re.Match[str], scene: Scene) -> Found:
    """`yesterday`, `this morning`."""
    word = re.split(r" (?=morning|afternoon|evening|night)", match["word"])[0]
    shift = _FIXED_DAYS.get(match["word"], _FIXED_DAYS.get(word, 0))
    if match["word"] == "the other day":
        return periods.day(scene.at, -7, 7), "about"
    return periods.day(scene.at, shift), "day"


def weekday(match: re.Match[str], scene: Scene) -> Found:
    """`next Friday` is that of next week, `last Friday` the most recent one before today."""
    name = match["weekday"].rstrip(".")
    which = match.groupdict().get("which") or ""
    if len(name) < 6 and not scene.capital(match, "weekday"):
        return None
    delta = DAYS[name] - scene.at.weekday()
    week = match.groupdict().get("week") or ""
    if week:
        shift = {"last": -7, "next": 7}.get(week, 0)
        return periods.day(scene.at, delta + shift), "day"
    if which == "next":
        return periods.day(scene.at, delta + 7), "day"
    past = which in ("last", "past", "this past", "previous")
    if past or (not which and scene.direction(match) < 0):
        return periods.day(scene.at, delta - 7 if delta >= 0 else delta), "day"
    return periods.day(scene.at, delta if delta >= 0 else delta + 7), "day"


def named_unit(match: re.Match[str], scene: Scene) -> Found:
    """`last week`, `this month`, `next year`, `this weekend`."""
    which, unit, at = match["which"], match["unit"], scene.at
    shift = {"last": -1, "past": -1, "previous": -1, "this past": -1, "next": 1, "coming": 1,
             "upcoming": 1, "this coming": 1}.get(which, 0)  # fmt: skip
    if unit == "week":
        return periods.week(at, shift), "week"
    if unit == "weekend":
        shift = -1 if shift == -1 and at.weekday() < 5 else shift
        return periods.weekend(at, shift), "weekend"
    if unit == "month":
        return periods.month(at, shift), "month"
    if unit == "year":
        return periods.year_span(at, at.year + shift), "year"
    if unit == "decade":
        return periods.year_span(at, at.year // 10 * 10 + 10 * shift, 10), "decade"
    return None


_UNIT_DAYS = {"day": 1, "night": 1, "week": 7, "weekend": 7, "fortnight": 14}


def _number(word: str) -> int:
    word = word.removeprefix("a ") if word not in ("a", "an") else word
    return int(word) if word.isdigit() else NUMBERS[word]


def _moved(count: int, unit: str, scene: Scene, *, loose: bool) -> Found:
    """The time `count` units away: a day for days, the days around for weeks, else the calendar."""
    at = scene.at
    if unit in ("minute", "hour"):
        moment = at + timedelta(**{unit + "s": count})
        return (moment, moment + timedelta(**{unit + "s": 1})), unit
    if unit in ("day", "night"):
        return (periods.day(at, count - 1, 3), "about") if loose else (periods.day(at, count), "day")
    if unit in _UNIT_DAYS:
        slack = 7 if loose else 3
        return periods.day(at, count * _UNIT_DAYS[unit] - slack, 2 * slack + 1), "about"
    if unit == "month":
        return periods.month(at, count - loose, 3 if loose else 1), "about" if loose else "month"
    years = count * (10 if unit == "decade" else 1)
    if not periods.in_reach(at.year + years - 1):
        return None
    length = 3 if loose else 1
    return periods.year_span(at, at.year + years - loose, length), "about" if loose else "year"


def ago(match: re.Match[str], scene: Scene) -> Found:
    """`two weeks ago`."""
    return _away(match, scene, -1)


def ahead(match: re.Match[str], scene: Scene) -> Found:
    """`in 3 days`, `a year from now`."""
    if match["lead"] == "in" and scene.direction(match) < 0:
        return None  # "I wrote it in 3 days" is a duration
    return _away(match, scene, 1)


def _away(match: re.Match[str], scene: Scene, sign: int) -> Found:
    word, unit = match["count"], match["unit"]
    if word == "half a":
        half = {"year": ("month", 6), "decade": ("year", 5), "hour": ("minute", 30)}.get(unit)
        return _moved(sign * half[1], half[0], scene, loose=False) if half else None
    return _moved(sign * _number(word), unit, scene, loose="few" in word or word == "several")


def stretch(match: re.Match[str], scene: Scene) -> Found:
    """`the past two weeks`, `the next few days`: a stretch that touches now."""
    sign = 1 if match["which"] in ("next", "coming") else -1
    count, unit, at = _number(match["count"]), match["unit"], scene.at
    if unit in ("minute", "hour"):
        edge = at + sign * timedelta(**{unit + "s": count})
    elif unit in _UNIT_DAYS:
        edge = periods.midnight(at) + sign * timedelta(days=count * _UNIT_DAYS[unit] + (sign > 0))
    else:
        months = count * {"month": 1, "year": 12, "decade": 120}[unit]
        if not periods.in_reach(at.year + sign * (months // 12 + 1)):
            return None
        start = periods.month(at, sign * months)[0]
        edge = start + timedelta(days=min(at.day, 28) - 1)
    return ((edge, at) if sign < 0 else (at, edge)), "range"


def week_of(match: re.Match[str], scene: Scene) -> Found:
    """`the week of May 5`."""
    inner = month_day(match, scene)
    return (periods.week(inner[0][0]), "week") if inner else None


def edge(match: re.Match[str], scene: Scene) -> Found:
    """`the end of the month`, `early next year`: the named third of a period."""
    shift = {"last": -1, "next": 1}.get(match["which2"] or "", 0)
    at = scene.at
    if match["unit"] == "week":
        start, end = periods.week(at, shift)
    elif match["unit"] == "month":
        start, end = periods.month(at, shift)
    else:
        start, end = periods.year_span(at, at.year + shift)
    third = timedelta(days=round((end - start).days / 3))
    part = match["part"]
    if part.startswith(("end", "late")):
        return (end - third, end), "about"
    return ((start, start + third), "about") if part[0] in "be" else ((start + third, end - third), "about")


def holiday(match: re.Match[str], scene: Scene) -> Found:
    """`last Christmas`, `Halloween 2022`."""
    number, monthday = HOLIDAYS[match["holiday"]]
    at, which, year = scene.at, match["which"] or "", _year(match)
    options = [periods.day_of(at, at.year + n, number, monthday) for n in (-1, 0, 1)]
    spans = [span for span in options if span]
    if year:
        span = periods.day_of(at, year, number, monthday)
    elif which == "last":
        span = [s for s in spans if s[1] <= at][-1]
    elif which == "next":
        span = next(s for s in spans if s[0] > at)
    else:
        span = _nearest(options, scene, match)
    return (span, "day") if span else None


def day_in_month(match: re.Match[str], scene: Scene) -> Found:
    """`on the 5th`."""
    monthday = _day_number(match["day"])
    starts = [periods.month(scene.at, n)[0] for n in (-1, 0, 1)]
    options = [periods.day_of(scene.at, s.year, s.month, monthday) for s in starts]
    span = _nearest(options, scene, match)
    return (span, "day") if span else None

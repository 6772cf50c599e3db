"""Dates in English text, resolved against the time of the message that holds them.

`resolve` answers with spans of time, because "last March" is a month and "this weekend" two days.
A date without a year takes the occurrence its sentence points to (past or future tense), else the
nearest. Words that are often no dates ("may", "march", "second", "sun", "fall") count only where
their neighbours make them one. Times of day are not kept: a day is the finest grain but for
"an hour ago".
"""

import re
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from recollect.text import date_readings as read
from recollect.text import periods
from recollect.text.date_readings import Handler, Scene
from recollect.text.date_words import (
    COUNT,
    DAY,
    DAY2,
    DAYS,
    HOLIDAYS,
    LONG_MONTH,
    MONTH,
    MONTHS,
    SEASON,
    SHORT_DAY,
    TAIL,
    UNIT,
    UNIT_WORDS,
    WEEKDAY,
    WHICH,
    YEAR,
)


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """A stretch of time named in a text; `end` is excluded, `position` is where `text` begins."""

    start: datetime
    end: datetime
    text: str
    kind: str
    position: int


_WORD = re.compile(r"[a-z][a-z'0-9]*")


def resolve(text: str, at: datetime) -> list[TimeSpan]:
    """The dates named in a text, in order, without overlaps; the longest reading wins."""
    if not periods.in_reach(at.year):
        return []
    low = _lowered(text)
    present = set(_WORD.findall(low))
    if any(c.isdigit() for c in text):
        present.add("#")
    scene = Scene(text, low, at)
    found: list[TimeSpan] = []
    for pattern, handler, needs in _RULES:
        if needs.isdisjoint(present):
            continue
        for match in _compiled(pattern).finditer(low):
            reading = handler(match, scene)
            if reading is not None:
                (start, end), kind = reading
                found.append(TimeSpan(start, end, text[match.start() : match.end()], kind, match.start()))
    return _without_overlaps(found)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _lowered(text: str) -> str:
    """Lower case of exactly the same length, so that places stay places."""
    low = text.replace("’", "'").lower()
    return low if len(low) == len(text) else "".join(c.lower()[0] for c in text)


def _without_overlaps(found: list[TimeSpan]) -> list[TimeSpan]:
    kept: list[TimeSpan] = []
    taken: set[int] = set()
    for span in sorted(found, key=lambda s: (-len(s.text), s.position)):
        places = range(span.position, span.position + len(span.text))
        if taken.isdisjoint(places):
            kept.append(span)
            taken.update(places)
    return sorted(kept, key=lambda s: s.position)


_SINCE = "in|since|from|by|until|till|during|of|around|before|after|early|mid|late"
_M, _W = " ".join(MONTHS), " ".join(DAYS)
_S = "spring summer autumn fall winter"
_Q = "quarter q1 q2 q3 q4"
_F = "yesterday tomorrow today tonight night morning afternoon evening other"
_U = " ".join(f"{u} {u}s" for u in UNIT_WORDS)
_H = "new valentine's halloween christmas boxing july"
_TABLE: list[tuple[str, Handler, str]] = [
    (
        r"\b(?P<y>(?:1[89]|20|21)\d\d)[-/](?P<m>\d\d?)(?:[-/](?P<d>\d\d?))?(?:t[\d:.]{4,12}z?)?"
        r"(?![\d/-])",
        read.iso_day,
        "#",
    ),
    (
        r"(?<![\d/.])(?P<a>\d\d?)(?P<sep>[/.])(?P<b>\d\d?)(?P=sep)(?P<y>\d{4}|\d\d)"
        r"(?![\d/.]\d)\b",
        read.slashed,
        "#",
    ),
    (rf"\b{MONTH}\s+(?:the )?{DAY}(?:\s?(?:-|–|to)\s?{DAY2})?{TAIL}(?![\d:])", read.month_day, _M),
    (rf"\b(?:the )?{DAY}(?:\s?(?:-|–|to)\s?{DAY2})?\s+(?:of )?{MONTH}{TAIL}", read.month_day, _M),
    (rf"\b{MONTH}(?:,| of)?\s+{YEAR}", read.month_year, _M),
    (
        rf"\b(?P<lead>last|next|this|coming|every|{_SINCE})[ -](?:early |mid |late |mid-)?"
        rf"{LONG_MONTH}",
        read.month_word,
        _M,
    ),
    (rf"\b(?:{_SINCE}|year|back in)[ -]{YEAR}(?![-/]\d)", read.year_word, "#"),
    (
        r"\b(?:the |in |my )+(?:(?P<part>early|mid|late)[ -](?:the )?)?"
        r"'?(?P<decade>(?:1[89]|20)?\d0) ?s\b",
        read.decade,
        "#",
    ),
    (
        rf"\b(?:{WHICH}|in the|in|over the|during the|the|early|late)\s{SEASON}"
        rf"(?:(?: of)? {YEAR})?(?! (?:in|for|apart|asleep|off|over)\b)",
        read.season,
        _S,
    ),
    (rf"\b{SEASON}(?: of)? {YEAR}", read.season, _S),
    (rf"\bq(?P<q>[1-4])(?:(?: of|,)?\s*{YEAR})?\b", read.quarter, _Q),
    (rf"\b(?:the )?(?P<q>first|second|third|fourth) quarter(?: of {YEAR})?\b", read.quarter, _Q),
    (r"\b(?P<which>last|this|next|previous) quarter\b", read.quarter, _Q),
    (
        r"\b(?P<word>the day before yesterday|the day after tomorrow|the other day|last night|"
        r"this (?:morning|afternoon|evening)|today|tonight|"
        r"(?:yesterday|tomorrow)(?: (?:morning|afternoon|evening|night))?)\b",
        read.fixed_day,
        _F,
    ),
    (
        rf"(?<!every )(?<!each )\b(?:{WHICH} |on |by |until |since )?{WEEKDAY}"
        r"(?: (?P<week>last|this|next) week)?\b(?!s)",
        read.weekday,
        _W,
    ),
    (rf"\b{WHICH} {SHORT_DAY}(?!\w)", read.weekday, _W),
    (
        rf"\b(?:the )?{WHICH} (?P<unit>week|weekend|month|year|decade)\b(?! and a)",
        read.named_unit,
        _U,
    ),
    (rf"\b(?:about |around |over |almost |nearly )?{COUNT} {UNIT} ago\b", read.ago, "ago"),
    (rf"\b(?P<lead>in) (?:about |around )?{COUNT} {UNIT}(?:' time)?", read.ahead, _U),
    (rf"\b(?P<lead>){COUNT} {UNIT} from (?:now|today)\b", read.ahead, _U),
    (rf"\b(?:the )?(?P<which>past|last|next|coming) {COUNT} {UNIT}", read.stretch, _U),
    (rf"\bthe week of (?:{MONTH} {DAY}){TAIL}", read.week_of, "week"),
    (
        r"\b(?:the )?(?P<part>end of|late|early|beginning of|middle of) "
        r"(?:the |(?P<which2>last|this|next) )(?P<unit>week|month|year)\b",
        read.edge,
        _U,
    ),
    (
        rf"\b(?:(?P<which>last|this|next) )?(?P<holiday>{'|'.join(HOLIDAYS)})\b(?: {YEAR})?",
        read.holiday,
        _H,
    ),
    (
        r"\bon the (?P<day>\d{1,2})(?:st|nd|rd|th)\b(?! (?:floor|street|avenue|century|of))",
        read.day_in_month,
        "#",
    ),
]
_RULES = [(pattern, handler, frozenset(needs.split())) for pattern, handler, needs in _TABLE]
"""Each pattern is compiled and tried only for texts that hold a word it needs ("#": any digit)."""

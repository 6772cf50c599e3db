"""The words dates are made of, and the pattern pieces that recognise them in lower-case text."""

MONTHS = {
    name: index
    for index, names in enumerate(
        "january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|"
        "september sept sep|october oct|november nov|december dec".split("|"),
        start=1,
    )
    for name in names.split()
}
DAYS = {
    name: index
    for index, names in enumerate(
        "monday mon|tuesday tues tue|wednesday wed|thursday thurs thur thu|friday fri|"
        "saturday sat|sunday sun".split("|")
    )
    for name in names.split()
}
NUMBERS = {
    word: number
    for number, words in enumerate(
        "zero|one a an|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve".split("|")
    )
    for word in words.split()
} | {"couple": 2, "couple of": 2, "few": 3, "several": 4, "half a": 0}
ORDINALS = {
    word: index
    for index, word in enumerate(
        """first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth
        thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth
        twentieth""".split(),
        start=1,
    )
}
HOLIDAYS = {
    "new year's eve": (12, 31), "new year's day": (1, 1), "valentine's day": (2, 14),
    "halloween": (10, 31), "christmas eve": (12, 24), "christmas day": (12, 25),
    "christmas": (12, 25), "boxing day": (12, 26), "4th of july": (7, 4),
    "fourth of july": (7, 4),
}  # fmt: skip

MONTH = "(?P<month>" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")\b\.?"
LONG_MONTH = "(?P<month>" + "|".join(m for m in MONTHS if len(m) > 4 or m in ("may", "june", "july")) + r")\b"
DAY = r"(?P<day>\d{1,2}|" + "|".join(ORDINALS) + r")(?:st|nd|rd|th)?\b"
DAY2 = r"(?P<day2>\d{1,2})(?:st|nd|rd|th)?\b"
YEAR = r"(?P<year>(?:1[89]|20|21)\d\d)\b"
WEEKDAY = r"(?P<weekday>monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
SHORT_DAY = "(?P<weekday>" + "|".join(sorted(DAYS, key=len, reverse=True)) + r")\b\.?"
COUNT = (
    r"(?P<count>\d{1,3}|half a|(?:a )?couple(?: of)?|(?:a )?few|several|an?|"
    + "|".join(
        w for w in NUMBERS if len(w) > 2 and " " not in w and w not in ("couple", "few", "several", "zero")
    )
    + ")"
)
UNIT_WORDS = (
    "minute",
    "hour",
    "day",
    "night",
    "week",
    "weekend",
    "fortnight",
    "month",
    "year",
    "decade",
)
UNIT = "(?P<unit>" + "|".join(UNIT_WORDS) + r")s?\b"
SEASON = r"(?P<season>spring|summer|autumn|fall|winter)\b"
WHICH = r"(?P<which>last|this past|past|previous|this coming|this|next|coming|upcoming)"
TAIL = rf"(?:(?:,? of|,)?\s+{YEAR})?"

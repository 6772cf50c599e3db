"""Dates against the time of the message; Friday 20 January 2023, 16:04 UTC unless said."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.dates import resolve

AT = datetime(2023, 1, 20, 16, 4, tzinfo=UTC)


def spans(text: str, at: datetime = AT) -> list[tuple[str, str, str]]:
    found = resolve(text, at)
    return [(s.start.date().isoformat(), s.end.date().isoformat(), s.kind) for s in found]


@pytest.mark.parametrize(
    ("text", "start", "end", "kind"),
    [
        ("due 2023-05-07", "2023-05-07", "2023-05-08", "day"),
        ("at 2023-05-07T10:00:00Z", "2023-05-07", "2023-05-08", "day"),
        ("in 2023-05", "2023-05-01", "2023-06-01", "month"),
        ("born 7 May 1998", "1998-05-07", "1998-05-08", "day"),
        ("born May 7th, 1998", "1998-05-07", "1998-05-08", "day"),
        ("on the 7th of May, 1998", "1998-05-07", "1998-05-08", "day"),
        ("on the second of May 1998", "1998-05-02", "1998-05-03", "day"),
        ("May 5-7, 2023", "2023-05-05", "2023-05-08", "range"),
        ("on 5/7/2023", "2023-05-07", "2023-05-08", "day"),
        ("on 25/7/2023", "2023-07-25", "2023-07-26", "day"),
        ("am 7.5.2023", "2023-05-07", "2023-05-08", "day"),
        ("We met on March 3", "2022-03-03", "2022-03-04", "day"),
        ("We will meet on March 3", "2023-03-03", "2023-03-04", "day"),
        ("in May 2021", "2021-05-01", "2021-06-01", "month"),
        ("last March", "2022-03-01", "2022-04-01", "month"),
        ("next March", "2023-03-01", "2023-04-01", "month"),
        ("I moved here in June", "2022-06-01", "2022-07-01", "month"),
        ("since 2019", "2019-01-01", "2020-01-01", "year"),
        ("back in 2019", "2019-01-01", "2020-01-01", "year"),
        ("in the early 80 s", "1980-01-01", "1984-01-01", "decade"),
        ("the 1990s", "1990-01-01", "2000-01-01", "decade"),
        ("last summer", "2022-06-01", "2022-09-01", "season"),
        ("summer of 2021", "2021-06-01", "2021-09-01", "season"),
        ("next spring", "2023-03-01", "2023-06-01", "season"),
        ("Q3 2024", "2024-07-01", "2024-10-01", "quarter"),
        ("last quarter", "2022-10-01", "2023-01-01", "quarter"),
        ("yesterday", "2023-01-19", "2023-01-20", "day"),
        ("tomorrow morning", "2023-01-21", "2023-01-22", "day"),
        ("the day after tomorrow", "2023-01-22", "2023-01-23", "day"),
        ("last night", "2023-01-19", "2023-01-20", "day"),
        ("next Friday", "2023-01-27", "2023-01-28", "day"),
        ("next Fri", "2023-01-27", "2023-01-28", "day"),
        ("last Friday", "2023-01-13", "2023-01-14", "day"),
        ("last Tuesday", "2023-01-17", "2023-01-18", "day"),
        ("We met on Monday", "2023-01-16", "2023-01-17", "day"),
        ("I'll see you Monday", "2023-01-23", "2023-01-24", "day"),
        ("We moved the launch to Monday", "2023-01-23", "2023-01-24", "day"),
        ("The audit was postponed until Tuesday", "2023-01-24", "2023-01-25", "day"),
        ("I moved to Berlin on Monday", "2023-01-16", "2023-01-17", "day"),
        ("Friday last week", "2023-01-13", "2023-01-14", "day"),
        ("last week", "2023-01-09", "2023-01-16", "week"),
        ("this weekend", "2023-01-21", "2023-01-23", "weekend"),
        ("last weekend", "2023-01-14", "2023-01-16", "weekend"),
        ("this month", "2023-01-01", "2023-02-01", "month"),
        ("last year", "2022-01-01", "2023-01-01", "year"),
        ("three days ago", "2023-01-17", "2023-01-18", "day"),
        ("two weeks ago", "2023-01-03", "2023-01-10", "about"),
        ("2 months ago", "2022-11-01", "2022-12-01", "month"),
        ("a few years ago", "2019-01-01", "2022-01-01", "about"),
        ("half a year ago", "2022-07-01", "2022-08-01", "month"),
        ("in 3 days", "2023-01-23", "2023-01-24", "day"),
        ("a year from now", "2024-01-01", "2025-01-01", "year"),
        ("the past two weeks", "2023-01-06", "2023-01-20", "range"),
        ("the week of May 5, 2023", "2023-05-01", "2023-05-08", "week"),
        ("the end of the month", "2023-01-22", "2023-02-01", "about"),
        ("last Christmas", "2022-12-25", "2022-12-26", "day"),
        ("Halloween 2021", "2021-10-31", "2021-11-01", "day"),
    ],
)
def test_reads(text: str, start: str, end: str, kind: str) -> None:
    assert spans(text) == [(start, end, kind)]


@pytest.mark.parametrize(
    "text",
    [
        "It may be late.",
        "this may work",
        "We march in step and I may go.",
        "May I ask something?",
        "give me a second",
        "on second thought",
        "The sun is out and I sat down.",
        "I fall asleep; spring water",
        "version 3.11.7 of the tool",
        "I have 2019 photos and 12 cats",
        "half of 1/2 is 1/4",
        "I wrote it in 3 days",
        "on the 5th floor",
        "April said hi to June",
        "call 555-0199",
        "every Monday at 10",
        "the Spring Fling Market",
    ],
)
def test_leaves_what_is_no_date(text: str) -> None:
    assert resolve(text, AT) == []


def test_several_dates_come_in_order_with_their_places() -> None:
    text = "I left on 3 March 2020 and came back last week."
    found = resolve(text, AT)
    assert [text[s.position : s.position + len(s.text)] for s in found] == [s.text for s in found]
    assert [s.kind for s in found] == ["day", "week"]


@given(
    st.text(alphabet="abdmyt 0123456789/-.'İß", max_size=80),
    st.datetimes(min_value=datetime(1950, 1, 1), max_value=datetime(2100, 1, 1)),
)
def test_never_fails_and_spans_run_forward(text: str, naive: datetime) -> None:
    for span in resolve(text, naive.replace(tzinfo=UTC)):
        assert span.start < span.end


@given(st.integers(min_value=0, max_value=900), st.sampled_from(["days", "weeks", "months", "years"]))
def test_ago_is_never_in_the_future(count: int, unit: str) -> None:
    for span in resolve(f"{count} {unit} ago", AT):
        assert span.start <= AT + timedelta(days=366)

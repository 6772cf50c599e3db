from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.errors import InvalidInput
from recollect.recall.query import FRAME_WEIGHT, MAX_TERMS, parse

NOW = datetime(2023, 6, 22, 12, tzinfo=UTC)


def day(year: int, month: int, number: int) -> int:
    return round(datetime(year, month, number, tzinfo=UTC).timestamp() * 1_000_000)


def test_asking_words_say_nothing_and_frame_words_little():
    query = parse("Can you remind me how many museums I visited?", now=NOW)
    weights = dict(zip(query.terms, query.weights, strict=True))
    assert weights == {"museum": 1.0, "visit": 1.0, "mani": FRAME_WEIGHT}


def test_a_query_of_frame_words_alone_still_asks():
    assert parse("the latest", now=NOW).terms == ("latest",)
    assert parse("who are you", now=NOW).terms


def test_a_time_expression_becomes_a_span_and_its_words_hardly_count():
    query = parse("What did we paint in March 2022?", now=NOW)
    assert query.spans == ((day(2022, 3, 1), day(2022, 4, 1)),)
    weights = dict(zip(query.terms, query.weights, strict=True))
    assert weights["paint"] == 1.0
    assert weights["march"] == FRAME_WEIGHT


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("What breed is my dog?", "user"),
        ("What did you suggest for dinner?", "assistant"),
        ("Can you remind me of the seventh job?", "assistant"),
        ("When did Gina open her store?", None),
        ("Which train is an express?", None),
    ],
)
def test_the_role_whose_words_answer(text, role):
    assert parse(text, now=NOW).role == role


def test_names_are_found_in_any_form():
    assert {"gina", "jon"} <= parse("Is Gina's shop near jon’s?", now=NOW).names
    assert "will" in parse("What did Will say?", now=NOW).names
    assert "will" not in parse("What will Gina say?", now=NOW).names


def test_what_kind_of_answer_is_wanted():
    assert parse("What is my current address?", now=NOW).wants_latest
    assert not parse("What is my address?", now=NOW).wants_latest
    assert parse("Where did I live previously?", now=NOW).wants_history
    assert not parse("Where do I live?", now=NOW).wants_history


@pytest.mark.parametrize(
    ("text", "keys", "mine"),
    [
        ("Where do I live?", {"location"}, True),
        ("where does Maria live these days", {"location"}, False),
        ("Where's my boss working now?", {"employer"}, False),
        ("Who does Tom work for?", {"employer"}, False),
        ("What's my job?", {"occupation"}, True),
        ("how old am i", {"age"}, True),
        ("When was Maria born, and where?", {"birthday"}, False),
        ("Where was I born?", {"birthplace"}, True),
        ("Where did I live before Lisbon?", set(), True),
        ("Where was the key?", set(), False),
        ("What did Tom do for work?", set(), False),
        ("Who lives next door?", set(), False),
    ],
)
def test_what_is_asked_of_a_person_without_naming_it(text, keys, mine):
    query = parse(text, now=NOW)
    assert (query.implied, query.about_me) == (keys, mine)


@pytest.mark.parametrize("text", ["", "   ", "\n\t"])
def test_an_empty_query_is_refused(text):
    with pytest.raises(InvalidInput, match="at least one word"):
        parse(text, now=NOW)


def test_a_huge_query_is_asked_by_its_most_repeated_words():
    filler = " ".join(f"w{number}" for number in range(20_000))
    query = parse(f"{filler} {'harbour ' * 5}", now=NOW)
    assert len(query.terms) == MAX_TERMS
    assert "harbour" in query.terms


@pytest.mark.parametrize(
    "text",
    ['"exact" OR near*', "a AND (b", "🎉🎉", "東京タワー", "'; DROP TABLE x; --", "NOT", "\0"],
)
def test_odd_queries_are_just_words(text):
    query = parse(text, now=NOW)
    assert len(query.terms) == len(query.weights)


def test_cjk_is_asked_by_bigrams():
    assert parse("東京タワー", now=NOW).terms == ("東京", "京タ", "タワ", "ワー")


@given(st.text(max_size=300))
def test_any_text_parses_or_is_refused(text):
    if not text.strip():
        return
    query = parse(text, now=NOW)
    assert len(set(query.terms)) == len(query.terms) <= MAX_TERMS
    assert all(start < end for start, end in query.spans)

"""What may be let go for another statement, and what may not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.sameness import alikeness, reading, says_the_same


def same(a: str, b: str) -> bool:
    forth, back = (says_the_same(reading(x), reading(y)) for x, y in ((a, b), (b, a)))
    assert forth == back, "it does not matter which one comes first"
    return forth


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Alex prefers dark mode in all editors", "Alex prefers dark mode in all his editors."),
        ("The user likes hiking in the mountains", "The user enjoys hiking in mountains"),
        ("We use PostgreSQL for storage", "We are using PostgreSQL as the storage"),
        ("Dark mode is what Alex likes", "Alex likes dark mode"),
        ("Deploys run at night", "Our deploy runs at night"),
        ("Alice bought a house in Lisbon", "Alice purchased a house in Lisbon"),
        ("Sam has two kids and a dog", "Sam has 2 children and a dog"),
        (
            "Alice likes long walks with her dog Rex by the river",
            "Alice likes long walks with her dog Rex by the river at night",
        ),
        ("I really like espresso", "I like espresso"),
    ],
)
def test_the_same_said_twice(a: str, b: str) -> None:
    assert same(a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The machine has an RTX 4080", "The machine has an RTX 4090"),
        ("It runs on the M1 chip", "It runs on the M2 chip"),
        ("Alex does drink coffee", "Alex does not drink coffee"),
        ("Alex drinks coffee", "Alex never drinks coffee"),
        ("The launch is on March 3", "The launch is on March 4"),
        ("The launch is in March", "The launch is in April"),
        ("The standup is on Monday", "The standup is on Tuesday"),
        ("Alice lives in Berlin", "Bob lives in Berlin"),
        ("James lives in Berlin", "Peter lives in Berlin"),
        ("Alice loves Bob", "Bob loves Alice"),
        ("Run the tests before the deploy", "Run the deploy before the tests"),
        ("The train goes from Rome to Milan", "The train goes from Milan to Rome"),
        ("Alex likes tea in the morning", "Alex likes coffee in the morning"),
        ("Alex drinks milk with every breakfast", "Alex drinks oat milk with every breakfast"),
        ("Alex eats meat on most days of the week", "Alex eats meat substitutes on most days of the week"),
        ("Alex works at the bakery in town", "Alex works at the bakery in town until June"),
        ("Alex plays the piano in the evening", "Alex used to play the piano in the evening"),
        ("Alex has a dog", "Alex wants a dog"),
        ("The meeting is at 3 pm", "The meeting is at 3 am"),
        ("The build takes 5 minutes", "The build takes 5 seconds"),
        ("The office is open", "The office is open if somebody is there"),
        ("Alex paid 5 euros", "Alex paid 5.5 euros"),
        ("", ""),
        ("the", "a"),
    ],
)
def test_what_is_not_the_same(a: str, b: str) -> None:
    assert not same(a, b)


@given(
    st.lists(st.sampled_from("tea coffee Alice Bob 3 4 not drinks likes in the morning".split()), max_size=8)
)
def test_a_statement_says_the_same_as_itself_in_any_case(spoken: list[str]) -> None:
    text = " ".join(spoken)
    one = reading(text)
    assert says_the_same(one, reading(text + ".")) == bool(one.telling)
    assert alikeness(one, one) == float(bool(one.telling))


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_can_be_compared(a: str, b: str) -> None:
    assert same(a, b) in (True, False)
    assert 0.0 <= alikeness(reading(a), reading(b)) <= 1.0

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.similarity import containment, differs_in_substance, negated, numbers, overlap


@pytest.mark.parametrize(
    ("a", "b", "differs"),
    [
        ("User lives in Berlin", "User lives in Paris", True),
        ("User likes tea", "User doesn't like tea", True),
        ("User likes green tea", "User really likes green teas", False),
        ("User has two cats", "User has 3 cats", True),
        ("User has two cats", "User has 2 cats", False),
        ("The release is on Monday", "The release is on Tuesday", True),
        ("We use PostgreSQL", "we use postgresql", False),
        ("User never eats meat", "User does not eat meat", False),
    ],
)
def test_what_matters(a: str, b: str, differs: bool) -> None:
    assert differs_in_substance(a, b) is differs
    assert differs_in_substance(b, a) is differs


def test_overlap_and_containment_look_at_stems() -> None:
    assert overlap("User enjoys hiking", "The user enjoyed hikes") == 1.0
    assert containment("likes tea", "User likes green tea") == 1.0
    assert containment("likes coffee", "User likes green tea") == 0.5


def test_two_denials_cancel() -> None:
    assert negated("I don't hate it") is False
    assert negated("I don’t smoke") is True


def test_numbers_are_read_in_words_too() -> None:
    assert numbers("three cats and 4.5 dogs") == {"3", "4.5"}


@given(st.text(max_size=80), st.text(max_size=80))
def test_overlap_is_symmetric_and_bounded(a: str, b: str) -> None:
    assert overlap(a, b) == overlap(b, a)
    assert 0.0 <= overlap(a, b) <= 1.0
    assert differs_in_substance(a, b) == differs_in_substance(b, a)
    assert not differs_in_substance(a, a)

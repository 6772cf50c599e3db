"""Terms: the same for stored texts and for queries."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.terms import MAX_TERM, query_terms, terms, words


def test_words_become_stems() -> None:
    assert terms("Running runners ran; the RUN's over!") == ["run", "runner", "ran", "the", "run", "over"]
    assert terms("don't can’t O'Neill") == ["dont", "cant", "oneil"]


def test_other_scripts() -> None:
    assert terms("Köln CAFÉ ﬁne") == ["köln", "café", "fine"]
    assert terms("你好世界") == ["你好", "好世", "世界"]
    assert terms("東 tokyo") == ["東", "tokyo"]
    assert terms("🎉 👍🏽") == []


def test_queries_drop_what_tells_nothing_unless_it_is_all() -> None:
    assert query_terms("What is the name of my cat?") == ["name", "cat"]
    assert query_terms("who are you") == ["who", "are", "you"]
    assert query_terms("cat CAT cats") == ["cat"]
    assert query_terms("") == []


def test_long_runs_are_cut() -> None:
    assert [len(term) for term in terms("x" * 10_000)] == [MAX_TERM]


@given(st.text())
def test_any_text_gives_storable_terms(text: str) -> None:
    for term in terms(text):
        assert term
        assert not any(c.isspace() or c in "\"'\0" for c in term)


@given(st.text(st.characters(max_codepoint=127)))
def test_the_fast_path_agrees_with_the_slow_one(text: str) -> None:
    assert terms(text) == terms(text + " é")[:-1]


@pytest.mark.parametrize("text", ["a b", "Hello, World"])
def test_words_are_lower_case(text: str) -> None:
    assert all(word == word.lower() for word in words(text))

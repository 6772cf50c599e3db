import pytest

from recollect.text.lexicon import are_opposite, base, is_kind_of


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("women", "woman"),
        ("running", "run"),
        ("hoped", "hope"),
        ("hopping", "hop"),
        ("stories", "story"),
        ("dresses", "dress"),
        ("smoking", "smoke"),
        ("bus", "bus"),
        ("kubernetes", "kubernetes"),
    ],
)
def test_words_have_a_base_form(word: str, expected: str) -> None:
    assert base(word) == expected


def test_kinds_go_one_way() -> None:
    assert is_kind_of("dog", "animal")
    assert not is_kind_of("animal", "dog")
    assert is_kind_of("hug", "embrace")
    assert is_kind_of("kubernetes", "kubernetes")
    assert not is_kind_of("kubernetes", "docker")


@pytest.mark.parametrize(
    ("a", "b"), [("hot", "cold"), ("huge", "small"), ("asleep", "awake"), ("enable", "disable")]
)
def test_opposites_go_both_ways(a: str, b: str) -> None:
    assert are_opposite(a, b)
    assert are_opposite(b, a)
    assert not are_opposite(a, a)


def test_what_a_verb_is_a_kind_of_makes_no_opposite() -> None:
    assert not are_opposite("lose", "store")

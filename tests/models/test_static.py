import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.errors import SettingsError
from recollect.models.registry import LIGHT_EMBEDDER, embedder

MODEL = embedder(LIGHT_EMBEDDER)


def test_it_says_what_it_is() -> None:
    assert MODEL.name == "static:recollect-256"
    assert MODEL.dim == 256
    assert MODEL.embed(["a cat"]).shape == (1, 256)
    assert MODEL.embed([]).shape == (0, 256)
    assert MODEL.embed(["a cat"]).dtype == np.float32
    assert embedder(LIGHT_EMBEDDER) is MODEL, "one table per process"


@pytest.mark.parametrize(
    ("query", "near", "far"),
    [
        (
            "Where did she go on vacation?",
            "We travelled to Greece last summer.",
            "The server needs more memory.",
        ),
        ("What pet does he have?", "My dog is called Rex.", "I started a new job in March."),
        ("database outage", "PostgreSQL crashed in production.", "They painted the kitchen yellow."),
        ("allergies", "I must not eat peanuts, they make me ill.", "The train leaves at nine."),
    ],
)
def test_meaning_is_nearer_than_nothing_in_common(query: str, near: str, far: str) -> None:
    asked, good, bad = MODEL.embed([query, near, far])
    assert asked @ good > asked @ bad


@given(st.lists(st.text(max_size=60), max_size=5))
def test_rows_have_length_one_or_zero_and_do_not_depend_on_each_other(texts: list[str]) -> None:
    vectors = MODEL.embed(texts)
    lengths = np.linalg.norm(vectors, axis=1)
    assert np.all((np.abs(lengths - 1) < 1e-5) | (lengths == 0))
    for text, vector in zip(texts, vectors, strict=True):
        assert np.array_equal(MODEL.embed([text])[0], vector)
        assert np.array_equal(MODEL.embed([text], query=True)[0], vector)


@pytest.mark.parametrize("text", ["", "   ", "\n", "\ud800", "☃" * 3])
def test_a_text_without_known_words_gives_zeros(text: str) -> None:
    assert not MODEL.embed([text]).any()


def test_an_unknown_table() -> None:
    with pytest.raises(SettingsError, match="Bundled: recollect-256"):
        embedder("static:other")

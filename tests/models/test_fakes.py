import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.models.fakes import FakeReranker, HashEmbedder, WordTokenizer


def test_texts_that_share_words_are_alike() -> None:
    model = HashEmbedder(dim=64)
    assert (model.name, model.dim) == ("fake:hash-64", 64)
    cat, cats, dog = model.embed(["the black cat sleeps", "black cats sleeping", "a dog barks loudly"])
    assert cat @ cats > 0.7
    assert abs(cat @ dog) < 0.4


@given(st.lists(st.text(max_size=30), max_size=4))
def test_rows_have_length_one_or_zero(texts: list[str]) -> None:
    lengths = np.linalg.norm(HashEmbedder().embed(texts), axis=1)
    assert np.all((np.abs(lengths - 1) < 1e-5) | (lengths == 0))


def test_the_same_in_every_process() -> None:
    row = HashEmbedder(dim=8).embed(["one two three"])[0]
    np.testing.assert_allclose(row * np.sqrt(3), [0, 1, 0, 0, 1, 0, 0, -1], atol=1e-6)


def test_the_reranker_counts_shared_words() -> None:
    scores = FakeReranker().score("black cat", ["a black cat", "cats", "dogs"])
    assert scores == [1.0, 0.5, 0.0]
    assert FakeReranker().score("", ["x"]) == [0.0]


@pytest.mark.parametrize(("text", "words"), [("", 0), ("one", 1), (" one\ntwo  three ", 3)])
def test_the_tokenizer_counts_words(text: str, words: int) -> None:
    assert WordTokenizer().count(text) == words

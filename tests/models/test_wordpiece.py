import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.errors import ModelMissing
from recollect.models.onnx import BGE_SMALL
from recollect.models.wordpiece import WordPiece

VOCABULARY = ["un", "##aff", "##able", "aff", "a", "##b", "!", "漢", "caf", "##e", "don", "'", "t", "i"]


def pieces(text: str) -> list[str]:
    return [VOCABULARY[index] for index in WordPiece(VOCABULARY).ids(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("unaffable", ["un", "##aff", "##able"]),
        ("UNAFFABLE!", ["un", "##aff", "##able", "!"]),
        ("ab zzz aff", ["a", "##b", "aff"]),
        ("don't", ["don", "'", "t"]),
        ("Café", ["caf", "##e"]),
        ("a漢a", ["a", "漢", "a"]),
        ("a\tb\x00b a", ["a", "a"]),
        ("a" * 101, []),
        ("“a”", ["a"]),
        ("İ", ["i"]),
    ],
)
def test_words_fall_into_the_longest_pieces(text: str, expected: list[str]) -> None:
    assert pieces(text) == expected


@given(st.text())
def test_the_second_time_is_like_the_first(text: str) -> None:
    splitter = WordPiece(VOCABULARY)
    assert splitter.ids(text) == splitter.ids(text)


@pytest.fixture(scope="module")
def reference():
    """The tokenizer that the weights' makers published, and ours with the same vocabulary."""
    tokenizers = pytest.importorskip("tokenizers")
    try:
        folder = BGE_SMALL.locate()
    except ModelMissing as error:
        pytest.skip(str(error))
    theirs = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    vocabulary = sorted(theirs.get_vocab(), key=theirs.get_vocab().__getitem__)
    return theirs, WordPiece(vocabulary)


COMMON = st.text(st.characters(max_codepoint=0x2FF) | st.sampled_from("aeiou  .,'-日本漢字ひらカナ“”–…é한국"))


@given(text=COMMON)
def test_it_agrees_with_the_published_tokenizer(reference, text: str) -> None:
    theirs, ours = reference
    assert ours.ids(text) == theirs.encode(text, add_special_tokens=False).ids


def test_a_text_cannot_spell_the_marks_of_the_model(reference) -> None:
    _, ours = reference
    assert not {100, 101, 102, 103} & set(ours.ids("[UNK] [CLS] [SEP] [MASK]"))

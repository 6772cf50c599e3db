"""Documents as passages: nothing is lost, nothing is too long, headings stay with what is below them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect import InvalidInput
from recollect.files.passages import LONGEST, TARGET, passages, text_in


@given(st.lists(st.text("ab .!\n#", max_size=400), max_size=8).map("\n\n".join))
def test_every_word_is_in_some_passage_in_order(text: str) -> None:
    found = passages(text)
    words = iter(" ".join(found).split())
    body = [word for line in text.splitlines() if not line.strip().startswith("#") for word in line.split()]
    joined = "".join(words)
    place = 0
    for word in body:
        place = joined.find(word, place)
        assert place >= 0
    assert all(0 < len(piece) <= LONGEST + TARGET + 500 for piece in found)


def test_headings_stay_with_what_stands_below_them() -> None:
    text = "# Setup\n\nInstall it.\n\nRun it.\n\n## Trouble\nRestart it.\n\n# Empty\n"
    assert passages(text) == ["Setup\n\nInstall it.\n\nRun it.", "Trouble\n\nRestart it."]


def test_long_texts_are_cut_between_sentences() -> None:
    text = " ".join(f"Sentence number {i} says something." for i in range(200))
    found = passages(text)
    assert all(len(piece) <= LONGEST and piece.endswith(".") for piece in found)
    assert " ".join(found) == text


def test_what_has_no_text_says_why() -> None:
    from pathlib import Path

    for content, why in ((b"a\0b", "NUL"), (b"caf\xe9", "UTF-8")):
        with pytest.raises(InvalidInput, match=why):
            text_in(Path("x.txt"), content)
    with pytest.raises(InvalidInput, match="not a PDF"):
        text_in(Path("x.pdf"), b"%PDF-1.4 nonsense")
    assert text_in(Path("x.md"), b"\xef\xbb\xbfhello") == "hello"

"""Sentence splitting on the texts that usually break it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.sentences import sentences, split


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I moved. I like it!", ["I moved.", "I like it!"]),
        ("Dr. Smith met Mr. Lee at 5 p.m. today.", ["Dr. Smith met Mr. Lee at 5 p.m. today."]),
        ("We use Python 3.11.7. It works.", ["We use Python 3.11.7.", "It works."]),
        (
            "See https://a.example/x.html?q=1. Then go.",
            ["See https://a.example/x.html?q=1.", "Then go."],
        ),
        ("Edit src/app/main.py. Run it.", ["Edit src/app/main.py.", "Run it."]),
        ("It costs 3.50 euros. Cheap.", ["It costs 3.50 euros.", "Cheap."]),
        ("Well... maybe not. OK.", ["Well... maybe not.", "OK."]),
        ("Hmm… Then we left.", ["Hmm…", "Then we left."]),
        ("So great 🎉 We won!", ["So great 🎉", "We won!"]),
        ("We won! 🎉🎉 Now rest.", ["We won! 🎉🎉", "Now rest."]),
        ("我住在北京。你呢？很好！", ["我住在北京。", "你呢？", "很好！"]),
        ("J. R. R. Tolkien wrote it. I read it.", ["J. R. R. Tolkien wrote it.", "I read it."]),
        ("She lives in the U.S. She works there.", ["She lives in the U.S.", "She works there."]),
        ("The U.S. Army paid.", ["The U.S. Army paid."]),
        ('"Really?" she asked. "Yes."', ['"Really?" she asked.', '"Yes."']),
        ("Wait, what?! No way!", ["Wait, what?!", "No way!"]),
        ("Milk, eggs, etc. are out. Buy some.", ["Milk, eggs, etc. are out.", "Buy some."]),
        ("So do I. You too?", ["So do I.", "You too?"]),
        ("No. 5 is alive. No. I disagree.", ["No. 5 is alive.", "No.", "I disagree."]),
        ("", []),
        ("   \n\n ", []),
    ],
)
def test_splits_where_a_reader_stops(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_markdown_items_headings_and_rows_stand_alone() -> None:
    text = "# Plan\n- buy milk\n- call Bob. Then rest.\n1. First step\n2. Second step\n> quoted"
    assert sentences(text) == [
        "Plan",
        "buy milk",
        "call Bob.",
        "Then rest.",
        "First step",
        "Second step",
        "quoted",
    ]


def test_code_blocks_stay_whole_and_are_marked() -> None:
    text = "Run this:\n```python\nx = 1. \nprint(x)  # done. ok\n```\nIt works."
    found = split(text)
    assert [s.code for s in found] == [False, True, False]
    assert found[1].text.startswith("```python")
    assert found[1].text.endswith("```")


def test_an_unclosed_code_block_runs_to_the_end() -> None:
    assert [s.code for s in split("Look:\n```\nfoo. Bar")] == [False, True]


def test_wrapped_lines_are_one_sentence_and_short_lines_are_not() -> None:
    wrapped = "This is a long line that was wrapped by somebody's mail program\nand goes on here."
    assert len(sentences(wrapped)) == 1
    assert sentences("Name\nBob\nAge\n42") == ["Name", "Bob", "Age", "42"]


@given(st.text(alphabet=st.sampled_from("ab. !?…\n`#-1A。🎉\"'"), max_size=200))
def test_spans_point_into_the_text_in_order_and_lose_no_word(text: str) -> None:
    found = split(text)
    last = 0
    for sentence in found:
        assert text[sentence.start : sentence.end] == sentence.text
        assert sentence.start >= last
        assert sentence.text == sentence.text.strip() != ""
        last = sentence.end
    kept = "".join(s.text for s in found)
    assert [c for c in kept if c in "abA"] == [c for c in text if c in "abA"]

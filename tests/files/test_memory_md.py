"""memory.md as text: what is understood, and that everything else stays byte for byte."""

from datetime import date

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recollect.files.memory_md import Heading, Item, as_read, edited, items, line_of, parse, plain, text_of

PIECES = st.sampled_from(
    [
        "# Memory", "## What is", "### What happened (WIH)", "## WHAT WAS DONE ##", "# wid", "## Mine",
        "- a line", "* another [sig:4]", "+ third <!-- m:0123456789ab -->", "- 2026-03-02: it broke [sig:1]",
        "  further", "\tfurther", "- ", "prose", "", "   ", "```", "~~~~", "<!-- a comment", "-->",
        "- [sig:2]", "<!-- one line -->", "\ufeff", "- [ ] todo", "- é \udcff", "- x [sig:9]", "1. numbered",
        "- - nested",
    ]
)  # fmt: skip
ENDINGS = st.sampled_from(["\n", "\r\n", "\r", ""])
FILES = st.lists(st.tuples(PIECES, ENDINGS)).map(lambda pairs: "".join(a + b for a, b in pairs))
ANY_TEXT = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=80)
ITEMS = st.builds(
    Item,
    heading=st.sampled_from(Heading),
    text=ANY_TEXT.map(plain).filter(bool),
    significance=st.integers(1, 5),
    day=st.none() | st.dates(date(1970, 1, 1), date(2100, 1, 1)),
    ref=st.text("0123456789abcdef", min_size=12, max_size=12),
).map(as_read)

PAGE = """\ufeff# Our project\r
\r
Some prose.\r
\r
## What is\r
\r
- The API listens on port 8080 [sig:4]\r
* Uses Redis [sig:2] <!-- m:0123456789ab -->\r
\r
### Backend\r
- Written in Go\r
  with generics\r
\r
## Not ours\r
- [sig:5] nothing to see\r
```
## What is
- in a fence
```
## What happened (WIH)
- 2026-02-01: Moved to Go [SIG:3]
<!--
- in a comment
-->
"""


@given(FILES | st.text())
@example(PAGE)
def test_a_page_put_together_is_the_file_again(text: str) -> None:
    assert text_of(parse(text)) == text
    assert edited(parse(text), {}, []) == text


def test_only_list_items_under_our_headings_are_read() -> None:
    assert [item for _, item in items(parse(PAGE))] == [
        Item(heading=Heading.IS, text="The API listens on port 8080", significance=4),
        Item(heading=Heading.IS, text="Uses Redis", significance=2, ref="0123456789ab"),
        Item(heading=Heading.IS, text="Written in Go with generics"),
        Item(heading=Heading.HAPPENED, text="Moved to Go", significance=3, day=date(2026, 2, 1)),
    ]


@given(ITEMS)
def test_what_is_written_is_read_back(item: Item) -> None:
    page = parse(f"## {item.heading}\n{line_of(item)}\n")
    assert [found for _, found in items(page)] == [item]
    assert as_read(item) == item


@given(FILES, st.lists(ITEMS, unique_by=lambda item: item.ref))
def test_new_lines_leave_every_other_line_as_it_is(text: str, new: list[Item]) -> None:
    """The old file is what remains when the new lines, new headings and blank lines are taken out.

    A file that holds a byte order mark and nothing else is blank: the title comes behind the mark.
    """
    before = parse(text)
    after = edited(before, {}, new)
    kept = iter(after.splitlines())
    assert all(any(line == other for other in kept) for line in text.splitlines() if line.strip("\ufeff \t"))
    if "```" in text or "~~~" in text or "<!--" in text:
        return  # what is opened and never closed swallows what follows
    found = [item for _, item in items(parse(after))]
    assert [i for i in found if i.ref in {n.ref for n in new}] == sorted(
        new, key=lambda i: [n.ref for n in found].index(i.ref)
    )


@given(FILES, st.data())
def test_taking_lines_out_leaves_the_rest(text: str, data: st.DataObject) -> None:
    page = parse(text)
    numbers = [number for number, _ in items(page)]
    gone = data.draw(st.sets(st.sampled_from(numbers))) if numbers else set()
    left = edited(page, dict.fromkeys(gone), [])
    assert left == "".join(block.raw for n, block in enumerate(page) if n not in gone)


def test_a_new_file_has_a_title_and_the_headings_it_needs() -> None:
    new = [Item(heading=Heading.DONE, text="Shipped", significance=2, day=date(2026, 1, 2), ref="a" * 12)]
    assert edited(parse(""), {}, new) == (
        "# Memory\n\n## What was done\n\n- 2026-01-02: Shipped [sig:2] <!-- m:aaaaaaaaaaaa -->\n"
    )


@pytest.mark.parametrize(
    ("blank", "begins"),
    [("\ufeff", "\ufeff# Memory\n"), ("     ", "     \n# Memory\n"), ("\t\r", "\t\r\n# Memory\n")],
)
def test_a_blank_file_gets_a_title_that_is_one(blank: str, begins: str) -> None:
    new = [Item(heading=Heading.IS, text="Uses Go", significance=3, ref="a" * 12)]
    assert edited(parse(blank), {}, new).startswith(begins)


def test_a_heading_whose_line_is_half_ended_stays_one() -> None:
    new = [Item(heading=Heading.IS, text="Uses Go", significance=3, ref="a" * 12)]
    after = edited(parse("# Memory\r\n## What is\r"), {}, new)
    assert after == "# Memory\r\n## What is\r\n\r\n- Uses Go [sig:3] <!-- m:aaaaaaaaaaaa -->\r\n"
    assert [item for _, item in items(parse(after))] == new


def test_new_lines_keep_the_line_endings_and_the_prose_apart() -> None:
    new = [Item(heading=Heading.IS, text="Uses Go", significance=3, ref="a" * 12)]
    text = "## What is\r\nProse that stays."
    assert edited(parse(text), {}, new) == (
        "## What is\r\n\r\n- Uses Go [sig:3] <!-- m:aaaaaaaaaaaa -->\r\n\r\nProse that stays."
    )


@pytest.mark.parametrize("hostile", ["a --> b <!-- c", "x [sig:5]", "## What is\n- y", "\x00\u2028z", "- q"])
def test_no_text_breaks_out_of_its_line(hostile: str) -> None:
    item = as_read(Item(heading=Heading.IS, text=hostile, significance=1, ref="b" * 12))
    page = parse(f"## What is\n{line_of(item)}\n- next\n")
    found = [i for _, i in items(page)]
    assert [(i.significance, i.ref) for i in found] == [(1, "b" * 12), (None, None)]

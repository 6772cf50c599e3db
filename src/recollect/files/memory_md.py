"""memory.md as text: its three headings, their list items, and everything else as it stands.

Pure. A page is the file cut into blocks whose raw text, put together, is the file again byte for byte;
only list items under our headings are understood. Code fences and comments are never looked into.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from itertools import groupby


class Heading(StrEnum):
    """The three headings: how things are, what changed them, and what was finished."""

    IS = "What is"
    HAPPENED = "What happened"
    DONE = "What was done"


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One list item: what it says on one line, and what its marks say."""

    heading: Heading
    text: str
    significance: int | None = None
    day: date | None = None
    ref: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A piece of the file as it stands: an item with its indented lines, or one line of anything else."""

    raw: str
    heading: Heading | None = None
    opens: bool = False
    item: Item | None = None


Page = tuple[Block, ...]
TITLE = "# Memory"

_NAMES = {
    Heading.IS: r"what[ ]is|wis",
    Heading.HAPPENED: r"what[ ](?:is[ ])?happened|wih",
    Heading.DONE: r"what[ ](?:was|is)[ ]done|wid",
}
_TITLES = {
    heading: re.compile(rf"(?:{names})(?:\s*\(wi[shd]\))?", re.IGNORECASE)
    for heading, names in _NAMES.items()
}
_LINES = re.compile(r"[^\n]*\n|[^\n]+")
_HEADING = re.compile(r"\ufeff?[ ]{0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#*)?[ \t]*\r?\n?")
_FENCE = re.compile(r"\ufeff?[ ]{0,3}(`{3,}|~{3,})")
_BULLET = re.compile(r"\ufeff?[ ]?[-*+][ \t]+(?=\S)")
_CONTINUED = re.compile(r"(?:[ ]{2,}|\t)[ \t]*\S")
_REF = re.compile(r"<!--\s*m:([0-9a-f]{12})\s*-->")
_SIG = re.compile(r"\[sig:\s*([1-5])\s*\]", re.IGNORECASE)
_DAY = re.compile(r"(\d{4}-\d{2}-\d{2})[:,]?(?:\s+|$)")
_SPACE = re.compile(r"\s+")
_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]")
_MARKS = re.compile(r"\[(?=sig:)", re.IGNORECASE)


def parse(text: str) -> Page:
    """The file as blocks; their raw text put together is the text that was given."""
    blocks: list[Block] = []
    heading, level, closing = None, 0, ""
    for line in _LINES.findall(text):
        if closing:
            blocks.append(Block(raw=line, heading=heading))
            closing = "" if _closes(line, closing) else closing
            continue
        if blocks and blocks[-1].item is not None and _CONTINUED.match(line):
            blocks[-1] = _item_block(blocks[-1].raw + line, blocks[-1].heading)
            continue
        title = _HEADING.fullmatch(line)
        if title is None:
            closing = _opened(line)
            blocks.append(_item_block(line, None if closing else heading, heading))
            continue
        named = next((h for h, form in _TITLES.items() if form.fullmatch(title[2].strip())), None)
        depth = len(title[1])
        if named is not None or depth <= level:
            heading, level = named, depth if named else 0
        blocks.append(Block(raw=line, heading=heading, opens=named is not None))
    return tuple(blocks)


def items(page: Page) -> Iterator[tuple[int, Item]]:
    """The list items under our headings, each with the number of its block."""
    return ((number, block.item) for number, block in enumerate(page) if block.item is not None)


def text_of(page: Page) -> str:
    """The file as it stands."""
    return "".join(block.raw for block in page)


def plain(text: str) -> str:
    """A text as one line that no mark, comment or line break of its own can break out of."""
    flat = _SPACE.sub(" ", _UNSAFE.sub(" ", text)).strip()
    return _MARKS.sub("(", flat.replace("<!--", "<! --").replace("-->", "-- >"))


def line_of(item: Item) -> str:
    """An item as recollect writes it, without a line ending."""
    day = f"{item.day.isoformat()}: " if item.day else ""
    sig = f" [sig:{item.significance}]" if item.significance else ""
    ref = f" <!-- m:{item.ref} -->" if item.ref else ""
    return f"- {day}{plain(item.text)}{sig}{ref}"


def as_read(item: Item) -> Item:
    """An item as it will be read back from the line that is written for it."""
    read = _item_block(line_of(item), item.heading).item
    return read or replace(item, text=plain(item.text))


def edited(page: Page, changes: Mapping[int, Item | None], added: Sequence[Item]) -> str:
    """The file with some blocks rewritten or (None) left out, and new items under their headings."""
    ending = "\r\n" if page and page[0].raw.endswith("\r\n") else "\n"
    pieces = [block.raw for block in page]
    for number, item in changes.items():
        pieces[number] = "" if item is None else line_of(item) + _ending(page[number].raw)
    tail = ""
    for heading, group in groupby(sorted(added, key=lambda i: list(Heading).index(i.heading)), _heading_of):
        lines = [line_of(item) + ending for item in group]
        place = _place(page, heading)
        if place is None:
            tail += f"{ending}## {heading}{ending}{ending}{''.join(lines)}"
            continue
        gap = "" if _listed(page, place) else ending
        pieces[place] = _ended(pieces[place], ending) + gap + "".join(lines)
        follower = page[place + 1] if place + 1 < len(page) else None
        if follower is not None and follower.item is None and follower.raw.strip():
            pieces[place] += ending
    return _with_tail("".join(pieces), tail, ending)


def _with_tail(text: str, tail: str, ending: str) -> str:
    if not tail:
        return text
    title = "" if text.strip("\ufeff \t\r\n") else TITLE + ending
    return _ended(text, ending) + title + tail


def _ended(text: str, ending: str) -> str:
    """A text whose last line is ended; one that holds nothing but a byte order mark has none."""
    if not text.strip("\ufeff") or text.endswith("\n"):
        return text
    return text + ("\n" if text.endswith("\r") else ending)


def _heading_of(item: Item) -> Heading:
    return item.heading


def _place(page: Page, heading: Heading) -> int | None:
    """The block after which a new item of a heading stands: its last item, else the heading itself."""
    under = [number for number, block in enumerate(page) if block.heading == heading]
    listed = [number for number in under if page[number].item is not None]
    opening = [number for number in under if page[number].opens]
    return listed[-1] if listed else opening[-1] if opening else None


def _listed(page: Page, place: int) -> bool:
    return page[place].item is not None


def _item_block(raw: str, inside: Heading | None, heading: Heading | None = None) -> Block:
    """A block, understood as an item where it is one under a heading of ours."""
    bullet = _BULLET.match(raw)
    if inside is None or bullet is None:
        return Block(raw=raw, heading=inside or heading)
    said = raw[bullet.end() :]
    ref, sig = _REF.search(said), _SIG.search(said)
    said = _SPACE.sub(" ", _SIG.sub(" ", _REF.sub(" ", said))).strip()
    day, said = _dated(said)
    if not said:
        return Block(raw=raw, heading=inside)
    item = Item(
        heading=inside,
        text=said,
        significance=int(sig[1]) if sig else None,
        day=day,
        ref=ref[1] if ref else None,
    )
    return Block(raw=raw, heading=inside, item=item)


def _dated(text: str) -> tuple[date | None, str]:
    """The day a text begins with, and the rest."""
    found = _DAY.match(text)
    if found is None:
        return None, text
    try:
        return date.fromisoformat(found[1]), text[found.end() :].strip()
    except ValueError:
        return None, text


def _opened(line: str) -> str:
    """What ends the fence or comment that a line opens, if it opens one."""
    fence = _FENCE.match(line)
    if fence is not None:
        return fence[1]
    start = line.rfind("<!--")
    return "-->" if start >= 0 and "-->" not in line[start:] else ""


def _closes(line: str, closing: str) -> bool:
    if closing == "-->":
        return closing in line
    return line.strip().startswith(closing) and not line.strip().strip(closing[0])


def _ending(raw: str) -> str:
    return "\r\n" if raw.endswith("\r\n") else "\n" if raw.endswith("\n") else ""

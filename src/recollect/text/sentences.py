"""Sentences of chat, prose, Markdown and code, as spans of the original text.

A code block, a heading, a list item and a table row each stand alone; a soft-wrapped paragraph is
one run. Inside a run a full stop ends a sentence only where a reader would stop: not after an
abbreviation, an initial or a list number, and never inside a version, a decimal, a URL or a path
(those have no space after the dot). Each character is looked at a bounded number of times.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence and where it stands in its text; `code` marks a block that is no prose."""

    text: str
    start: int
    end: int
    code: bool = False


_NEVER_LAST = frozenset(
    """mr mrs ms dr prof sr jr st mt gen col capt lt sgt rev hon pres gov sen rep fr vs cf viz
    approx ca fig figs eq eqs ref refs sec vol ch pp ed eds trans dept est inc ltd corp co e.g i.e
    eg ie al resp esp incl excl tel ext min max avg jan feb mar apr jun jul aug sep sept oct nov dec
    mon tue tues wed thu thurs fri sat sun a.k.a aka w.r.t""".split()
)
_MAYBE_LAST = frozenset("etc a.m p.m u.s u.k u.n e.u u.s.a ph.d b.a m.a b.sc m.sc d.c inc ltd".split())
_BEFORE_NUMBER = frozenset("no nos p pg art nr".split())
_STARTERS = frozenset(
    """the a an i i'm i've i'll we you he she it they this that these those there here my our your
    his her their its in on at for from with by as if when while after before since so but and or
    yet then however also what who where why how which""".split()
)

_STOP = re.compile(r"(?P<dot>[.…]+)|(?P<mark>[!?‽]+[.!?…]*)|(?P<cjk>[。！？｡]+)")
_CLOSERS = "\"'”’»)]}」』）】*_`"
_EMOJI = re.compile("[\U0001f000-\U0001faff\u2600-\u27bf\u2b50\u2b55]")
_EMOJI_TAIL = "\ufe0f\u200d"
_FENCE = re.compile(r"^ {0,3}(```|~~~)")
_ALONE = re.compile(r"^\s*(?:#{1,6}\s|[-*+•–]\s+|\(?\d{1,3}[.)]\s+|>|\||(?:[-*_]\s*){3,}$)")
_MARKER = re.compile(r"\s*(?:#{1,6}\s+|[-*+•–]\s+(?:\[[ xX]\]\s+)?|\(?\d{1,3}[.)]\s+|>+\s*)")
_LONG_LINE = 60


def sentences(text: str) -> list[str]:
    """The sentences of a text in order, code blocks whole."""
    return [sentence.text for sentence in split(text)]


def split(text: str) -> list[Sentence]:
    """The sentences of a text with their places; `text[s.start:s.end] == s.text` for each."""
    found: list[Sentence] = []
    for start, end, code in _blocks(text):
        if code:
            found.extend(_trimmed(text, start, end, code=True))
            continue
        marker = _MARKER.match(text, start, end)
        begin = marker.end() if marker else start
        for low, high in _runs(text, begin, end):
            found.extend(_trimmed(text, low, high))
    return found


def _trimmed(text: str, start: int, end: int, *, code: bool = False) -> Iterator[Sentence]:
    """The span without the white space around it, if anything is left."""
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    body = piece.strip()
    if body:
        yield Sentence(body, start + left, start + left + len(body), code)


def _blocks(text: str) -> Iterator[tuple[int, int, bool]]:
    """Code blocks, lines that stand alone, and paragraphs of wrapped lines."""
    open_at: int | None = None  # start of the current paragraph
    fence: tuple[str, int] | None = None
    position = 0
    last_line = ""
    for line in text.splitlines(keepends=True):
        start, position = position, position + len(line)
        mark = _FENCE.match(line)
        if fence is not None:
            if mark and mark.group(1) == fence[0]:
                yield fence[1], position, True
                fence = None
            continue
        bare = line.strip()
        alone = bool(_ALONE.match(line))
        if open_at is not None and (mark or alone or not _continues(last_line, bare)):
            yield open_at, start, False
            open_at = None
        if mark:
            fence = (mark.group(1), start)
        elif bare and open_at is None:
            open_at = start
        last_line = bare
    if fence is not None:
        yield fence[1], len(text), True
    elif open_at is not None:
        yield open_at, len(text), False


def _continues(before: str, line: str) -> bool:
    """Whether a line goes on with the sentence of the line before it."""
    if not line or not before:
        return False
    if before[-1] in ".!?…:。！？":
        return len(before) >= _LONG_LINE
    return line[0].islower() or len(before) >= _LONG_LINE


def _runs(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The sentence spans of one paragraph."""
    begin = start
    for stop in _STOP.finditer(text, start, end):
        if stop.start() < begin:
            continue
        after = _past_closers(text, stop.end(), end)
        if stop.lastgroup == "cjk" or _ends(text, stop, after, begin, end):
            after = _past_emoji(text, after, end)
            yield from _by_emoji(text, begin, after)
            begin = after
    if begin < end:
        yield from _by_emoji(text, begin, end)


def _past_closers(text: str, at: int, end: int) -> int:
    while at < end and text[at] in _CLOSERS:
        at += 1
    return at


def _past_emoji(text: str, at: int, end: int) -> int:
    """Emoji right after the end of a sentence belong to it."""
    probe = at
    while probe < end and (text[probe] == " " or text[probe] in _EMOJI_TAIL or _EMOJI.match(text[probe])):
        probe += 1
        if text[probe - 1] != " ":
            at = probe
    return at


def _by_emoji(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Emoji between two sentences without a full stop part them ("great 🎉 We won")."""
    begin = start
    for hit in _EMOJI.finditer(text, start, end):
        at = hit.end()
        while at < end and text[at] in _EMOJI_TAIL:
            at += 1
        if at + 1 < end and text[at] == " " and text[at + 1].isupper() and at > begin:
            yield begin, at
            begin = at
    if begin < end:
        yield begin, end


def _ends(text: str, stop: re.Match[str], after: int, begin: int, end: int) -> bool:
    """Whether this full stop, question or exclamation mark ends the sentence."""
    if after >= end:
        return True
    if not text[after].isspace():
        return bool(_EMOJI.match(text[after])) and stop.group() != "."
    following = _next_word(text, after, end)
    lower = following[:1].islower()
    if stop.lastgroup == "mark":
        return not (lower and after > stop.end())  # "Really?" she asked
    if len(stop.group()) > 1 or stop.group() == "…":
        return not lower
    return not lower and not _abbreviated(text, begin, stop.start(), following)


def _next_word(text: str, at: int, end: int) -> str:
    while at < end and (text[at].isspace() or text[at] in "\"'“‘«([{*_`-"):
        at += 1
    stop = at
    while stop < min(end, at + 24) and not text[stop].isspace():
        stop += 1
    return text[at:stop]


def _abbreviated(text: str, begin: int, dot: int, following: str) -> bool:
    """Whether the word before the dot is one that a dot belongs to."""
    at = dot
    while at > begin and at > dot - 16 and not text[at - 1].isspace():
        at -= 1
    word = text[at:dot].lstrip("(\"'“‘[")
    low = word.lower()
    if low in _MAYBE_LAST:
        return following.lower().rstrip(",.:;") not in _STARTERS
    if low in _NEVER_LAST or (low in _BEFORE_NUMBER and following[:1].isdigit()):
        return True
    if len(word) == 1 and word.isalpha() and word.isupper():
        return word != "I" or at == begin
    if "." in word and all(len(part) == 1 for part in low.split(".")):
        return following.lower() not in _STARTERS  # U.S. Army, J.R.R. Tolkien
    return word.isdigit() and len(word) <= 3 and text[begin:at].strip(" \t*_>#-(") == ""

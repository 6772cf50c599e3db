"""Escaping: nothing stored can look like the end of the fence, a heading, another entry or a chat marker."""

import re
from functools import lru_cache

_BREAKS = re.compile(r"\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_UNSEEN = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_FENCE = re.compile(r"<(?=[\s/\\]*(?:memor|section|item|system))", re.IGNORECASE)
_CHAT = re.compile(r"<(?=\|)|(?<=\|)>|\[(?=/?INST\b)", re.IGNORECASE)
_LINES = re.compile(r"\n\s*")
MAX_LABEL = 60


def seen(text: str) -> str:
    """The text with every kind of line break as one, and without what nobody sees."""
    if text.isascii() and text.isprintable():
        return text
    sound = text.encode("utf-8", "replace").decode("utf-8")
    return _UNSEEN.sub("", _BREAKS.sub("\n", sound))


def told(text: str) -> str:
    """A text with the marks of the fence altered; where its lines cannot be mistaken for ours."""
    return _marked(seen(text))


def fenced(text: str, indent: str = "  ") -> str:
    """A text inside a fence of lines: marks of the fence are altered, further lines are indented."""
    plain = told(text).strip()
    return _LINES.sub(f"\n{indent}", plain) if "\n" in plain else plain


def flat(text: str) -> str:
    """The same on one line."""
    return " ".join(told(text).split())


@lru_cache(maxsize=1_024)
def label(text: str) -> str:
    """A name or a tag as part of our own line: short, and without the marks that such lines use."""
    return flat(text).translate(_LABEL)[:MAX_LABEL].strip()


_LABEL = {ord("["): "(", ord("]"): ")", ord(":"): " ", ord("\n"): " "}


def markup(text: str) -> str:
    """A text inside XML, or in the value of an attribute."""
    plain = seen(text).replace("\ufffe", "").replace("\uffff", "")
    return plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def _marked(text: str) -> str:
    """Fence and chat marks with a look-alike in place of their bracket, as no program reads them."""
    if "<" not in text and "[" not in text and ">" not in text:
        return text
    folded = _CHAT.sub(lambda hit: {"<": "‹", ">": "›", "[": "("}[hit[0]], text)
    return _FENCE.sub("‹", folded)

"""Proper names in a text, by how they are written: capitals in a sentence, products, acronyms."""

import re
from functools import lru_cache

from recollect.text.sentences import split
from recollect.text.terms import STOP_WORDS

_NAME = re.compile(
    r"\b(?:[A-Z][\w’'&-]*[\w+#]|[a-z]+[A-Z]\w*|[A-Z]\.)"
    r"(?:(?:\s+(?:of|the|de|van|von|der|la|le|du|da|al|for)){0,2}\s+"
    r"(?:[A-Z][\w’'&.-]*\w|[A-Z]{2,}|[A-Z]\.|\d{1,4}\b))*"
)
_NOT_NAMES = frozenset(
    """i i'm i've i'll i'd ok okay yes no hi hey hello thanks thank wow oh well sure yeah yep nope
    great good nice cool awesome sorry please maybe also actually so but and or if when while the
    a an my our your his her their its this that these those there here we you he she it they what
    who where why how which let's let congrats bye lol haha omg today yesterday tomorrow tonight
    now then finally unfortunately luckily recently currently lately absolutely definitely really
    exactly totally agreed speaking check look looking glad happy excited hope keep take check been
    just got had have has did do does don't can can't could would should will won't is are was were
    am not never always sometimes usually often every each some any all both many most more much
    very too still even only first second third last next once after before since until because
    though although however besides anyway in on at to from for with by of as about into over
    absolutely certainly indeed true right wow woah woohoo yay aw aww ah hmm ugh ooh""".split()
)


def names(text: str) -> list[str]:
    """The distinct names in order of appearance; a capital that only opens a sentence is none."""
    found: dict[str, None] = {}
    for sentence in split(text):
        if sentence.code:
            continue
        for match in _NAME.finditer(sentence.text[:2000]):
            name = _trimmed(match.group())
            if name and not (match.start() == 0 and _plain_word(name)):
                found[name] = None
    return list(found)


def _trimmed(name: str) -> str:
    """The name without words that merely stand beside it."""
    words = name.split()
    while words and words[0].lower().replace("’", "'") in _NOT_NAMES:
        words.pop(0)
    while words and words[-1].lower() in _NOT_NAMES:
        words.pop()
    joined = " ".join(words)
    return re.sub(r"['’]s$", "", joined)


@lru_cache(maxsize=4096)
def _plain_word(name: str) -> bool:
    """Whether a word that opens a sentence reads as an ordinary word rather than a name."""
    if " " in name or any(c.isdigit() for c in name) or not name[1:].islower():
        return False
    low = name.lower()
    return (
        low in STOP_WORDS
        or low in _NOT_NAMES
        or len(name) < 3
        or low.endswith(("ing", "ly", "ed", "s", "er", "tion", "ness"))
    )

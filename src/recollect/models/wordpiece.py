"""BERT's uncased WordPiece in plain Python, so that the light install needs no tokenizer library.

Words are looked up whole and remembered: chat repeats itself, so most texts cost one dictionary
lookup a word. The ids equal those of the reference tokenizer; a test compares them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import chain

_CJK = (
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002b73f"
    "\U0002b740-\U0002b81f\U0002b820-\U0002ceaf\U0002f800-\U0002fa1f"
)
_ASCII_WORD = re.compile(r"[a-z0-9]+|[!-/:-@\[-`{-~]")
_ASCII_CONTROL = {code: None for code in (*range(32), 127) if chr(code) not in "\t\n\r"}
_MAX_WORD = 100
_REMEMBERED = 100_000


class WordPiece:
    """Splits text into the ids of a vocabulary.

    What the vocabulary cannot spell becomes its `[UNK]`, or nothing if it has none.
    """

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._ids = {piece: index for index, piece in enumerate(vocabulary)}
        self._unknown = (self._ids["[UNK]"],) if "[UNK]" in self._ids else ()
        self._words: dict[str, tuple[int, ...]] = {}

    def ids(self, text: str) -> list[int]:
        """The ids of a text in order."""
        words = _split(text)
        known = self._words
        try:
            return list(chain.from_iterable([known[word] for word in words]))
        except KeyError:
            return list(chain.from_iterable([self._word(word) for word in words]))

    def _word(self, word: str) -> tuple[int, ...]:
        """The ids of one word, remembered."""
        found = self._words.get(word)
        if found is None:
            if len(self._words) >= _REMEMBERED:
                self._words.clear()
            found = self._words[word] = self._spell(word)
        return found

    def _spell(self, word: str) -> tuple[int, ...]:
        """The longest pieces from the left, or unknown if a part has no piece."""
        if len(word) > _MAX_WORD:
            return self._unknown
        pieces: list[int] = []
        start, prefix = 0, ""
        while start < len(word):
            for end in range(len(word), start, -1):
                piece = self._ids.get(prefix + word[start:end])
                if piece is not None:
                    break
            else:
                return self._unknown
            pieces.append(piece)
            start, prefix = end, "##"
        return tuple(pieces)


def _split(text: str) -> list[str]:
    """The words and single punctuation characters of a text, lower-case and without accents."""
    if text.isascii():
        return _ASCII_WORD.findall(text.lower().translate(_ASCII_CONTROL))
    return [
        part
        for word in _clean(text).split()
        for part in ([word] if word.isalnum() and word.isascii() else _parts(word))
    ]


def _clean(text: str) -> str:
    """Control characters dropped, lower-case, accents removed."""
    spaced = "".join(
        " " if char in "\t\n\r" else char
        for char in text
        if char in "\t\n\r" or unicodedata.category(char) not in _DROPPED
    )
    bare = unicodedata.normalize("NFD", spaced.lower())
    return "".join(char for char in bare if unicodedata.category(char) != "Mn")


_DROPPED = ("Cc", "Cf", "Co", "Cs")
_CJK_CHAR = re.compile(f"[{_CJK}]")


def _parts(word: str) -> list[str]:
    """A word cut at punctuation and around every CJK character, which stand alone."""
    parts: list[str] = []
    run = ""
    for char in word:
        if _alone(char):
            parts += [run, char] if run else [char]
            run = ""
        else:
            run += char
    return [*parts, run] if run else parts


def _alone(char: str) -> bool:
    return (
        _ASCII_PUNCTUATION.match(char) is not None
        or unicodedata.category(char).startswith("P")
        or _CJK_CHAR.match(char) is not None
    )


_ASCII_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]")

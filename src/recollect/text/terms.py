"""Text to search terms: the same terms for every database, every index and every query.

A term is a lower-case stem; runs of CJK characters, which no stemmer splits into words, become
bigrams. Both databases store these terms instead of running their own language analysis, so a word
that is found on SQLite is found on PostgreSQL.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

import snowballstemmer

_CJK = (
    "\u3040-\u30ff"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han
    "\uac00-\ud7af"  # hangul syllables
    "\u0e00-\u0e7f"  # Thai, which has no spaces either
)
_TOKEN = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+(?:['’][^\W_{_CJK}]+)*")
_CJK_RUN = re.compile(rf"[{_CJK}]")
_ASCII_TOKEN = re.compile(r"[a-z0-9]+(?:'[a-z0-9]+)*")
MAX_TERM = 64
"""Longer runs (encoded data, hashes) are cut: nobody types them in full."""

STOP_WORDS = frozenset(
    """a about after again all also am an and any are as at be because been before being but by can
    could did do does doing don down during each few for from further had has have having he her
    here hers him his how i if in into is it its just me more most my no nor not now of off on once
    only or other our out over own same she should so some such than that the their them then there
    these they this those through to too under until up very was we were what when where which while
    who whom why will with would you your yours""".split()
)
"""Too common to tell texts apart; they stay in the index but never drive a query."""


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The stem of one lower-case word (English Snowball; other scripts pass through)."""
    plain = word.replace("’", "'")
    if plain.endswith("'s"):
        plain = plain[:-2]
    plain = plain.replace("'", "")[:MAX_TERM]
    return str(_STEMMER.stemWord(plain)) if plain.isascii() else plain


_STEMMER = snowballstemmer.stemmer("english")


def words(text: str) -> Iterator[str]:
    """The lower-case words of a text in order, CJK runs whole."""
    if text.isascii():
        yield from _ASCII_TOKEN.findall(text.lower())
    else:
        folded = unicodedata.normalize("NFKC", text).casefold()
        yield from _TOKEN.findall(folded)


def terms(text: str) -> list[str]:
    """The search terms of a text in order, with repeats."""
    if text.isascii():  # nearly all text, and the hot path of every write
        return list(map(stem, _ASCII_TOKEN.findall(text.lower())))
    found: list[str] = []
    for word in words(text):
        if _is_cjk(word):
            found.extend(_bigrams(word))
        else:
            found.append(stem(word))
    return found


def query_terms(text: str) -> list[str]:
    """The distinct terms of a query without stop words, or with them if nothing else is left."""
    telling: dict[str, None] = {}
    every: dict[str, None] = {}
    for word in words(text):
        for term in _bigrams(word) if _is_cjk(word) else [stem(word)]:
            every[term] = None
            if word not in STOP_WORDS:
                telling[term] = None
    return list(telling or every)


def _is_cjk(word: str) -> bool:
    return not word.isascii() and _CJK_RUN.match(word) is not None


def _bigrams(run: str) -> list[str]:
    """Overlapping pairs of characters; a single character stands alone."""
    if len(run) == 1:
        return [run]
    return [run[i : i + 2] for i in range(len(run) - 1)]

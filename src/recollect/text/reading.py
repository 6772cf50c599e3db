"""A statement as contradiction rules read it: its telling words, what it denies, its numbers and dates."""

import re
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from recollect.text.dates import resolve
from recollect.text.lexicon import base, is_kind_of
from recollect.text.similarity import NUMBER_WORDS
from recollect.text.terms import STOP_WORDS
from recollect.text.verbs import is_past

MAX_READ = 600
"""Longer texts tell several things: only so many characters of one are compared."""

_TOKEN = re.compile(r"[^\W_]+(?:[.'-][^\W_]+)*|[,;:.!?]")
_DENIES = re.compile(r"not|no|never|none|nobody|nothing|neither|nor|without|cannot|\w+n't|‹ended›")
_ENDED = re.compile(
    r"\b(?:no longer|not (?=[^.;,]*\bany ?more\b)|any ?more|stopped|quit|ceased|abandoned|discontinued|"
    r"cancel+ed|dropped|given up|gave up|used to|got rid of|formerly|previously|replaced)\b"
)
"""Words for what was so and is no more; what follows them is denied."""
_IS_ON = re.compile(r"(?<= is )on(?=\s*(?:[.,;!]|$))")
_LEFT = re.compile(r"\b(?:switched|moved|migrated|changed)((?: \w+){0,4}?) from\b")
_BREAKS = frozenset(", ; : . ! ? but while although though because who which that whereas when as".split())
_UNTIL = frozenset("to with by".split())
"""Where what was left ends and what came instead begins: switched from X to Y, replaced X with Y."""
_EMPTY = frozenset("be have do will would can could may might must shall should get".split())
_DROPPED = STOP_WORDS - {"off", "before", "after", "under", "over", "up", "down"}
_PERSONS = {
    form: person
    for person, forms in enumerate(
        (
            "i me my mine myself",
            "you your yours",
            "he him his",
            "she her hers",
            "we us our",
            "they them their",
        )
    )
    for form in forms.split()
}
_STATES = frozenset("was were had enabled disabled based set located named called".split())
"""Past forms that tell how something is rather than what happened."""
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|will|would|can|must|should|may|costs?|takes?|lasts?|needs?|runs?|uses?|"
    r"starts?|ends?|begins?|opens?|closes?|listens?|lives?|works?)\b"
)
"""Verbs that tell how something is."""
_VAGUE = re.compile(
    r"\b(?:at least|at most|up to|about|around|over|under|almost|nearly|more than|less than)\b"
)
_READ_AT = datetime.fromisoformat("2000-01-01T12:00:00+00:00")


@dataclass(frozen=True, slots=True)
class Reading:
    """What a statement is made of; words are base forms without stop words.

    `before` stands before the denial, `denied` in its reach, `after` beyond; without a denial all words
    are in `before`. `denials` counts: two of them cancel. Numbers and dates before the verb name what the
    statement is about (`named`: "Server 7 is …"); `lasting` says that a verb tells how it is.
    """

    before: tuple[str, ...]
    denied: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    denials: int = 0
    ended: bool = False
    numbers: frozenset[str] = frozenset()
    days: tuple[tuple[datetime, datetime], ...] = ()
    persons: frozenset[int] = frozenset()
    past: bool = False
    named: frozenset[str] = frozenset()
    lasting: bool = False
    vague: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        """All telling words, in order."""
        return self.before + self.denied + self.after

    @property
    def denies(self) -> bool:
        """Whether it says that something is not so."""
        return self.denials % 2 == 1


@lru_cache(maxsize=32_768)
def read(text: str, at: datetime | None = None) -> Reading:
    """The reading of a statement; `at` is when it was said, for dates such as "tomorrow"."""
    low = text[:MAX_READ].replace("’", "'").lower()
    low = low if len(low) == len(text[:MAX_READ]) else text[:MAX_READ]
    switched_on = _IS_ON.search(low)
    found = _VERB.search(low)
    start = found.start() if found else 0
    spans = resolve(low, at or _READ_AT)
    for span in reversed(spans):
        low = low[: span.position] + " " + low[span.position + len(span.text) :]
    if switched_on:
        low = _IS_ON.sub("enabled", low)
    marked, ends = _ENDED.subn(" ‹ended› ", _LEFT.sub(r"\1 replaced ", low))
    parts: tuple[list[str], list[str], list[str]] = ([], [], [])
    place = denials = 0
    numbers: set[str] = set()
    named = {span.text for span in spans if span.position < start}
    tokens = re.findall(rf"‹ended›|{_TOKEN.pattern}", marked)
    verb = next((i for i, token in enumerate(tokens) if _VERB.fullmatch(token)), 0)
    for i, token in enumerate(tokens):
        if _DENIES.fullmatch(token):
            denials += token != "‹ended›" or not place  # noqa: S105
            place = max(place, 1)
        elif place == 1 and (token in _BREAKS or (ends and token in _UNTIL and parts[1])):
            place = 2
        elif (number := NUMBER_WORDS.get(token, token)).replace(".", "").isdigit() and token != "one":  # noqa: S105
            (numbers if i >= verb else named).add(number)
        elif token[0].isalnum() and token not in _DROPPED and (word := base(token)) not in _EMPTY:
            parts[place].append(word)
    return Reading(
        before=tuple(parts[0]),
        denied=tuple(parts[1]),
        after=tuple(parts[2]),
        denials=denials,
        ended=bool(ends),
        numbers=frozenset(numbers),
        days=tuple((span.start, span.end) for span in spans if span.position >= start),
        named=frozenset(named),
        lasting=bool(verb),
        persons=frozenset(_PERSONS[token] for token in tokens if token in _PERSONS),
        past=any(is_past(token) and token not in _STATES for token in tokens),
        vague=_VAGUE.search(low) is not None,
    )


def missing(words: tuple[str, ...], others: tuple[str, ...], *, either: bool = False) -> list[str]:
    """Those of the words that the others do not hold, not even as a kind of it (or the other way round)."""
    return [
        word
        for word in words
        if not any(is_kind_of(other, word) or (either and is_kind_of(word, other)) for other in others)
    ]

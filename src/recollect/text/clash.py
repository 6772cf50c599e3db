"""Whether two statements contradict each other, why, and how surely. Pure; no model is asked.

Five grounds: two values under a key that holds one; a denial of what the other says, or its end ("no longer
uses"); opposite words in otherwise equal statements; other numbers; other dates. The weights of the denial
rule were fitted on half of the development data (docs/quality.md); everything else is stated as it is.
"""

import math
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from recollect.text.lexicon import are_opposite
from recollect.text.names import names
from recollect.text.reading import Reading, missing, read
from recollect.text.similarity import CALENDAR, content, differs_in_substance
from recollect.text.terms import words

SURE = 0.75
"""From here on a clash is reported without asking anybody."""
DOUBTFUL = 0.4
"""From here on it is worth a judge's look."""
_OPEN = frozenset(
    """like love enjoy prefer want own know speak read watch play buy visit try see meet use need eat
    drink wear collect""".split()
)
"""What one may do with opposite things at once: likes hot tea, likes cold tea."""


class Ground(StrEnum):
    """What two statements clash on."""

    KEY = "key"
    NEGATION = "negation"
    STATE = "state"
    OPPOSITE = "opposite"
    NUMBER = "number"
    DATE = "date"


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement to compare; with a key it says what its subject's value is.

    `many` marks keys that hold several values at once, `at` is when it was said.
    """

    text: str
    subject: str = ""
    key: str = ""
    value: str = ""
    many: bool = False
    negated: bool = False
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Clash:
    """Why two statements cannot both be true, and how sure that is."""

    ground: Ground
    reason: str
    confidence: float


def clash(a: Claim, b: Claim) -> Clash | None:
    """The contradiction between two statements, or None where there is no sign of one."""
    if _fold(a.subject) != _fold(b.subject) and a.subject and b.subject:
        return None
    if a.key and b.key:
        return _keyed(a, b) if a.key == b.key else None
    one, other = read(a.text, a.at), read(b.text, b.at)
    if one.denies != other.denies:
        found = _denied(one, other)
    elif one.denials or other.denials:
        return None
    else:
        found = _opposite(one, other) or _other_number(one, other) or _other_date(one, other)
    if found is None or not _same_names(a.text, b.text):
        return None
    return found if found.confidence >= DOUBTFUL else None


def _keyed(a: Claim, b: Claim) -> Clash | None:
    """Two values of one key, or one value affirmed and denied."""
    same = _same_value(a.value, b.value)
    if same and a.negated != b.negated:
        return Clash(Ground.NEGATION, f"{a.key}: {a.value} is affirmed and denied", 0.95)
    if same or a.many or b.many or a.negated or b.negated:
        return None
    return Clash(Ground.KEY, f"{a.key}: {a.value} or {b.value}", 0.95)


def _same_value(a: str, b: str) -> bool:
    """Equal, or one merely more exact than the other: Paris; Paris, France."""
    if _fold(a) == _fold(b):
        return True
    left, right = content(a), content(b)
    if not left or not right or (differs_in_substance(a, b) and not (left < right or right < left)):
        return False
    return left <= right or right <= left


def _denied(one: Reading, other: Reading) -> Clash | None:
    """One denies, or tells the end of, what the other says."""
    denier, sayer = (one, other) if one.denies else (other, one)
    if not denier.words or not sayer.words:
        return None
    short, long = _by_length(one, other)
    reach = denier.denied or denier.words
    said = 1 - len(missing(reach, sayer.words)) / len(reach)
    loose = len(missing(short.words, long.words))
    shared = 1 - len(missing(long.words, short.words, either=True)) / len(long.words)
    score = (
        -0.9
        + 1.9 * said
        + 0.35 * (not loose)
        - 0.2 * min(loose, 3)
        - 0.3 * min(len(long.words), 15) / 15
        + 0.3 * shared
        - 1.5 * (one.denials + other.denials > 1)
        - 0.75 * ((one.numbers | one.named) != (other.numbers | other.named))
        - 0.5 * bool(one.persons and other.persons and not one.persons & other.persons)
    )
    told = " ".join(reach[:6])
    if denier.ended:
        sure = 0.8 if said == 1 and _same_subject(denier, sayer) else 0.0
        return Clash(Ground.STATE, f"said to have ended: {told}", max(sure, _chance(score)))
    return Clash(Ground.NEGATION, f"affirmed and denied: {told}", _chance(score))


def _same_subject(denier: Reading, sayer: Reading) -> bool:
    """Whether all that the sayer names before what is denied stands in the denial too: the same API."""
    ended = set(denier.denied)
    place = next((i for i, word in enumerate(sayer.words) if word in ended), 0)
    subject = tuple(word for word in sayer.words[:place] if word not in _OPEN)
    return bool(subject) and not missing(subject, denier.words)


def _opposite(one: Reading, other: Reading) -> Clash | None:
    """Opposite words where the rest of the shorter statement stands in the other too."""
    short, long = _by_length(one, other)
    lone, rest = missing(short.words, long.words, either=True), missing(long.words, short.words, either=True)
    pairs = [(x, y) for x in lone for y in rest if are_opposite(x, y)]
    if not pairs or len(lone) == len(short.words):
        return None
    opposed = {word for pair in pairs for word in pair}
    open_ended = not _OPEN.isdisjoint((*one.words, *other.words)) and _OPEN.isdisjoint(opposed)
    equal = len(lone) == 1 and len(rest) <= 2
    sure = 0.5 if open_ended else 0.9 if equal else 0.6
    pair = pairs[0] if short is one else reversed(pairs[0])
    return Clash(Ground.OPPOSITE, " / ".join(pair), sure)


def _other_number(one: Reading, other: Reading) -> Clash | None:
    """The same statement with other numbers."""
    if not one.numbers or not other.numbers or one.numbers & other.numbers or one.vague or other.vague:
        return None
    if len(one.numbers) != len(other.numbers) or one.named != other.named or not _same_words(one, other):
        return None
    told = f"{', '.join(sorted(one.numbers))} or {', '.join(sorted(other.numbers))}"
    return Clash(Ground.NUMBER, told, _lasting(one, other))


def _other_date(one: Reading, other: Reading) -> Clash | None:
    """The same statement with other dates, none of them within the other."""
    if not one.days or len(one.days) != len(other.days) or not _same_words(one, other):
        return None
    apart = [(x, y) for x, y in zip(one.days, other.days, strict=True) if x[1] <= y[0] or y[1] <= x[0]]
    if not apart or one.numbers != other.numbers or one.named != other.named:
        return None
    told = f"{apart[0][0][0]:%Y-%m-%d} or {apart[0][1][0]:%Y-%m-%d}"
    return Clash(Ground.DATE, told, _lasting(one, other))


def _lasting(one: Reading, other: Reading) -> float:
    """What happened may have happened twice; what is so has one number and one date."""
    return 0.85 if one.lasting and other.lasting and not one.past and not other.past else 0.5


def _same_words(one: Reading, other: Reading) -> bool:
    """Whether two statements have the same words but for numbers and dates."""
    if not one.words or not other.words:
        return False
    return not missing(one.words, other.words, either=True) and not missing(
        other.words, one.words, either=True
    )


def _same_names(a: str, b: str) -> bool:
    """Whether at least one text has no name that the other lacks: else they tell of different things."""
    left, right = set(words(a)) | CALENDAR, set(words(b)) | CALENDAR
    strange = (
        [n for n in names(a) if not set(words(n)) & right],
        [n for n in names(b) if not set(words(n)) & left],
    )
    return not (strange[0] and strange[1])


def _by_length(one: Reading, other: Reading) -> tuple[Reading, Reading]:
    """The shorter and the longer of two readings, whichever came first."""
    short, long = sorted((one, other), key=lambda reading: (len(reading.words), list(reading.words)))
    return short, long


def _chance(score: float) -> float:
    return round(1 / (1 + math.exp(-score)), 2)


def _fold(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .,!\"'")

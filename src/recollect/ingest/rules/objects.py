"""Whether what follows a verb names something, and where the object ends."""

import re
from collections.abc import Sequence

from recollect.ingest.rules.predicates import lemma
from recollect.ingest.rules.words import MENTAL, WEAK_OBJECTS

PLAIN = frozenset(
    """the and for with some any our his her its own all very really more sure just there soon
    someday sometime again back out off away too well going better next time one day""".split()
)
_FUNCTION = frozenset(
    """the and for with from into onto over under about after before their his her its our they them
    him she was were been are has have had who which what when where how than then too very
    much many lots great good nice amazing awesome cool best new big exciting special little
    small real own such another couple few hard myself
    ourselves times certain huge major similar fair lately recently
    yesterday today last week""".split()
)
_VAGUE_FIRST = ("it", "that", "this", "so", "how", "what", "why", "them", "all", "something")
_EMPTY = WEAK_OBJECTS | PLAIN | _FUNCTION
_ALONE = frozenset("swim hike paint knit danc smoke sing cook bake".split())
_CUT = re.compile(
    r"\s+(?:because|since|when|while|whenever|so that|but|if|although|though|until|as)\s.*$"
    r"|,\s+(?:but|so|because|especially|not)\b.*$"
)
_PAST_WHEN = re.compile(
    r"\b(?:yesterday|last \w+|ago|today|this (?:morning|week|month|year)|in (?:19|20)\d\d|once|"
    r"first time)\b",
    re.IGNORECASE,
)
_WHEN = re.compile(
    r"\b(?:next|tomorrow|this (?:week|weekend|month|year|summer|winter|spring|fall)|"
    r"in \w+ (?:days?|"
    r"weeks?|months?|years?)|on \w+day)\b",
    re.IGNORECASE,
)


def value_of(rest: str) -> str:
    """The object of a verb without reasons and side clauses."""
    return _CUT.sub("", rest).strip(" ,.")


def concrete(rest: tuple[str, ...], verb: str = "") -> bool:
    """Whether what follows a verb names something rather than waving at it."""
    if not rest:
        return verb in _ALONE
    if rest[0].lower().strip(",") in _VAGUE_FIRST:
        return False
    if rest[0] == "to" and len(rest) > 1 and lemma(rest[1]) in MENTAL:
        return False
    return bool(telling(rest))


def telling(words: Sequence[str]) -> list[str]:
    """The words that name something, as opposed to glue, praise and vague nouns."""
    found: list[str] = []
    for word in words:
        bare = word.strip(",.!\"'")
        low = bare.lower()
        telling_short = bare[:1].isdigit() or (len(bare) > 1 and bare[0].isupper() and low not in _EMPTY)
        if telling_short or (len(low) > 2 and low not in _EMPTY):
            found.append(low)
    return found


def telling_enough(rest: tuple[str, ...]) -> bool:
    """Whether an event can be told to a stranger: whose, who, when, or what in three words."""
    low = {w.lower() for w in rest}
    return bool(low & {"my", "our"}) or has_past_date(rest) or dated_or_named(rest) or len(telling(rest)) > 2


def has_past_date(rest: tuple[str, ...]) -> bool:
    """Whether the words name a time gone by."""
    return bool(_PAST_WHEN.search(" ".join(rest)))


def has_date(rest: tuple[str, ...]) -> bool:
    """Whether the words name a time to come."""
    return bool(_WHEN.search(" ".join(rest)))


def dated_or_named(rest: tuple[str, ...]) -> bool:
    """Whether a plan or event names a time, a place or somebody, and so outlives the day."""
    return has_date(rest) or any(w[:1].isupper() and w != "I" for w in rest)

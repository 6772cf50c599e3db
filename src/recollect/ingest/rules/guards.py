"""What must not become a memory: hypotheses, hearsay, quotations, and words that lean on the talk.

A statement stands alone when a stranger can read it: no "it" or "that" from an earlier sentence, no
"you". Where only a later part of a clause leans, the part is cut off at its conjunction.
"""

import re
from collections.abc import Sequence

_HYPOTHESIS = re.compile(
    r"\b(?:if|unless|suppose|supposing|imagine|pretend|hypothetically|as though|might|maybe|"
    r"perhaps|"
    r"wish|were to|what if|would have|could have|should have|in theory|let us say|assuming|"
    r"whether|i may|we may|i could|we could|i would(?! (?:like|love|prefer|rather|say)\b)|"
    r"we would(?! (?:like|love|prefer|rather)\b))\b",
    re.IGNORECASE,
)
_HEARSAY = re.compile(
    r"\b(?:he|she|they|you|someone|somebody|people|everyone|it)\s+(?:said|says|say|told|tells|"
    r"claims?|"
    r"thinks?|believes?|asked|asks|wants?|mentioned)\b|\baccording to\b|\bi (?:heard|hear|guess|"
    r"read that)(?: that)?\b (?!a |an |the |music|to )",
    re.IGNORECASE,
)
_QUOTE = re.compile(r"[\"“”«»]([^\"“”«»]{8,})[\"“”«»]|(?<!\w)'([^']{12,})'(?!\w)")
_FIRST_PERSON = re.compile(r"\b(?:I|I'm|my|me|we|our)\b", re.IGNORECASE)

_LISTENER = frozenset("you your yours yourself u ur yall you're you've you'll you'd ya".split())
_POINTING = frozenset("this these those".split())
_TIME_NOUNS = frozenset(
    "week weekend month year morning afternoon evening summer winter spring fall autumn days time "
    "season semester quarter past coming friday monday tuesday wednesday thursday saturday sunday "
    "christmas january february march april may june july august september october november "
    "december".split()
)
_PERSONAL = frozenset("he she him her his them they their theirs its hers himself herself".split())
_LAST_WORDS = frozenset(
    """some any more most few lots many another other both all same such so else either much less
    one ones it that this there here then now too though yet ever anymore again to of for
    with about at in on from by and or but the a an my how what why who where when even
    doing going like getting having being making taking trying saying""".split()
)
_STRIP_LAST = frozenset(
    """too though yet now again either ever also anyway already lol haha and or but so even btw
    before""".split()
)
_BOUNDARY = frozenset(
    "and but because when while since so as which that where who after before until or if".split()
)


def is_hypothesis(clause: str) -> bool:
    """Whether the clause only supposes, wishes or wonders."""
    return bool(_HYPOTHESIS.search(clause))


def is_hearsay(clause: str) -> bool:
    """Whether the clause reports what somebody said rather than what is."""
    return bool(_HEARSAY.search(clause))


def quotes_somebody(sentence: str) -> bool:
    """Whether first-person words of the sentence stand inside quotation marks."""
    return any(_FIRST_PERSON.search(m.group(1) or m.group(2)) for m in _QUOTE.finditer(sentence))


def standing(words: Sequence[str], keep: int) -> list[str] | None:
    """The longest beginning of a clause that stands alone, or None.

    The first `keep` words (subject, verb group and the start of what follows) must survive any cut.
    """
    bare = [_bare_word(word) for word in words]
    end = len(bare)
    for place in range(len(bare)):
        if _leans(bare, place, keep):
            end = _boundary_before(bare, place)
            break
    kept = list(words[:end])
    if len(kept) > 2 and [w.lower().strip(".,!") for w in kept[-2:]] == ["as", "well"]:
        kept = kept[:-2]
    while kept and (last := _bare_word(kept[-1])) in _STRIP_LAST:
        kept.pop()
        if last == "now" and kept and kept[-1].lower() == "right":
            kept.pop()
    if len(kept) < keep or not kept:
        return None
    if end < len(bare) and kept[-1].lower().strip(",") in _BOUNDARY:
        return None
    kept[-1] = kept[-1].rstrip(",;:.!")
    return None if kept[-1] in _LAST_WORDS else kept


def _bare_word(word: str) -> str:
    return word.lower().strip('.,!?;:()"')


def _boundary_before(bare: list[str], place: int) -> int:
    """Where the part that leans begins."""
    if bare[place] in ("that's", "thats"):
        return place
    for index in range(place - 1, -1, -1):
        if bare[index] in _BOUNDARY:
            return index
    return 0


def _leans(bare: list[str], place: int, keep: int) -> bool:
    """Whether the word at this place points outside of the clause."""
    word = bare[place]
    following = bare[place + 1] if place + 1 < len(bare) else ""
    before = bare[place - 1] if place else ""
    if word in _LISTENER:
        return True
    if word in (
        "it",
        "mine",
        "it's",
        "itself",
        "that's",
        "thats",
        "ones",
        "there",
        "here",
        "they're",
        "there's",
        "it'll",
        "it'd",
        "that'll",
    ):
        return not (word == "there" and following in ("is", "are", "was", "were"))
    if word in _POINTING:
        return following not in _TIME_NOUNS
    if word == "that":
        return not following or before in _AFTER_VERBISH or place < keep or _pronoun(before, following)
    if word in _PERSONAL:
        return not any(w in _OWNERS for w in bare[1:place])
    if word == "one":
        return not following or following in _AFTER_ONE or before in _BEFORE_ONE
    if word == "more":
        return following in ("", "last", "next", "this", "in", "of", "for", "and", "than")
    return word == "such" and following not in ("as", "a")


def _pronoun(before: str, following: str) -> bool:
    """Whether "that" stands for something said earlier rather than opening a relative clause."""
    return before.endswith("ing") or following in _AFTER_PRONOUN


_AFTER_PRONOUN = frozenset(
    "every with to for in at and too so on again now by from when day time way one".split()
)
_AFTER_ONE = frozenset("too that in with for at and but while on from to by".split())
_BEFORE_ONE = frozenset("another new first last good big old only big next second great nice".split())
_AFTER_VERBISH = frozenset(
    """about of for with in on at to from by like love do did done have had see saw doing into after
    before than and or but because all know say is was are as watch watched read got get""".split()
)
_OWNERS = frozenset(
    """my our both someone people kids children son daughter wife
    husband mom dad mother father brother sister friend friends dog cat parents grandmother
    grandfather boyfriend girlfriend partner family others animals dogs cats students clients
    customers""".split()
)

"""From "I" to somebody with a name: clauses rewritten so that they stand alone.

The speaker's name replaces the subject; every later first-person word becomes they, them, their,
which is right for anybody. Nothing is guessed about gender.
"""

import re

from recollect.ingest.rules.predicates import Predicate
from recollect.text.verbs import SAME_PAST, third_person

_LATER = [
    (re.compile(pattern), text)
    for pattern, text in [
        (r"(?:,? (?:by )?(?:myself|ourselves))$", ""),
        (r"\b(?:I|we) (?:am|are)\b", "they are"),
        (r"\b(?:I|we) was\b", "they were"),
        (r"(?<!War )\bI\b(?!\.)", "they"),
        (r"\bwe\b", "they"),
        (r"\b(?:my|our)\b", "their"),
        (r"\b(?:mine|ours)\b", "theirs"),
        (r"\b(?:me|us)\b(?!-| navy| army| open)", "them"),
        (r"\b(?:myself|ourselves)\b", "themselves"),
    ]
]
_FIRST = re.compile(r"\b(?:I|me|my|mine|myself|we|us|our|ours|ourselves)\b", re.IGNORECASE)


_MANNER = frozenset("also too even actually really definitely totally honestly certainly".split())
"""Adverbs in a verb group that only colour the telling."""


def possessive(name: str) -> str:
    """`Alex's`, `James'`."""
    return f"{name}'" if name.endswith("s") else f"{name}'s"


def others(text: str) -> str:
    """First-person words after the subject, turned to the third person."""
    if not _FIRST.search(text):
        return text
    for pattern, replacement in _LATER:
        text = pattern.sub(replacement, text)
    return text


def tell(name: str, predicate: Predicate, *, plural: bool = False, finite: bool = False) -> str:
    """The clause about `name`: "Jon" + "lost my job" → "Jon lost their job".

    `finite` says that the verb has its form already, because the subject was not "I".
    """
    words = list(predicate.words)
    head = len(words) - len(predicate.rest)
    verb = words[predicate.finite]
    if verb.lower() == "do" and not predicate.negated and head > predicate.finite + 1:
        words[predicate.finite] = ""  # "I do like it" says no more than "I like it"
        words[head - 1] = words[head - 1] if plural else third_person(words[head - 1].lower())
    elif not finite and not (predicate.tense == "past" and verb in SAME_PAST):
        words[predicate.finite] = _plural_form(verb) if plural else third_person(verb.lower())
    if not plural and predicate.tense == "present" and words[predicate.finite] != verb:
        _agree(words, head)
    kept = [w for place, w in enumerate(words) if place >= head or (w and w.lower() not in _MANNER)]
    return f"{name} {others(' '.join(kept))}"


_BASES = frozenset(
    """do put take make go need want love like play sing listen read watch work teach run use help
    try get have eat drink cook write live travel""".split()
)


def _agree(words: list[str], start: int) -> None:
    """Brings a second verb to the form of the first: "plays and sing" → "plays and sings"."""
    for place in range(start, len(words) - 1):
        if words[place] == "to":
            return
        if words[place] == "and" and words[place + 1] in _BASES:
            words[place + 1] = third_person(words[place + 1])


def _plural_form(verb: str) -> str:
    low = verb.lower()
    return {"am": "are", "was": "were"}.get(low, low)

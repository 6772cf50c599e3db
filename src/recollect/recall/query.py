"""A question as recall understands it: terms with weights, times, speakers, and what it wants.

Most of a question is frame ("how many … did I …", "can you remind me …"), not matter. Frame words
and the words of a time expression hardly count as terms; the time itself becomes a preference.
"""

import re
from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from recollect.errors import InvalidInput
from recollect.text.dates import resolve
from recollect.text.terms import STOP_WORDS, terms, words

MAX_TERMS = 64
"""A pasted page is asked by its most repeated words; more would only slow the search down."""
MAX_DATED = 2_000
"""Times are looked for in this much of a query: nobody dates a question on page two."""
FRAME_WEIGHT = 0.25

_ASKING = """
    any anything can conversation conversations could d did discuss discussed earlier feel
    feeling give having help i'd i'll i'm i've im ive know late lately ll m mention mentioned
    mentions please previous previously re recommend recommendation recommendations recommended
    remember remind s said say some suggest suggested suggestion suggestions t talk talked
    talking tell think tip tips told trouble ve want wondering you'd you've
"""
ASKING_WORDS = STOP_WORDS | frozenset(_ASKING.split())
"""Words of asking and being polite: they say nothing about what is asked for."""

_FRAME = """
    ago both current currently day days earliest first get gets getting go going got kind last
    latest like list long many month months much name names new number one order past recent
    recently share shared someone something sort thing things time times today total two type
    types use used using week weeks which year years
"""
FRAME_WORDS = frozenset(_FRAME.split())
"""Words of counting, ordering and naming, which say little about it."""

_LATEST = re.compile(
    r"\b(latest|newest|most recent(?:ly)?|current(?:ly)?|right now|now|these days|at the moment"
    r"|as of today|nowadays|up to date)\b",
    re.IGNORECASE,
)
_HISTORY = re.compile(
    r"\b(histor(?:y|ically)|used to|previous(?:ly)?|former(?:ly)?|original(?:ly)?|initial(?:ly)?"
    r"|over time|changed?|before|earlier|at first|in the past|so far|ever|all the)\b",
    re.IGNORECASE,
)
_CAPITAL = re.compile(r"(?<=\w\s)[A-Z]\w+")
_FIRST_PERSON = re.compile(r"\b(i|i'm|i've|i'd|i'll|me|my|mine|myself|we|us|our|ours)\b")
_TOLD_BY_ASSISTANT = re.compile(
    r"\byou(?:r|'ve|'d)?\b.{0,30}\b(told|tell|mention|suggest|recommend|provid|said|say|gave|give"
    r"|list|explain|describ|refer|wrote|answer)|\bremind me\b"
)
_ANCHOR = re.compile(
    r"\b(?P<side>before|until|after|since|during)\s+(?:the|our|my|his|her|their)\s+"
    r"(?P<event>[\w-]+(?:\s+(?!did|was|were|is|are|had|has|have|do|does|what|who|where|which|how)[\w-]+){0,3})",
    re.IGNORECASE,
)
_IMPLIED = tuple(
    (key, re.compile(pattern))
    for key, pattern in (
        ("location", r"\bwhere\b.*\b(?:lives?|living|based|resides?|at home)\b|\bwhat (?:city|town) "),
        ("employer", r"\bwhere\b.*\bwork(?:s|ing)?\b|\bwho(?:m)?\b.*\bworks? for\b"),
        ("occupation", r"\bfor (?:a living|work)\b|\b(?:job|profession)\b"),
        ("age", r"\bhow old\b"),
        ("birthday", r"\bwhen\b.*\bborn\b"),
        ("birthplace", r"\bwhere\b.*\bborn\b"),
        ("origin", r"\bwhere\b.*\bfrom\b"),
        ("partner", r"\bmarried to\b|\b(?:wife|husband|spouse|girlfriend|boyfriend)\b"),
    )
)
"""What is asked of a person without the word that facts are kept under."""
_ABOUT_ME = re.compile(
    r"\b(?:i|i'm|we)\b|\bmy (?:own |current )?(?:job|profession|wife|husband|spouse|girlfriend|boyfriend)\b"
)
_NOT_NOW = re.compile(r"\b(?:did|was|were|had|used to|before|first)\b")


@dataclass(frozen=True, slots=True)
class Anchor:
    """An event that the query dates by: "before the migration"."""

    side: str
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked: weighted terms, named words, spans of time (µs), and the kind of answer.

    `implied` are keys that it is after without naming them, `about_me` whether it asks about whoever asks.
    """

    text: str
    terms: tuple[str, ...] = ()
    weights: tuple[float, ...] = ()
    names: frozenset[str] = frozenset()
    role: str | None = None
    spans: tuple[tuple[int, int], ...] = ()
    wants_latest: bool = False
    wants_history: bool = False
    anchor: Anchor | None = None
    implied: frozenset[str] = frozenset()
    about_me: bool = False


def parse(text: str, *, now: datetime) -> Query:
    """Understand a question asked at `now`; an empty one is refused."""
    text = text.strip()
    if not text:
        raise InvalidInput("The query is empty: ask with at least one word.")
    head = text[:MAX_DATED]
    spans = resolve(head, now)
    rest = head
    for span in reversed(spans):
        rest = rest[: span.position] + " " + rest[span.position + len(span.text) :]
    ranked = _weigh(rest + text[MAX_DATED:], head if spans else "")
    plain = head.lower().replace("’", "'")
    return Query(
        text=text,
        terms=tuple(ranked),
        weights=tuple(ranked.values()),
        names=_names(head),
        role=_role(plain),
        spans=tuple((_micros(span.start), _micros(span.end)) for span in spans),
        wants_latest=_LATEST.search(head) is not None,
        wants_history=_HISTORY.search(head) is not None,
        anchor=None if spans else _anchor(head),
        implied=_implied(plain),
        about_me=_ABOUT_ME.search(plain) is not None,
    )


def _implied(plain: str) -> frozenset[str]:
    """The keys of a person's facts that a question is after, as they are now: not what once was."""
    if _NOT_NOW.search(re.sub(r"\b(was|were)\b(?=.*\bborn\b)", "is", plain)):
        return frozenset()
    return frozenset(key for key, pattern in _IMPLIED if pattern.search(plain))


def _anchor(head: str) -> Anchor | None:
    """The event a question without a date places itself before, after or in."""
    found = _ANCHOR.search(head)
    known = () if found is None else tuple(dict.fromkeys(terms(found["event"])))
    return Anchor(found["side"].lower(), known) if found and known else None


def _weigh(matter: str, dated: str) -> dict[str, float]:
    """Distinct terms with their weights; words of `dated` only count where `matter` lacks them."""
    full: Counter[str] = Counter()
    frame: Counter[str] = Counter()
    stop: Counter[str] = Counter()
    for word in words(matter):
        bag = stop if word in ASKING_WORDS else frame if word in FRAME_WORDS else full
        bag.update(terms(word))
    for word in words(dated):
        if word not in ASKING_WORDS:
            frame.update(terms(word))
    chosen = full or frame or stop
    weighed = dict.fromkeys(_repeated(chosen), 1.0)
    for term in _repeated(frame):
        if len(weighed) < MAX_TERMS:
            weighed.setdefault(term, FRAME_WEIGHT)
    return weighed


def _repeated(bag: Counter[str]) -> list[str]:
    """The terms in order of appearance; of too many, those that are repeated most."""
    return list(bag) if len(bag) <= MAX_TERMS else [term for term, _ in bag.most_common(MAX_TERMS)]


def _names(head: str) -> frozenset[str]:
    """Words that may name a speaker, without a possessive s; "will" only where it is a Will."""
    plain = {word.replace("’", "'").removesuffix("'s") for word in words(head)} - STOP_WORDS
    return frozenset(plain | {word.lower() for word in _CAPITAL.findall(head)})


def _role(plain: str) -> str | None:
    """Whose words answer: "what did you suggest" is the assistant's, "my car" is the user's."""
    if _TOLD_BY_ASSISTANT.search(plain):
        return "assistant"
    return "user" if _FIRST_PERSON.search(plain) else None


def _micros(moment: datetime) -> int:
    return round(moment.timestamp() * 1_000_000)

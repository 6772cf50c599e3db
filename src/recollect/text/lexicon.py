"""What common English words mean to each other: base forms, kinds of, opposites.

The bundled table is a reduced WordNet (see `data/NOTICE`); it is read when it is first asked. A word that
it does not know is only ever like itself.
"""

import gzip
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

_DATA = Path(__file__).parent / "data" / "lexicon.txt.gz"
_IRREGULAR = {
    form: base
    for line in """
    be am is are was were been being|have has had having|do does did done|go went gone goes
    get got gotten|come came|make made|see saw seen|take took taken|meet met|buy bought|think thought
    bring brought|catch caught|teach taught|fight fought|seek sought|know knew known|grow grew grown
    fly flew flown flies|draw drew drawn|throw threw thrown|blow blew blown|write wrote written
    ride rode ridden|drive drove driven|rise rose risen|break broke broken|speak spoke spoken
    wake woke woken|choose chose chosen|freeze froze frozen|steal stole stolen|wear wore worn
    tear tore torn|eat ate eaten|give gave given|begin began begun|drink drank drunk|sing sang sung
    swim swam swum|run ran|ring rang rung|sink sank sunk|spend spent|send sent|lend lent|build built
    lose lost|leave left|keep kept|sleep slept|sweep swept|feel felt|deal dealt|mean meant|dream dreamt
    learn learnt|tell told|sell sold|hold held|stand stood|understand understood|hear heard|find found
    fall fell fallen|win won|shoot shot|sit sat|lead led|feed fed|say said says|pay paid|lay laid
    lie lay lain lying|shake shook shaken|forget forgot forgotten|become became|bend bent
    bite bit bitten|hide hid hidden|slide slid|stick stuck|strike struck|swing swung|hang hung|dig dug
    spin spun|flee fled|light lit|show shown|die dying died|tie tying|swear swore sworn|leap leapt
    kneel knelt|bleed bled|shine shone|man men|woman women|child children kids kid|person people persons
    foot feet|tooth teeth|mouse mice|goose geese|wife wives|knife knives|half halves|good better best
    bad worse worst""".strip()
    .strip()
    .replace("\n", "|")
    .split("|")
    for base, *forms in [line.split()]
    for form in forms
}
_OPPOSITE = frozenset(
    frozenset(pair.split())
    for pair in """
    enable disable|enable disabled|enable off|before after|over under|up down|happy sad|single married
    alone together|allow block|required optional|mandatory optional|sync async|synchronous asynchronous
    daily weekly|weekly monthly|daily monthly|vegetarian carnivore|remote onsite|online offline
    employed unemployed|rent own|left right""".strip()
    .replace("\n", "|")
    .split("|")
)
"""Opposites of daily and technical talk that WordNet does not know."""
_ENDINGS = (
    ("ies", "y"), ("ied", "y"), ("sses", "ss"), ("shes", "sh"), ("ches", "ch"), ("xes", "x"), ("s", ""),
    ("ing", ""), ("ing", "e"), ("ed", ""), ("ed", "e"),
)  # fmt: skip
_SILENT = re.compile(r"(?:^|[^aeiou])[aeiou][^aeiouwxy]$")
"""A stem that would have doubled its last letter, so that its base form ends in e: hop-ed, hope."""


@dataclass(frozen=True, slots=True)
class _Table:
    """Words with their meanings, the broader meanings of each, which are verbs', and opposites."""

    words: dict[str, tuple[int, ...]]
    broader: tuple[tuple[int, ...], ...]
    verbs: frozenset[int]
    opposites: frozenset[tuple[int, int]]


@lru_cache(maxsize=1)
def _table() -> _Table:
    words, broader, opposites = gzip.decompress(_DATA.read_bytes()).decode().split("\n\n")
    pairs = [tuple(map(int, line.split())) for line in opposites.split("\n")]
    return _Table(
        {word: tuple(map(int, senses)) for word, *senses in map(str.split, words.split("\n"))},
        tuple(tuple(map(int, line.split()[1:])) for line in broader.split("\n")),
        frozenset(number for number, line in enumerate(broader.split("\n")) if line.startswith("v")),
        frozenset((a, b) for one, other in pairs for a, b in ((one, other), (other, one))),
    )


@lru_cache(maxsize=65_536)
def base(word: str) -> str:
    """The base form of a lower-case word ("women" → "woman", "running" → "run"); itself if unknown."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    known = _table().words
    plain = word.removesuffix("'s")
    for ending, put in _ENDINGS:
        if plain.endswith(ending) and len(plain) - len(ending) >= 2:
            cut = plain[: -len(ending)]
            doubled = cut[:-1] if len(cut) > 2 and cut[-1] == cut[-2] and not put else ""
            silent = cut + "e" if ending in ("ing", "ed") and _SILENT.search(cut) else ""
            for form in (doubled, silent, cut + put):
                if form in known and not (plain in known and ending == "s" and form + "s" != plain):
                    return form
    return plain


@lru_cache(maxsize=65_536)
def is_kind_of(special: str, general: str) -> bool:
    """Whether everything that is the first is the second too, or both mean the same: dog, animal."""
    table = _table()
    wanted = set(table.words.get(general, ()))
    return special == general or bool(wanted and wanted & _above(special))


@lru_cache(maxsize=65_536)
def are_opposite(a: str, b: str) -> bool:
    """Whether two base forms are opposites, or kinds of opposites: hot, cold; huge, small."""
    if frozenset((a, b)) in _OPPOSITE:
        return True
    table = _table()
    return any((x, y) in table.opposites for x in _near(a) for y in _near(b))


def _near(word: str) -> set[int]:
    """A word's meanings and what they are directly a kind of; verbs are too loosely ordered for that."""
    table = _table()
    senses = table.words.get(word, ())
    ups = (up for sense in senses if sense not in table.verbs for up in table.broader[sense])
    return {*senses, *ups}


@lru_cache(maxsize=65_536)
def _above(word: str) -> frozenset[int]:
    """All meanings that a word's meanings are a kind of, with themselves."""
    table = _table()
    found: set[int] = set()
    waiting = list(table.words.get(word, ()))
    while waiting:
        sense = waiting.pop()
        if sense not in found:
            found.add(sense)
            waiting += table.broader[sense]
    return frozenset(found)

"""The table of known keys: what a fact is about, and whether a new value replaces the old one.

A key is a short snake_case name under a subject ("user", "user's father", "fatah"). Relations that
are not in the table get a key from their own words (`relation_key`), the same for the old and for
the new statement, so that the newest wins.
"""

from dataclasses import dataclass
from functools import lru_cache

from recollect.ingest.rules.candidate import Cardinality, Kind
from recollect.text.terms import stem, words


@dataclass(frozen=True, slots=True)
class Key:
    """What a key means for storing: its kind, category, cardinality and importance."""

    name: str
    kind: Kind
    category: str
    cardinality: Cardinality
    importance: float


def _table() -> dict[str, Key]:
    rows: list[tuple[Kind, str, Cardinality, float, str]] = [
        ("identity", "identity", "one", 0.9, "name pronouns"),
        ("identity", "identity", "one", 0.8,
         "location origin birthplace birthday age gender timezone nationality marital_status "
         "religion native_language school"),
        ("identity", "work", "one", 0.8, "occupation employer workplace field industry"),
        ("identity", "family", "many", 0.7, "partner children siblings parents pets relatives"),
        ("constraint", "health", "many", 0.8, "diet allergies conditions medication"),
        ("preference", "preference", "many", 0.6, "likes fears tools"),
        ("preference", "preference", "one", 0.6, "editor os shell browser phone theme framework"),
        ("fact", "activity", "many", 0.5,
         "hobbies instruments sports skills languages volunteering studies projects classes"),
        ("fact", "possession", "many", 0.5, "possessions vehicles"),
        ("fact", "experience", "many", 0.5, "visited education events former_jobs"),
        ("goal", "goal", "many", 0.8, "goals plans wishes"),
    ]  # fmt: skip
    return {
        name: Key(name, kind, category, cardinality, importance)
        for kind, category, cardinality, importance, names in rows
        for name in names.split()
    }


KEYS = _table()
"""Every key with a meaning of its own; `favorite_*` and relation keys are made as they come."""

_ALIASES = {
    "spouse": "partner", "wife": "partner", "husband": "partner", "married": "partner",
    "girlfriend": "partner", "boyfriend": "partner", "job": "occupation",
    "profession": "occupation", "ceo": "chief executive officer", "boss": "manager",
    "univeristy": "university", "origianl": "original", "citizenship": "citizen",
    "chairman": "chairperson", "chairwoman": "chairperson", "chair": "chairperson",
}  # fmt: skip
_EMPTY = frozenset(
    """the a an of is are was were be been in on at to with that which where who whose for from and
    name current currently now it its does do did has have had what when how by as""".split()
)

MANY_RELATIONS = frozenset("child pet hobby friend sibling brother sister member".split())
"""Relation words of which one subject may have several at once."""


@lru_cache(maxsize=8192)
def relation_key(phrase: str) -> str:
    """The key of a relation: its telling words, synonyms folded, in order ("born_city")."""
    found = (_ALIASES.get(w, w) for w in words(phrase) if w not in _EMPTY)
    return "_".join(dict.fromkeys(part for word in found for part in word.split())) or "is"


def slug(text: str) -> str:
    """A noun phrase as a key: lower case, underscores, the last word in the singular."""
    parts = [w.removesuffix("'s") for w in words(text) if w not in ("the", "a", "an", "my", "our")]
    if (
        parts
        and len(parts[-1]) > 3
        and parts[-1].endswith("s")
        and not parts[-1].endswith(("ss", "us", "is"))
    ):
        parts[-1] = parts[-1][:-1]
    return "_".join(parts)[:40]


def relation_terms(phrase: str) -> list[str]:
    """The telling stems of a relation or of a question about one, synonyms folded."""
    found: list[str] = []
    for word in words(phrase):
        if word in _EMPTY:
            continue
        found.extend(stem(part) for part in _ALIASES.get(word, word).split())
    return found


def subject_key(subject: str) -> str:
    """A subject as it is compared: lower case, without article, full stops and double spaces."""
    low = " ".join(subject.casefold().replace(".", "").split()).strip(" ,\"'“”")
    for article in ("the ", "a ", "an "):
        low = low.removeprefix(article)
    return low


def favorite_key(thing: str) -> Key:
    """The key of a favourite: `favorite_color`."""
    return Key(f"favorite_{slug(thing)}", "preference", "preference", "one", 0.6)

"""A draft: what a rule made of a predicate, before the statement is written out."""

from dataclasses import dataclass

from recollect.ingest.rules.candidate import IMPORTANCE, Cardinality, Kind
from recollect.ingest.rules.keys import KEYS, Key


@dataclass(frozen=True, slots=True)
class Draft:
    """What kind of statement it is, what it is about, and how sure the rule is."""

    rule: str
    kind: Kind
    category: str
    key: str
    value: str
    cardinality: Cardinality
    confidence: float
    importance: float
    negated: bool = False


def keyed(rule: str, key: str | Key, value: str, confidence: float, *, negated: bool = False) -> Draft:
    """A draft under a known key."""
    known = KEYS[key] if isinstance(key, str) else key
    return Draft(
        rule, known.kind, known.category, known.name, value, known.cardinality, confidence,
        known.importance, negated,
    )  # fmt: skip


def loose(
    rule: str, kind: Kind, category: str, value: str, confidence: float, *, negated: bool = False
) -> Draft:
    """A draft that nothing newer replaces by key."""
    return Draft(rule, kind, category, "", value, "many", confidence, IMPORTANCE[kind], negated)

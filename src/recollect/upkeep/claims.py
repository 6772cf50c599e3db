"""Memories as claims to compare; a memory without a key gets the one its words give."""

from datetime import datetime
from functools import lru_cache

from recollect.ingest.knowledge import USER
from recollect.ingest.rules.candidate import Candidate, Said
from recollect.ingest.rules.extract import extract
from recollect.model.record import SESSION, Kind, Record, Status
from recollect.text.clash import Claim

LONGEST = 600
"""A longer text tells several things: nothing single is denied or affirmed by it."""
_TELLING_AGAIN = (Kind.EPISODE, Kind.PASSAGE, Kind.ERROR)


def is_claim(r: Record) -> bool:
    """Whether a memory is believed and states something: episodes and session notes tell it again."""
    stated = r.kind not in _TELLING_AGAIN and r.category != SESSION
    return stated and r.status == Status.ACTIVE and len(r.text) <= LONGEST


def claim_of(r: Record) -> Claim:
    """What a memory claims."""
    if r.key is not None and r.value is not None:
        many, negated = bool(r.metadata.get("many")), bool(r.metadata.get("negated"))
        return Claim(r.text, r.subject or USER, r.key, r.value, many, negated, r.valid_from)
    return claim_in(r.text, r.valid_from, r.subject)


def claim_in(text: str, at: datetime, subject: str | None = None) -> Claim:
    """What a text claims: with a key if the rules read exactly one keyed statement in it."""
    keyed = _keyed(text)
    if keyed is None:
        return Claim(text, subject or "", at=at)
    many = keyed.cardinality == "many"
    return Claim(text, keyed.subject, keyed.key, keyed.value, many, keyed.negated, at)


@lru_cache(maxsize=131_072)
def _keyed(text: str) -> Candidate | None:
    """The one keyed statement of a text, if there is just one; its date does not matter for that.

    "The meeting is long" has no value that excludes another one; "the database is MySQL" has.
    """
    found = extract(Said(text, _ANY_TIME))
    if len(found) != 1 or not found[0].key:
        return None
    exact = any(c.isupper() or c.isdigit() for c in found[0].value)
    return found[0] if exact or found[0].rule != "attribute" else None


_ANY_TIME = datetime.fromisoformat("2000-01-01T12:00:00+00:00")


def at_one_time(a: Record, b: Record) -> bool:
    """Whether two memories are meant to be true at some common moment."""
    return not (
        (a.valid_to is not None and a.valid_to <= b.valid_from)
        or (b.valid_to is not None and b.valid_to <= a.valid_from)
    )

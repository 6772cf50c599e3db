"""Refs and topics: short names a model can cite, and what could be asked for."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace

from recollect.context.candidate import Candidate, Option
from recollect.model.record import Level
from recollect.text.keyphrases import keyphrases
from recollect.text.terms import terms

MAX_TOPICS = 120
READ_FOR_TOPICS, READ = 30, 300
"""So many texts without a tag or a key are read for a topic, each to so many characters."""
_LETTERS = {"message": "t", "chunk": "c", "contradiction": "x"}


@dataclass(slots=True)
class Refs:
    """Short refs, unique within a context and nearly always the same in the next one: from the id."""

    _by_id: dict[str, str] = field(default_factory=dict)
    _used: set[int] = field(default_factory=set)

    def of(self, c: Candidate) -> str:
        """The ref of a candidate: a letter for what it is and, for three digits, one token more."""
        if c.id not in self._by_id:
            size = 1_000 if len(self._used) < 800 else 1_000_000
            number = int(c.id[-8:], 16) % size
            while number in self._used:
                number = (number + 1) % size
            self._used.add(number)
            self._by_id[c.id] = f"{_LETTERS.get(c.kind, 'm')}{number:03d}"
        return self._by_id[c.id]


def topics(rest: Iterable[Candidate], asked: Collection[str]) -> list[Candidate]:
    """One candidate for each topic of what was left out, the most valuable first, with the topic as text."""
    found: dict[str, Candidate] = {}
    read = 0
    for c in sorted(rest, key=lambda c: (-c.value, c.id)):
        if len(found) == MAX_TOPICS:
            break
        names = tuple(filter(None, c.topics))
        if not names and read < READ_FOR_TOPICS:
            read += 1
            names = tuple(keyphrases(c.text[:READ], 1))
        for name in names[:1]:
            key = " ".join(terms(name))
            if key and key not in found and key not in asked:
                topic = (Option(str(Level.TAG), name.replace("_", " "), 1.0),)
                found[key] = replace(c, options=topic)
    return list(found.values())

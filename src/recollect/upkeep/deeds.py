"""Deeds: what a step wants done, as values. Planning makes them; committing them is somebody else's."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from recollect.model.record import Artifact, Level, Record, Source, Usage
from recollect.model.relation import Contradiction, Link


@dataclass(frozen=True, slots=True)
class Revision:
    """A memory as the step saw it, and as its next version shall be."""

    old: Record
    new: Record


@dataclass(frozen=True, slots=True)
class Carried:
    """A memory that contexts shall carry at another level."""

    id: str
    before: Level
    after: Level


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """Changes that belong together: all of them are made, or none.

    `count` names the counter of the report, which grows by `times`; `tokens` are what contexts need no
    longer carry.
    """

    count: str
    times: int = 1
    tokens: int = 0
    revisions: tuple[Revision, ...] = ()
    sources: tuple[tuple[str, Source], ...] = ()
    artifacts: tuple[tuple[str, Artifact], ...] = ()
    used: tuple[tuple[str, Usage], ...] = ()
    carried: tuple[Carried, ...] = ()
    links: tuple[Link, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()

    def touches(self) -> set[str]:
        """Every memory that must still be there for this to make sense."""
        ids = {revision.old.id for revision in self.revisions}
        ids.update(id for id, _ in (*self.sources, *self.artifacts, *self.used))
        ids.update(one.id for one in self.carried)
        ids.update(end for link in self.links for end in (link.source, link.target))
        ids.update(end for c in self.contradictions for end in (c.memory_a, c.memory_b))
        return ids


def counted(deeds: Iterable[Deed]) -> Counter[str]:
    """The counters that some deeds add to."""
    found: Counter[str] = Counter()
    for deed in deeds:
        found[deed.count] += deed.times
        found["tokens_reclaimed"] += deed.tokens
    return found

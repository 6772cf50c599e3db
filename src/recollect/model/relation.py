"""Link and Contradiction: what memories have to do with each other."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from recollect.model.record import Record, Status


class LinkType(StrEnum):
    """How one memory relates to another."""

    RELATED_TO = "related_to"
    DEPENDS_ON = "depends_on"
    CONTRADICTS = "contradicts"
    SUPERSEDES = "supersedes"
    PART_OF = "part_of"
    CAUSED_BY = "caused_by"
    DERIVED_FROM = "derived_from"


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A typed edge between two memories."""

    source: str
    target: str
    type: LinkType
    created_at: datetime
    strength: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One memory reached by walking links: how far it is, and the link that led there."""

    id: str
    depth: int
    via: Link


class Resolution(StrEnum):
    """How a contradiction was settled."""

    A_WINS = "a_wins"
    B_WINS = "b_wins"
    BOTH_VALID = "both_valid"
    MERGED = "merged"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """Two memories that cannot both be true as they stand."""

    id: str
    space: str
    memory_a: str
    memory_b: str
    reason: str
    detected_at: datetime
    resolved_at: datetime | None = None
    resolution: Resolution | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispute:
    """A contradiction with both its sides as they are now."""

    contradiction: Contradiction
    a: Record
    b: Record

    @property
    def id(self) -> str:
        """The contradiction's id."""
        return self.contradiction.id

    @property
    def open(self) -> bool:
        """Whether somebody still has to decide."""
        believed = (Status.ACTIVE, Status.PENDING)
        held = self.a.status in believed and self.b.status in believed
        return self.contradiction.resolved_at is None and held

"""Record: one memory, derived or stated; `Memory` is the door with the verbs, this is the thing."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from math import floor
from typing import Any

from recollect.model.conversation import Trust


class Kind(StrEnum):
    """What sort of thing a memory is."""

    FACT = "fact"
    DECISION = "decision"
    PREFERENCE = "preference"
    IDENTITY = "identity"
    CONSTRAINT = "constraint"
    INSTRUCTION = "instruction"
    GOAL = "goal"
    ENTITY = "entity"
    PROCEDURE = "procedure"
    EPISODE = "episode"
    PATTERN = "pattern"
    WORKFLOW = "workflow"
    ERROR = "error"
    NOTE = "note"
    PASSAGE = "passage"


DEFAULT_IMPORTANCE = {
    Kind.FACT: 0.5,
    Kind.DECISION: 0.7,
    Kind.PREFERENCE: 0.6,
    Kind.IDENTITY: 0.8,
    Kind.CONSTRAINT: 0.6,
    Kind.INSTRUCTION: 0.8,
    Kind.GOAL: 0.8,
    Kind.ENTITY: 0.5,
    Kind.PROCEDURE: 0.5,
    Kind.EPISODE: 0.5,
    Kind.PATTERN: 0.5,
    Kind.WORKFLOW: 0.5,
    Kind.ERROR: 0.6,
    Kind.NOTE: 0.5,
    Kind.PASSAGE: 0.4,
}


SAME_AS = "same_as"
"""In the metadata of a memory that upkeep joined to another: the one that speaks for both."""


class Level(StrEnum):
    """The same memory at four sizes."""

    FULL = "full"
    SUMMARY = "summary"
    BRIEF = "brief"
    TAG = "tag"


SIZES = (Level.TAG, Level.BRIEF, Level.SUMMARY, Level.FULL)
"""The levels from the smallest to the largest."""
SESSION = "session"
"""The category of the memory that retells a whole conversation."""


class Status(StrEnum):
    """Whether a memory is believed, waiting, replaced, asleep, or set aside."""

    PENDING = "pending"
    ACTIVE = "active"
    SUPERSEDED = "superseded"
    ARCHIVED = "archived"
    FORGOTTEN = "forgotten"
    QUARANTINED = "quarantined"


class EpisodeType(StrEnum):
    """What sort of moment an episode tells."""

    DECISION_MADE = "decision_made"
    PROBLEM_SOLVED = "problem_solved"
    BREAKTHROUGH = "breakthrough"
    ISSUE_IDENTIFIED = "issue_identified"
    TASK_COMPLETED = "task_completed"
    PIVOT = "pivot"


class ArtifactType(StrEnum):
    """What sort of thing outside the memory an artifact names."""

    COMMIT = "commit"
    PR = "pr"
    ADR = "adr"
    FILE = "file"


class SourceKind(StrEnum):
    """What a memory can be derived from."""

    MESSAGE = "message"
    CHUNK = "chunk"
    MEMORY = "memory"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True)
class Source:
    """One thing a memory was derived from."""

    kind: SourceKind
    id: str


@dataclass(frozen=True, slots=True)
class Artifact:
    """A commit, pull request, decision record or file that a memory is about."""

    type: ArtifactType
    ref: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """What an episode has beyond other memories; its significance is the record's importance."""

    type: EpisodeType
    title: str
    context: str = ""
    participants: tuple[str, ...] = ()
    outcome: str | None = None
    valence: float = 0.0
    conversation: str | None = None
    first_turn: int | None = None
    last_turn: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """How often a memory was shown, used and passed over.

    `carried` is the largest level at which contexts carry it: upkeep makes it smaller with age.
    """

    retrieved: int = 0
    cited: int = 0
    ignored: int = 0
    last_used_at: datetime | None = None
    carried: Level = Level.FULL


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One memory, at one version.

    `valid_from`/`valid_to` say when it was true; `recorded_at`/`retired_at` when we believed it.
    """

    id: str
    space: str
    kind: Kind
    text: str
    trust: Trust
    recorded_at: datetime
    valid_from: datetime
    summary: str | None = None
    brief: str | None = None
    tag: str | None = None
    subject: str | None = None
    category: str | None = None
    key: str | None = None
    value: str | None = None
    importance: float = 0.5
    confidence: float = 1.0
    status: Status = Status.ACTIVE
    pinned: bool = False
    tags: tuple[str, ...] = ()
    valid_to: datetime | None = None
    retired_at: datetime | None = None
    version: int = 1
    doubtful: bool = False
    rebuild: bool = False
    episode: Episode | None = None
    made_by: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    sources: tuple[Source, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    usage: Usage = Usage()

    @property
    def significance(self) -> int:
        """Importance on the 1–5 scale of `[sig:n]`."""
        return significance(self.importance)

    def sizes(self) -> tuple[str, str, str, str]:
        """The texts at the four levels, the smallest first; a missing one is that of the next larger."""
        summary = self.text if self.summary is None else self.summary
        brief = summary if self.brief is None else self.brief
        return brief if self.tag is None else self.tag, brief, summary, self.text

    def at(self, level: Level) -> str:
        """The text at a level, or at the next larger one that exists."""
        return self.sizes()[SIZES.index(level)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrative:
    """The arc of a conversation: its episodes by thirds; key moments stand in their third too."""

    beginning: tuple[Record, ...] = ()
    middle: tuple[Record, ...] = ()
    end: tuple[Record, ...] = ()
    key_moments: tuple[Record, ...] = ()


def significance(importance: float) -> int:
    """`1 + round(4 × importance)`, halves up."""
    return 1 + floor(4 * importance + 0.5)


def importance_of(sig: int) -> float:
    """The importance that a `[sig:n]` mark stands for."""
    return (sig - 1) / 4

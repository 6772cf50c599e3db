"""Document: a file that was read. LineRow: which of its lines stands for which memory."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

FOLDER = "folder"
"""The digest of a row that stands for a folder of documents."""
GONE = ""
"""The digest of a file that has vanished."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A file, or a folder of files, as it was when it was last read."""

    id: str
    space: str
    path: str
    digest: str
    bytes: int
    changed_at: datetime
    recorded_at: datetime


class Owner(StrEnum):
    """Whose line it is: written by recollect, by a person, or taken out by one."""

    OURS = "ours"
    THEIRS = "theirs"
    GONE = "gone"


@dataclass(frozen=True, slots=True, kw_only=True)
class LineRow:
    """One line of a file and its memory, as both were when they last agreed."""

    ref: str
    memory: str
    owner: Owner
    line_digest: int
    memory_digest: int


class Tier(StrEnum):
    """The four tiers of memory: the open conversation, the project, the user, everybody."""

    SESSION = "session"
    PROJECT = "project"
    USER = "user"
    SYSTEM = "system"

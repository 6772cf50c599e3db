"""Space: where memories live and who may see them. View: the spaces a reader sees, in order."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from recollect.errors import InvalidInput

_SEGMENT = re.compile(
    r"[a-z][a-z0-9_-]{0,31}:[^\s/\x00-\x1f\x7f](?:[^/\x00-\x1f\x7f]{0,98}[^\s/\x00-\x1f\x7f])?"
)
SYSTEM = "system"
MAX_PATH = 200


def checked_space(path: object) -> str:
    """A valid space path, or InvalidInput: `kind:name` segments joined by `/`, or `system`."""
    if not isinstance(path, str):
        raise InvalidInput(f"a space is named by text such as 'user:alex', not {type(path).__name__}")
    well_formed = path == SYSTEM or all(_SEGMENT.fullmatch(part) for part in path.split("/"))
    if not well_formed or len(path) > MAX_PATH or any(0xD800 <= ord(c) <= 0xDFFF for c in path):
        raise InvalidInput(
            f"{path[:60]!r} is not a space: write 'kind:name' (such as 'user:alex' or 'project:phoenix'), "
            f"nested with '/', or 'system', in at most {MAX_PATH} characters"
        )
    return path


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """A place for memories; `policy` holds what an app or tenant decided for it."""

    path: str
    created_at: datetime
    policy: dict[str, Any] = field(default_factory=dict)

    @property
    def parent(self) -> str | None:
        """The space around this one, if it is nested."""
        return self.path.rpartition("/")[0] or None


@dataclass(frozen=True, slots=True)
class View:
    """The ordered spaces a reader sees, most specific first. Writes go to the first."""

    spaces: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.spaces:
            raise InvalidInput("a view needs at least one space, such as 'user:alex'")
        for path in self.spaces:
            checked_space(path)
        if len(set(self.spaces)) != len(self.spaces):
            raise InvalidInput("a view names each space once")

    @property
    def home(self) -> str:
        """Where this view writes: its most specific space."""
        return self.spaces[0]


def spaces_of(view: str | Sequence[str]) -> tuple[str, ...]:
    """The spaces of a view, given as a list or as text with commas."""
    if isinstance(view, str):
        return tuple(part.strip() for part in view.split(","))
    return tuple(view)

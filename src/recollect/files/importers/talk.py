"""What the parsers read out of a file, and the small things they share."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from recollect.model.conversation import Role
from recollect.model.graph import Entity, Relation

LONGEST = 200_000
"""Characters of one message that are kept: more is a document, not something said."""
LONGEST_OUTPUT = 8_000
"""Characters of a tool's output that are kept."""
CUT = "\n[cut]"
_OURS = re.compile(r"<memory\b[^>]*>.*?</memory>|<system-reminder>.*?</system-reminder>", re.DOTALL)
ROLES = {
    "user": Role.USER,
    "human": Role.USER,
    "you": Role.USER,
    "me": Role.USER,
    "assistant": Role.ASSISTANT,
    "ai": Role.ASSISTANT,
    "bot": Role.ASSISTANT,
    "model": Role.ASSISTANT,
    "chatgpt": Role.ASSISTANT,
    "claude": Role.ASSISTANT,
    "gemini": Role.ASSISTANT,
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "tool": Role.TOOL,
    "function": Role.TOOL,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One thing said; `key` is what tells it from every other message of its source."""

    key: str
    role: Role
    text: str
    at: datetime | None = None
    speaker: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """One conversation; `key` stays the same when the file has grown."""

    key: str
    said: tuple[Said, ...]
    title: str | None = None
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted:
    """One memory of another program."""

    key: str
    text: str
    at: datetime | None = None
    tags: tuple[str, ...] = ()
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A graph of another program."""

    entities: tuple[Entity, ...]
    relations: tuple[Relation, ...]


@dataclass(frozen=True, slots=True)
class Unread:
    """A part of a file that does not make sense, and why."""

    why: str


Read = Talk | Noted | Drawn | Unread


def objects(text: str, unread: list[Unread]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The objects of JSON Lines by line number; the rest goes to `unread`, but no last line half written."""
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            held = json.loads(line)
        except (json.JSONDecodeError, RecursionError):
            if number < len(lines):
                unread.append(Unread(f"line {number} is not JSON"))
            continue
        if isinstance(held, dict):
            yield number, held
        else:
            unread.append(Unread(f"line {number} is not an object"))


def whole(text: str) -> Any:
    """A JSON text, or why it is none."""
    try:
        return json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        return Unread(f"it is not JSON: {error}")


def moment(value: Any) -> datetime | None:
    """A time as programs write it: ISO 8601, or seconds or milliseconds since 1970."""
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value / 1_000 if value > 1e11 else value, UTC)
        at = datetime.fromisoformat(value)
    except (TypeError, ValueError, OverflowError, OSError):
        return None
    return at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)


def clean(text: Any, longest: int = LONGEST) -> str:
    """A text that can be stored, without what was recalled into it: that is never remembered anew."""
    if not isinstance(text, str):
        return ""
    sound = text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")
    plain = _OURS.sub("", sound).strip() if "<" in sound else sound.strip()
    return plain if len(plain) <= longest else plain[:longest] + CUT


def blocks(content: Any) -> Iterator[Mapping[str, Any]]:
    """Content that is a text, or a list of typed blocks."""
    if isinstance(content, str):
        yield {"type": "text", "text": content}
    elif isinstance(content, list):
        for block in content:
            if isinstance(block, str):
                yield {"type": "text", "text": block}
            elif isinstance(block, dict):
                yield block


def text_of(content: Any, longest: int = LONGEST) -> str:
    """The text of some content."""
    parts = (block.get("text") for block in blocks(content))
    return clean("\n".join(part for part in parts if isinstance(part, str)), longest)

"""Conversation, Message and Chunk: what was said, and the runs of it that were summarised."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


class ConversationStatus(StrEnum):
    """Where a conversation is in its life."""

    ACTIVE = "active"
    PAUSED = "paused"
    ENDED = "ended"


class Role(StrEnum):
    """Who a message speaks for."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


class Trust(StrEnum):
    """How far a text may be believed: the channel it came through, bound when it is written.

    A derived memory has the least trust of its sources; nothing raises it.
    """

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    DOCUMENT = "document"
    IMPORTED = "imported"

    @property
    def rank(self) -> int:
        """0 for the least trusted; the order of the definition is the order of trust."""
        return _TRUST_RANK[self]

    @classmethod
    def least(cls, *sources: "Trust") -> "Trust":
        """The trust of something derived from these sources."""
        return min(sources, key=lambda trust: trust.rank)


_TRUST_RANK = {trust: rank for rank, trust in enumerate(reversed(Trust))}

TRUST_OF_ROLE = {
    Role.USER: Trust.USER,
    Role.ASSISTANT: Trust.ASSISTANT,
    Role.SYSTEM: Trust.ASSISTANT,
    Role.TOOL: Trust.TOOL,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A run of messages in one space.

    `digested`, `chunked` and `enhanced` are the last turns that facts were drawn from, that a chunk
    covers, and that an LLM has read.
    """

    id: str
    space: str
    status: ConversationStatus
    started_at: datetime
    turns: int = 0
    digested: int = 0
    chunked: int = 0
    enhanced: int = 0
    title: str | None = None
    ended_at: datetime | None = None
    last_at: datetime | None = None
    summary: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMessage:
    """A message before it has a place: what `add_many` takes."""

    text: str
    role: Role = Role.USER
    speaker: str | None = None
    said_at: datetime | None = None
    trust: Trust | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One thing said. It is never rewritten, only erased on request."""

    id: str
    space: str
    conversation: str
    turn: int
    role: Role
    text: str
    trust: Trust
    said_at: datetime
    recorded_at: datetime
    speaker: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A run of old messages with its summary and topics; chunks merge into bigger chunks."""

    id: str
    space: str
    conversation: str
    level: int
    first_turn: int
    last_turn: int
    summary: str
    topics: tuple[str, ...]
    tokens: int
    trust: Trust
    recorded_at: datetime
    parent: str | None = None
    made_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recent:
    """What a context carries of a conversation: summaries of what is old, then the last messages."""

    conversation: Conversation
    chunks: tuple[Chunk, ...] = ()
    messages: tuple[Message, ...] = ()

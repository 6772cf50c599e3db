"""Values in the camelCase shapes of the `.project-memory/` files, and back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from recollect.errors import InvalidInput
from recollect.ingest import gate
from recollect.model.conversation import (
    TRUST_OF_ROLE,
    Chunk,
    Conversation,
    ConversationStatus,
    Message,
    Role,
    Trust,
)
from recollect.model.decay import decay
from recollect.model.ids import derived_id
from recollect.model.record import (
    DEFAULT_IMPORTANCE,
    Episode,
    EpisodeType,
    Kind,
    Record,
    Source,
    SourceKind,
    Status,
    Usage,
)
from recollect.model.relation import Link, LinkType
from recollect.model.wire import encoded


def memory_out(r: Record, links: Sequence[Link], now: datetime) -> dict[str, Any]:
    """A memory as `LongTermMemory`."""
    return {
        "id": r.id,
        "type": str(r.kind),
        "content": r.text,
        "category": r.category or "general",
        "key": r.key,
        "value": r.value,
        "tags": list(r.tags),
        "relationships": [
            {
                "targetId": k.target,
                "type": str(k.type),
                "strength": k.strength,
                "createdAt": encoded(k.created_at),
            }
            for k in links
        ],
        "validFrom": encoded(r.valid_from),
        "validUntil": encoded(r.valid_to),
        "createdAt": encoded(r.recorded_at),
        "metadata": _metadata_out(r, now),
    }


def episode_out(r: Record, links: Sequence[Link], now: datetime) -> dict[str, Any]:
    """An episode as `EpisodicMemory`."""
    e = r.episode
    assert e is not None
    return {
        "id": r.id,
        "type": "episode",
        "episodeType": str(e.type),
        "title": e.title,
        "summary": r.text,
        "context": e.context,
        "participants": list(e.participants),
        "outcome": e.outcome,
        "emotionalValence": e.valence,
        "significance": r.importance,
        "linkedMemories": [k.target for k in links],
        "conversationRef": {
            "conversationId": e.conversation,
            "turnRange": {"start": e.first_turn, "end": e.last_turn},
        },
        "createdAt": encoded(r.recorded_at),
        "metadata": _metadata_out(r, now),
    }


def conversation_out(
    c: Conversation, said: Sequence[Message], chunks: Sequence[Chunk], episodes: Sequence[Record]
) -> dict[str, Any]:
    """A conversation with the messages that no chunk covers."""
    own = [k for k in chunks if k.conversation == c.id]
    chunked = max((k.last_turn for k in own), default=0)
    milestones = [r.id for r in episodes if r.episode and r.episode.conversation == c.id]
    return {
        "id": c.id,
        "projectId": c.space,
        "startedAt": encoded(c.started_at),
        "endedAt": encoded(c.ended_at),
        "status": str(c.status),
        "totalTurns": c.turns,
        "chunks": [k.id for k in own],
        "recentMessages": [_message_out(m) for m in said if m.turn > chunked],
        "activeFacts": [],
        "milestones": milestones,
    }


def chunk_out(c: Chunk, number: int, said: Sequence[Message]) -> dict[str, Any]:
    """A chunk with its messages."""
    return {
        "id": c.id,
        "conversationId": c.conversation,
        "chunkNumber": number,
        "messages": [_message_out(m) for m in said if c.first_turn <= m.turn <= c.last_turn],
        "summary": c.summary,
        "keyTopics": list(c.topics),
        "tokenCount": c.tokens,
        "createdAt": encoded(c.recorded_at),
    }


def _message_out(m: Message) -> dict[str, Any]:
    return {
        "id": m.id,
        "role": str(m.role),
        "content": m.text,
        "speaker": m.speaker,
        "timestamp": encoded(m.said_at),
    }


def _metadata_out(r: Record, now: datetime) -> dict[str, Any]:
    last = r.usage.last_used_at or r.recorded_at
    return {
        "source": [{"kind": str(s.kind), "id": s.id} for s in r.sources],
        "importance": r.importance,
        "accessCount": r.usage.retrieved,
        "lastAccessedAt": encoded(last),
        "decayFactor": round(decay(last, r.usage.retrieved, now), 4),
    }


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads the objects of a folder into one space."""

    space: str
    now: datetime

    def id(self, item: Mapping[str, Any], field: str) -> str:
        """The id in a field; one that is no UUID becomes the same UUID every time."""
        return self._id(item.get(field), field)

    def conversation(self, item: Mapping[str, Any]) -> Conversation:
        """A conversation without its messages."""
        return Conversation(
            id=self.id(item, "id"),
            space=self.space,
            status=gate.choice(item.get("status", "ended"), ConversationStatus, "status"),
            started_at=self._time(item, "startedAt"),
            ended_at=self._time(item, "endedAt") if item.get("endedAt") else None,
        )

    def message(self, item: Any, conversation: str, turn: int) -> Message:
        """A message at its turn."""
        if not isinstance(item, Mapping):
            raise InvalidInput(f"a message must be an object, not {type(item).__name__}")
        role = gate.choice(item.get("role", "user"), Role, "role")
        named = item.get("id") or f"{conversation}/{turn}"
        return Message(
            id=self._id(named, "id"),
            space=self.space,
            conversation=conversation,
            turn=turn,
            role=role,
            text=gate.redacted(gate.text(item.get("content"), "a message's content"))[0],
            trust=TRUST_OF_ROLE[role],
            said_at=self._time(item, "timestamp"),
            recorded_at=self.now,
            speaker=gate.name(item.get("speaker"), "speaker"),
        )

    def chunk(self, item: Mapping[str, Any]) -> Chunk:
        """A chunk; its turns follow from its number where the messages are not in it."""
        size = len(item.get("messages") or []) or 10
        number = gate.count(item.get("chunkNumber", 1), "chunkNumber", 1, 10**9)
        return Chunk(
            id=self.id(item, "id"),
            space=self.space,
            conversation=self.id(item, "conversationId"),
            level=0,
            first_turn=(number - 1) * size + 1,
            last_turn=number * size,
            summary=gate.text(item.get("summary"), "a chunk's summary"),
            topics=gate.tags(item.get("keyTopics") or []),
            tokens=gate.count(item.get("tokenCount", 0), "tokenCount", 0, 10**9),
            trust=Trust.ASSISTANT,
            recorded_at=self._time(item, "createdAt"),
        )

    def memory(self, item: Mapping[str, Any]) -> Record:
        """A memory from a `LongTermMemory`."""
        kind = gate.choice(item.get("type", "fact"), Kind, "type")
        key, value = item.get("key"), item.get("value")
        ended = self._time(item, "validUntil") if item.get("validUntil") else None
        return Record(
            id=self.id(item, "id"),
            kind=kind,
            text=gate.redacted(gate.text(item.get("content"), "a memory's content"))[0],
            category=gate.name(item.get("category"), "category"),
            key=gate.name(key, "key") if value else None,
            value=gate.text(value, "value") if key and value else None,
            tags=gate.tags(item.get("tags") or []),
            valid_from=self._time(item, "validFrom"),
            valid_to=ended,
            status=Status.SUPERSEDED if ended and ended <= self.now else Status.ACTIVE,
            **self._common(item, DEFAULT_IMPORTANCE[kind]),
        )

    def episode(self, item: Mapping[str, Any]) -> Record:
        """A memory from an `EpisodicMemory`."""
        ref = item.get("conversationRef") or {}
        turns = ref.get("turnRange") or {}
        told = Episode(
            type=gate.choice(item.get("episodeType", EpisodeType.TASK_COMPLETED), EpisodeType, "episodeType"),
            title=gate.text(item.get("title"), "an episode's title"),
            context=str(item.get("context") or ""),
            participants=gate.tags(item.get("participants") or []),
            outcome=item.get("outcome"),
            valence=gate.share(item.get("emotionalValence", 0.0), "emotionalValence", low=-1.0),
            conversation=self._id(ref["conversationId"], "conversationId")
            if ref.get("conversationId")
            else None,
            first_turn=turns.get("start"),
            last_turn=turns.get("end"),
        )
        significance = gate.share(item.get("significance", 0.5), "significance")
        return Record(
            id=self.id(item, "id"),
            kind=Kind.EPISODE,
            text=gate.redacted(gate.text(item.get("summary"), "an episode's summary"))[0],
            episode=told,
            valid_from=self._time(item, "createdAt"),
            **(self._common(item, significance) | {"importance": significance}),
        )

    def links(self, item: Mapping[str, Any]) -> list[Link]:
        """The relationships of a memory, or the memories an episode is linked to."""
        source = self.id(item, "id")
        related = [{"targetId": id} for id in item.get("linkedMemories") or []]
        return [
            Link(
                source=source,
                target=self.id(edge, "targetId"),
                type=gate.choice(edge.get("type", "related_to"), LinkType, "relationship type"),
                strength=gate.share(edge.get("strength", 1.0), "strength"),
                created_at=self._time(edge, "createdAt"),
            )
            for edge in [*(item.get("relationships") or []), *related]
        ]

    def _common(self, item: Mapping[str, Any], importance: float) -> dict[str, Any]:
        about = item.get("metadata") or {}
        used = self._time(about, "lastAccessedAt") if about.get("lastAccessedAt") else None
        count = gate.count(about.get("accessCount", 0), "accessCount", 0, 10**9)
        sources = about.get("source")
        return {
            "space": self.space,
            "importance": gate.share(about.get("importance", importance), "importance"),
            "trust": Trust.IMPORTED,
            "recorded_at": self._time(item, "createdAt"),
            "usage": Usage(retrieved=count, last_used_at=used) if count else Usage(),
            "sources": tuple(
                Source(SourceKind(s["kind"]), self._id(s["id"], "source"))
                for s in (sources if isinstance(sources, list) else [])
            ),
        }

    def _id(self, named: object, field: str) -> str:
        from recollect.model.ids import checked_id

        if not isinstance(named, str) or not named:
            raise InvalidInput(f"{field} must be a text, not {named!r}")
        try:
            return checked_id(named)
        except InvalidInput:
            return derived_id(datetime(2020, 1, 1, tzinfo=UTC), "project-memory", self.space, named)

    def _time(self, item: Mapping[str, Any], field: str) -> datetime:
        held = item.get(field)
        if held is None:
            return self.now
        try:
            at = datetime.fromisoformat(held)
        except (TypeError, ValueError):
            raise InvalidInput(f"{field}: {held!r} is not an ISO 8601 time") from None
        return at if at.tzinfo else at.replace(tzinfo=UTC)

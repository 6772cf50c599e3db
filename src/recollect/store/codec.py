"""Rows to values and back: JSON, moments, digests. The one place that knows column formats."""

import json
from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime
from hashlib import blake2b
from typing import Any

from recollect.model.conversation import (
    Chunk,
    Conversation,
    ConversationStatus,
    Message,
    Role,
    Trust,
)
from recollect.model.ids import micros, moment
from recollect.model.record import (
    Artifact,
    Episode,
    EpisodeType,
    Kind,
    Level,
    Record,
    Source,
    Status,
    Usage,
)
from recollect.store.database import Row

MEMORY_COLUMNS = (
    "tenant", "id", "version", "space", "kind", "status", "body", "summary", "brief", "tag",
    "subject", "category", "key", "value", "importance", "confidence", "trust", "pinned", "doubtful",
    "rebuild", "tags", "episode", "made_by", "metadata", "valid_from", "valid_to", "recorded_at",
    "retired_at", "digest", "seq",
)  # fmt: skip

UNUSED = Usage()
_KINDS = {str(kind): kind for kind in Kind}
_STATUSES = {str(status): status for status in Status}
_TRUSTS = {str(trust): trust for trust in Trust}
_ROLES = {str(role): role for role in Role}
"""By name: calling an enumeration takes nine times as long, and hundreds of rows are read for a context."""


def digest(*parts: object) -> int:
    """A 64-bit checksum of a row's content, to tell damage from data."""
    joined = "\x1f".join(map(str, parts)).encode("utf-8")
    return int.from_bytes(blake2b(joined, digest_size=8).digest(), signed=True)


def packed(value: Any) -> str | None:
    """JSON text for a value; nothing for an empty one."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) if value else None


def unpacked(text: str | None) -> dict[str, Any]:
    """The mapping in a JSON column, empty where there is none."""
    return json.loads(text) if text else {}


def optional_micros(at: datetime | None) -> int | None:
    """Microseconds of a moment that may be missing."""
    return None if at is None else micros(at)


def optional_moment(value: int | None) -> datetime | None:
    """The moment in a column that may be empty."""
    return None if value is None else moment(value)


def conversation(row: Row) -> Conversation:
    """A conversation from its row."""
    return Conversation(
        id=row["id"],
        space=row["space"],
        status=ConversationStatus(row["status"]),
        started_at=moment(row["started_at"]),
        turns=row["turns"],
        digested=row["digested"],
        chunked=row["chunked"],
        enhanced=row["enhanced"],
        title=row["title"],
        ended_at=optional_moment(row["ended_at"]),
        last_at=optional_moment(row["last_at"]),
        summary=row["summary"],
        metadata=unpacked(row["metadata"]),
    )


def message(row: Row) -> Message:
    """A message from its row."""
    return Message(
        id=row["id"],
        space=row["space"],
        conversation=row["conversation"],
        turn=row["turn"],
        role=_ROLES[row["role"]],
        text=row["body"],
        trust=_TRUSTS[row["trust"]],
        said_at=moment(row["said_at"]),
        recorded_at=moment(row["recorded_at"]),
        speaker=row["speaker"],
        metadata=unpacked(row["metadata"]),
    )


def message_digest(m: Message) -> int:
    """The checksum of a message's content."""
    said = micros(m.said_at)
    return digest(m.id, m.conversation, m.turn, m.role, m.speaker, m.trust, m.text, said)


def chunk(row: Row) -> Chunk:
    """A chunk from its row."""
    return Chunk(
        id=row["id"],
        space=row["space"],
        conversation=row["conversation"],
        level=row["level"],
        first_turn=row["first_turn"],
        last_turn=row["last_turn"],
        summary=row["body"],
        topics=tuple(json.loads(row["topics"])),
        tokens=row["tokens"],
        trust=_TRUSTS[row["trust"]],
        recorded_at=moment(row["recorded_at"]),
        parent=row["parent"],
        made_by=row["made_by"],
    )


def chunk_digest(c: Chunk) -> int:
    """The checksum of a chunk's content."""
    return digest(c.id, c.conversation, c.level, c.first_turn, c.last_turn, c.summary, *c.topics)


def record(
    row: Row,
    sources: Iterable[Source] = (),
    artifacts: Iterable[Artifact] = (),
    usage: Usage = UNUSED,
) -> Record:
    """A memory from its row and what hangs on it."""
    return Record(
        id=row["id"],
        version=row["version"],
        space=row["space"],
        kind=_KINDS[row["kind"]],
        status=_STATUSES[row["status"]],
        text=row["body"],
        summary=row["summary"],
        brief=row["brief"],
        tag=row["tag"],
        subject=row["subject"],
        category=row["category"],
        key=row["key"],
        value=row["value"],
        importance=row["importance"],
        confidence=row["confidence"],
        trust=_TRUSTS[row["trust"]],
        pinned=bool(row["pinned"]),
        doubtful=bool(row["doubtful"]),
        rebuild=bool(row["rebuild"]),
        tags=_tags(row),
        episode=_episode(row["episode"]),
        made_by=row["made_by"],
        metadata=unpacked(row["metadata"]),
        valid_from=moment(row["valid_from"]),
        valid_to=optional_moment(row["valid_to"]),
        recorded_at=moment(row["recorded_at"]),
        retired_at=optional_moment(row["retired_at"]),
        sources=tuple(sources),
        artifacts=tuple(artifacts),
        usage=usage,
    )


def names(row: Row) -> tuple[str, ...]:
    """What the row of a memory may be called; some may be empty."""
    return (*_tags(row), row["category"] or "", row["key"] or "", row["tag"] or "")


def _tags(row: Row) -> tuple[str, ...]:
    return tuple(json.loads(row["tags"])) if row["tags"] != "[]" else ()


def usage(row: Row) -> Usage:
    """The counters of a memory from their row."""
    return Usage(
        retrieved=row["retrieved"],
        cited=row["cited"],
        ignored=row["ignored"],
        last_used_at=optional_moment(row["last_used_at"]),
        carried=Level(row["carried"]),
    )


def record_row(r: Record, tenant: str, seq: int) -> tuple[Any, ...]:
    """The row of a memory, in the order of MEMORY_COLUMNS."""
    return (
        tenant, r.id, r.version, r.space, r.kind, r.status, r.text, r.summary, r.brief, r.tag,
        r.subject, r.category, r.key, r.value, r.importance, r.confidence, r.trust, int(r.pinned),
        int(r.doubtful), int(r.rebuild), json.dumps(r.tags, ensure_ascii=False),
        packed(asdict(r.episode)) if r.episode else None, r.made_by, packed(r.metadata),
        micros(r.valid_from), optional_micros(r.valid_to), micros(r.recorded_at),
        optional_micros(r.retired_at), record_digest(r), seq,
    )  # fmt: skip


def record_digest(r: Record) -> int:
    """The checksum of a memory version's content."""
    levels = (r.text, r.summary, r.brief, r.tag)
    keyed = (r.subject, r.category, r.key, r.value)
    return digest(r.id, r.version, r.space, r.kind, *levels, *keyed, r.trust, micros(r.valid_from))


def _episode(text: str | None) -> Episode | None:
    if not text:
        return None
    fields = json.loads(text)
    fields["type"] = EpisodeType(fields["type"])
    fields["participants"] = tuple(fields["participants"])
    return Episode(**fields)

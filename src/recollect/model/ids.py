"""Ids: UUIDv7 strings, sortable by time and made by the client, so a retried write is recognised."""

import os
import re
import uuid
from datetime import UTC, datetime, timedelta
from hashlib import blake2b

from recollect.errors import InvalidInput

_CANONICAL = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_VARIANT = 0x8000_0000_0000_0000
_RANDOM_62 = (1 << 62) - 1
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def new_id(at: datetime) -> str:
    """A UUIDv7 for a moment: microseconds in front (RFC 9562, method 3), 62 random bits behind."""
    return ids_from(at, 1)[0]


def ids_from(at: datetime, count: int) -> list[str]:
    """Ids for a batch written at one moment, in order: the sub-millisecond field counts up."""
    start = micros(at) << 2
    noise = os.urandom(8 * count)
    found = []
    for i in range(count):
        tick = start + i  # a quarter of a microsecond each: 4,000 a millisecond, then it runs ahead
        millis, part = divmod(tick, 4_000)
        low = int.from_bytes(noise[8 * i : 8 * i + 8]) & _RANDOM_62 | _VARIANT
        text = f"{millis << 16 | 0x7000 | part:016x}{low:016x}"
        found.append(f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}")
    return found


def derived_id(at: datetime, *parts: str) -> str:
    """The id of something derived: the same sources give the same id, sorted by the same time."""
    noise = blake2b("\x1f".join(parts).encode("utf-8"), digest_size=10).digest()
    millis = micros(at) // 1_000
    part = int.from_bytes(noise[:2]) & 0xFFF
    low = int.from_bytes(noise[2:]) & _RANDOM_62 | _VARIANT
    return str(uuid.UUID(int=(millis << 16 | 0x7000 | part) << 64 | low))


def made_at(id: str) -> datetime:
    """When the thing with an id was first written (or, if derived, what it was derived from)."""
    return _EPOCH + timedelta(milliseconds=int(id[:8] + id[9:13], 16))


def checked_id(value: object, what: str = "id") -> str:
    """The canonical form of an id, or InvalidInput."""
    if isinstance(value, uuid.UUID):
        return str(value)
    if not isinstance(value, str):
        raise InvalidInput(f"{what} must be a UUID string, not {type(value).__name__}")
    if _CANONICAL.fullmatch(value):
        return value
    try:
        return str(uuid.UUID(value))
    except ValueError:
        raise InvalidInput(
            f"{what} {value[:60]!r} is not a UUID; pass an id that recollect returned"
        ) from None


def micros(at: datetime) -> int:
    """Microseconds since 1970: how every database and index holds a moment."""
    delta = at - _EPOCH
    return (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds


def moment(value: int) -> datetime:
    """The moment of a count of microseconds since 1970."""
    return _EPOCH + timedelta(microseconds=value)

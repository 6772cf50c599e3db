"""The gate: what may be stored. Everything is checked before anything is written."""

import json
import math
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, TypeVar

from recollect.errors import InvalidInput, TooLarge

E = TypeVar("E", bound=StrEnum)

MAX_TEXT = 1_000_000
"""Bytes of one message or memory: beyond this it is a document, to be cut into passages."""
MAX_NAME = 200
MAX_METADATA = 65_536
MAX_TAGS = 64


def text(value: object, what: str, limit: int = MAX_TEXT) -> str:
    """Text that both databases can hold: not blank, no NUL, no lone surrogates, not too long."""
    if not isinstance(value, str):
        raise InvalidInput(f"{what} must be text, not {type(value).__name__}")
    if not value or value.isspace():
        raise InvalidInput(f"{what} is empty: pass some text")
    return _storable(value, what, limit)


def name(value: object, what: str) -> str | None:
    """A short optional text such as a speaker, a title or a key."""
    return None if value is None else text(value, what, MAX_NAME)


def redacted(value: str) -> tuple[str, str | None]:
    """A text without its secrets, and what was taken out, for the receipt."""
    from recollect.text.redact import redact

    clean = redact(value)
    if not clean.found:
        return value, None
    kinds = dict.fromkeys(secret.kind for secret in clean.found)
    return clean.text, f"redacted: {', '.join(kinds)}"


def _storable(value: str, what: str, limit: int) -> str:
    if "\0" in value:
        raise InvalidInput(f"{what} has a NUL character at position {value.index(chr(0))}: remove it")
    try:
        size = len(value) if value.isascii() else len(value.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"{what} has a lone surrogate at position {error.start}: decode it with errors='replace'"
        ) from None
    if size > limit:
        raise TooLarge(f"{what} has {size:,} bytes, the limit is {limit:,}: split it into parts")
    return value


def moment(value: object, what: str) -> datetime:
    """A time with its zone, in UTC."""
    if not isinstance(value, datetime):
        raise InvalidInput(f"{what} must be a datetime, not {type(value).__name__}")
    if value.tzinfo is None:
        raise InvalidInput(f"{what} has no time zone: use datetime.now(UTC) or .replace(tzinfo=UTC)")
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise InvalidInput(f"{what} is outside the years 1 to 9999 in UTC") from None


def optional_moment(value: object, what: str) -> datetime | None:
    """A time with its zone, or nothing."""
    return None if value is None else moment(value, what)


def share(value: object, what: str, low: float = 0.0) -> float:
    """A number from 0 (or another low) to 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InvalidInput(f"{what} must be a number, not {value!r}")
    if not low <= value <= 1:
        raise InvalidInput(f"{what} must be from {low:g} to 1, not {value:g}")
    return float(value)


def choice(value: object, options: type[E], what: str) -> E:
    """A member of an enumeration, by itself or by its name."""
    if isinstance(value, options):
        return value
    try:
        return options(str(value))
    except ValueError:
        known = ", ".join(options)
        raise InvalidInput(f"{what} {str(value)[:60]!r} is not known; choose one of: {known}") from None


def choices(values: Iterable[object], options: type[E], what: str) -> tuple[E, ...]:
    """Several members of an enumeration."""
    return tuple(choice(value, options, what) for value in _listed(values, what))


def tags(values: object) -> tuple[str, ...]:
    """Tags: short texts, each once, in the order given."""
    listed = _listed(values, "tags")
    if len(listed) > MAX_TAGS:
        raise TooLarge(f"{len(listed)} tags are too many: keep to {MAX_TAGS}")
    return tuple(dict.fromkeys(text(value, "a tag", MAX_NAME) for value in listed))


def metadata(value: object) -> dict[str, Any]:
    """A JSON object of your own, stored as it is and never interpreted."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InvalidInput(f"metadata must be a mapping, not {type(value).__name__}")
    try:
        packed = json.dumps(dict(value), ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"metadata must be plain JSON: {error}") from None
    if "\\u0000" in packed:
        raise InvalidInput("metadata has a NUL character: remove it")
    _storable(packed, "metadata", MAX_METADATA)
    kept: dict[str, Any] = json.loads(packed)
    return kept


def flag(value: object, what: str) -> bool:
    """True or False, and nothing that merely looks like it."""
    if not isinstance(value, bool):
        raise InvalidInput(f"{what} must be True or False, not {value!r}")
    return value


def count(value: object, what: str, low: int, high: int) -> int:
    """A whole number within bounds."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise InvalidInput(f"{what} must be a whole number from {low:,} to {high:,}, not {value!r}")
    return value


def _listed(values: object, what: str) -> list[Any]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InvalidInput(f"{what} must be a list of texts, not {type(values).__name__}")
    return list(values)

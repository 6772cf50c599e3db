"""What the adapters share: labels for exact lookup, pages to their end, JSON without secrets."""

import json
from collections.abc import Callable, Iterator
from hashlib import blake2b
from typing import Any, TypeVar

from recollect.errors import InvalidInput
from recollect.memory import MAX_PAGE, Memory
from recollect.model.filter import Filter, Page
from recollect.model.record import Record
from recollect.text.redact import redact

T = TypeVar("T")

OPAQUE = frozenset({"id", "call_id", "encrypted_content", "type"})
"""What a framework needs back letter for letter, and no person writes."""


def label(*parts: str) -> str:
    """A short name for a list of texts, whatever is in them; it adds no words to what is searched."""
    packed = json.dumps(parts, ensure_ascii=True)
    return f"x{blake2b(packed.encode('ascii'), digest_size=12).hexdigest()}"


def pages(turn: Callable[[str | None], Page[T]]) -> Iterator[T]:
    """Everything of a list that comes in pages."""
    after = None
    while True:
        page = turn(after)
        yield from page.items
        if page.next is None:
            return
        after = page.next


def records(memory: Memory, wanted: Filter) -> Iterator[Record]:
    """All memories of a view that fit, newest first."""
    return pages(lambda after: memory.list(wanted, limit=MAX_PAGE, after=after))


def clean(value: Any) -> Any:
    """JSON data without the secrets in its texts: metadata is stored as it is, so it is cleaned before."""
    try:
        packed = json.dumps(_clean(value), ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"this must be plain JSON to be kept: {error}") from None
    found = redact(packed)
    if not found.found:
        return json.loads(packed)
    try:  # a secret that only its name gives away, such as {"password": "…"}
        return json.loads(found.text)
    except ValueError:
        raise InvalidInput(f"this holds a secret ({found.found[0].kind}) that cannot be taken out") from None


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return redact(value).text
    if isinstance(value, dict):
        return {name: held if name in OPAQUE else _clean(held) for name, held in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(held) for held in value]
    return value

"""mem0 exports: memories as `get_all` gives them, a list or {"results": […]}."""

from collections.abc import Iterator
from hashlib import blake2b
from typing import Any

from recollect.files.importers.talk import Noted, Read, Unread, clean, moment, whole

_OWNERS = ("user_id", "agent_id", "app_id", "run_id")


def parse(text: str, name: str) -> Iterator[Read]:
    """All memories of an export; a memory without an id is known by its words."""
    held = whole(text)
    if isinstance(held, dict):
        held = next((held[part] for part in ("results", "memories", "data") if part in held), held)
    if isinstance(held, Unread) or not isinstance(held, list):
        yield held if isinstance(held, Unread) else Unread(f"{name} has no list of memories")
        return
    for number, memory in enumerate(held, 1):
        told = clean(_text(memory))
        if not told:
            yield Unread(f"memory {number} has no text")
            continue
        key = str(memory.get("id") or blake2b(told.encode("utf-8"), digest_size=16).hexdigest())
        kept = {part: memory[part] for part in (*_OWNERS, "metadata") if memory.get(part)}
        tags = memory.get("categories")
        at = moment(memory.get("created_at")) or moment(memory.get("updated_at"))
        named = tuple(clean(tag, 200) for tag in tags if clean(tag)) if isinstance(tags, list) else ()
        yield Noted(key=key, text=told, at=at, tags=named, metadata={"mem0": kept} if kept else {})


def _text(memory: Any) -> Any:
    if not isinstance(memory, dict):
        return None
    return next((memory[part] for part in ("memory", "text", "data", "content") if memory.get(part)), None)

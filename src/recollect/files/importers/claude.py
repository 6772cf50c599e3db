"""Claude exports: `conversations.json`, each with its chat_messages in order."""

from collections.abc import Iterator, Mapping
from typing import Any

from recollect.files.importers.talk import ROLES, Read, Said, Talk, Unread, clean, moment, text_of, whole


def parse(text: str, name: str) -> Iterator[Read]:
    """All conversations of an export."""
    held = whole(text)
    if isinstance(held, Unread):
        yield held
        return
    for number, chat in enumerate(held if isinstance(held, list) else [held], 1):
        messages = chat.get("chat_messages") if isinstance(chat, dict) else None
        if not isinstance(messages, list):
            yield Unread(f"conversation {number} has no chat_messages")
            continue
        key = str(chat.get("uuid") or f"{name}:{number}")
        said = tuple(one for i, m in enumerate(messages) if (one := _said(m, f"{key}:{i}")) is not None)
        if said:
            title = clean(chat.get("name"), 200) or None
            yield Talk(key=key, said=said, title=title, at=moment(chat.get("created_at")) or said[0].at)


def _said(message: Any, place: str) -> Said | None:
    if not isinstance(message, dict):
        return None
    role = ROLES.get(str(message.get("sender")))
    text = _spoken(message)
    if role is None or not text:
        return None
    key = str(message.get("uuid") or place)
    return Said(key=key, role=role, text=text, at=moment(message.get("created_at")))


def _spoken(message: Mapping[str, Any]) -> str:
    """The text blocks; older exports have only the text."""
    content = message.get("content")
    shown = [b for b in content if isinstance(b, dict) and b.get("type") == "text"] if content else []
    return text_of(shown) or clean(message.get("text"))

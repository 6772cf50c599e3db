"""Claude exports: `conversations.json`, each with its chat_messages in order."""

from collections.abc import Iterator, Mapping
from typing import Any

from recollect.files.importers.export import Export, conversations
from recollect.files.importers.talk import ROLES, Read, Said, clean, moment, text_of


def parse(text: str, name: str) -> Iterator[Read]:
    """All conversations of an export."""
    return conversations(text, name, _EXPORT)


def _all_said(chat: Mapping[str, Any], key: str) -> Iterator[Said]:
    found = (_said(message, f"{key}:{i}") for i, message in enumerate(chat["chat_messages"]))
    return (one for one in found if one is not None)


_EXPORT = Export(
    holds="chat_messages", kind=list, keys=("uuid",), title="name", at="created_at", said=_all_said
)


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

"""Exports of chat programs: one JSON text with all conversations, each holding its messages in one field."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from recollect.files.importers.talk import Read, Said, Talk, Unread, clean, moment, whole

LONGEST_TITLE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """How a program writes a conversation: the fields it uses, and how what was said is read from it."""

    holds: str
    kind: type
    keys: tuple[str, ...]
    title: str
    at: str
    said: Callable[[dict[str, Any], str], Iterable[Said]]


def conversations(text: str, name: str, export: Export) -> Iterator[Read]:
    """All conversations of an export; those in which nothing was said are left out."""
    held = whole(text)
    if isinstance(held, Unread):
        yield held
        return
    for number, chat in enumerate(held if isinstance(held, list) else [held], 1):
        if not isinstance(chat, dict) or not isinstance(chat.get(export.holds), export.kind):
            yield Unread(f"conversation {number} has no {export.holds}")
            continue
        key = str(next(filter(None, map(chat.get, export.keys)), None) or f"{name}:{number}")
        said = tuple(export.said(chat, key))
        if said:
            title = clean(chat.get(export.title), LONGEST_TITLE) or None
            yield Talk(key=key, said=said, title=title, at=moment(chat.get(export.at)) or said[0].at)

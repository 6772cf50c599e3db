"""A `Session` of OpenAI's Agents SDK: its items are messages of a conversation, so memory learns from them.

Runner.run(agent, "…", session=RecollectSession("support-42", memory))
"""

import asyncio
import json
from collections.abc import Iterator
from typing import Any, cast

from recollect.integrations.common import clean, pages
from recollect.memory import MAX_PAGE, Memory
from recollect.model.conversation import Conversation, ConversationStatus, Message, NewMessage, Role

try:
    from agents.items import TResponseInputItem
    from agents.memory.session import SessionABC
    from agents.memory.session_settings import SessionSettings, resolve_session_limit
except ImportError as error:
    raise ImportError(
        "the session needs OpenAI's Agents SDK: pip install 'recollect[openai-agents]'"
    ) from error

OWN = "agents"
ROOMY = 60_000
"""Bytes of JSON that fit beside a text; the longest text of a bigger item is the message."""
HOLE = {"recollect": "the text of the message"}
"""Stands in an item where its message's text belongs."""
MAX_MESSAGES = 100_000


class RecollectSession(SessionABC):
    """The history of one session, whole and in order, in the first space of a memory's view.

    A session goes on as long as you like: when its conversation has ended (after a day of silence, say),
    the next item begins another one of the same session. `pop_item` and `clear_session` erase for good,
    with what was learnt from those items alone.
    """

    def __init__(
        self, session_id: str, memory: Memory, *, session_settings: SessionSettings | None = None
    ) -> None:
        self.session_id = session_id
        self.session_settings = session_settings or SessionSettings()
        self._memory = memory

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """The items in order; with a limit, the last ones."""
        wanted = resolve_session_limit(limit, self.session_settings)
        found = await asyncio.to_thread(self._messages)
        kept = found if wanted is None else found[-wanted:] if wanted > 0 else []
        return [_item(m) for m in kept]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Add items, all of them or none."""
        if items:
            await asyncio.to_thread(self._add, [_message(cast("dict[str, Any]", item)) for item in items])

    async def pop_item(self) -> TResponseInputItem | None:
        """Erase the last item and return it."""
        return await asyncio.to_thread(self._pop)

    async def clear_session(self) -> None:
        """Erase everything of this session."""
        await asyncio.to_thread(self._clear)

    def _conversations(self) -> list[Conversation]:
        """The conversations of this session, oldest first."""
        listed = pages(lambda after: self._memory.conversations.list(limit=MAX_PAGE, after=after))
        return [c for c in listed if c.metadata.get(OWN) == self.session_id][::-1]

    def _messages(self) -> list[Message]:
        said = self._memory.conversations.messages
        return [m for c in self._conversations() for m in said(c.id, limit=MAX_MESSAGES)]

    def _add(self, messages: list[NewMessage]) -> None:
        known = [c for c in self._conversations() if c.status is not ConversationStatus.ENDED]
        title = self.session_id[:100] if self.session_id.strip() else None
        home = known[0] if known else self._memory.conversations.start(title, metadata={OWN: self.session_id})
        self._memory.add_many(messages, conversation=home.id)

    def _pop(self) -> TResponseInputItem | None:
        found = self._messages()
        if not found:
            return None
        self._memory.erase(message=found[-1].id)
        return _item(found[-1])

    def _clear(self) -> None:
        for conversation in self._conversations():
            self._memory.erase(conversation=conversation.id)


def _message(item: dict[str, Any]) -> NewMessage:
    """An item as a message: what people or models said is said by them, everything else is a tool's."""
    kept = clean(item)
    said = item.get("role") in ("user", "assistant", "system", "developer")
    role = Role({"developer": "system"}.get(item["role"], item["role"])) if said else Role.TOOL
    text = "\n".join(text for text in _spoken(kept) if text.strip())
    if len(json.dumps(kept, ensure_ascii=False).encode("utf-8")) > ROOMY:
        text = max(_texts(kept), key=len)
        kept = _with(kept, text, HOLE)
    return NewMessage(text=text or f"({item.get('type', 'item')})", role=role, metadata={OWN: kept})


def _item(message: Message) -> TResponseInputItem:
    return cast("TResponseInputItem", _with(message.metadata[OWN], HOLE, message.text))


def _spoken(item: dict[str, Any]) -> Iterator[str]:
    """What a person would read of an item: its words, or a call with its arguments, or what came of it."""
    if "arguments" in item:
        yield f"{item.get('name', 'call')}({item['arguments']})"
    for part in (item.get("content"), item.get("output"), item.get("summary")):
        if isinstance(part, str):
            yield part
        elif isinstance(part, list):
            yield from (p["text"] for p in part if isinstance(p, dict) and isinstance(p.get("text"), str))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for held in value.values() if isinstance(value, dict) else value:
            yield from _texts(held)


def _with(value: Any, old: Any, new: Any) -> Any:
    """A value with something else in place of a part, wherever it stands."""
    if value == old and type(value) is type(old):
        return new
    if isinstance(value, dict):
        return {name: _with(held, old, new) for name, held in value.items()}
    return [_with(held, old, new) for held in value] if isinstance(value, list) else value

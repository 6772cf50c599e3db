"""Gemini CLI sessions: `~/.gemini/tmp/*/chats/session-*.json`, one object with messages, or one a line."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from recollect.files.importers.talk import (
    LONGEST_OUTPUT,
    Read,
    Said,
    Talk,
    Unread,
    clean,
    moment,
    objects,
    text_of,
)
from recollect.model.conversation import Role

_ROLES = {"user": Role.USER, "gemini": Role.ASSISTANT, "model": Role.ASSISTANT}
_OURS = "recollect"


def parse(text: str, name: str) -> Iterator[Read]:
    """One session: a conversation by its id."""
    head: Mapping[str, Any] = {}
    messages: list[Any] = []
    unread: list[Unread] = []
    try:
        held = json.loads(text)
        head = held if isinstance(held, dict) else {}
        messages = head.get("messages") if isinstance(head.get("messages"), list) else []  # type: ignore[assignment]
    except (json.JSONDecodeError, RecursionError):
        for _, line in objects(text, unread):
            if "sessionId" in line and "type" not in line:
                head = line
            else:
                messages.append(line)
    yield from unread
    session = str(head.get("sessionId") or name)
    said = [one for i, m in enumerate(messages) if isinstance(m, dict) for one in _said(m, f"{session}:{i}")]
    if said:
        yield Talk(key=session, said=tuple(said), at=moment(head.get("startTime")) or said[0].at)


def _said(message: Mapping[str, Any], place: str) -> Iterator[Said]:
    key, at = str(message.get("id") or place), moment(message.get("timestamp"))
    role = _ROLES.get(str(message.get("type") or message.get("role")))
    text = text_of(message.get("content"))
    if role is not None and text:
        yield Said(key=key, role=role, text=text, at=at)
    calls = message.get("toolCalls")
    for i, call in enumerate(calls if isinstance(calls, list) else []):
        if isinstance(call, dict) and _OURS not in str(call.get("name")):
            output = _output(call)
            if output:
                tool = str(call.get("name") or "tool")[:200]
                yield Said(key=f"{key}:{i}", role=Role.TOOL, text=output, at=at, speaker=tool)


def _output(call: Mapping[str, Any]) -> str:
    """What a tool gave back: shown text, or the text inside its function response."""
    shown = call.get("resultDisplay")
    if isinstance(shown, str):
        return clean(shown, LONGEST_OUTPUT)
    results = call.get("result")
    for part in results if isinstance(results, list) else []:
        response = part.get("functionResponse") if isinstance(part, dict) else None
        held = response.get("response") if isinstance(response, dict) else None
        if isinstance(held, dict) and isinstance(held.get("output"), str):
            return clean(held["output"], LONGEST_OUTPUT)
    return ""

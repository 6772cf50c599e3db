"""Claude Code transcripts: `~/.claude/projects/*/*.jsonl`, one line an event.

What a user and the assistant said is kept; so is the output of tools, as the tool's. Left out: thinking,
sidechains, what the program itself put in (commands, reminders, summaries), and what came from our own tools.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from recollect.files.importers.talk import (
    LONGEST_OUTPUT,
    Read,
    Said,
    Talk,
    Unread,
    blocks,
    clean,
    moment,
    objects,
    text_of,
)
from recollect.model.conversation import Role

_COMMAND = re.compile(r"<(local-command|command)-[a-z]+>.*", re.DOTALL)
_STOPPED = "[Request interrupted by user"
OURS = "mcp__recollect__"


def parse(text: str, name: str) -> Iterator[Read]:
    """One transcript: a conversation by the id of its session."""
    said: list[Said] = []
    tools: dict[str, str] = {}
    title, session = None, None
    unread: list[Unread] = []
    for number, event in objects(text, unread):
        if event.get("type") == "summary" and isinstance(event.get("summary"), str):
            title = event["summary"]
        if event.get("type") in ("user", "assistant") and not _inner(event):
            session = session or event.get("sessionId")
            said += _messages(event, str(event.get("uuid") or f"{name}:{number}"), tools)
    yield from unread
    if said:
        yield Talk(key=str(session or name), said=tuple(said), title=title, at=said[0].at)


def _inner(event: Mapping[str, Any]) -> bool:
    """Whether the program said it to itself."""
    return any(event.get(flag) for flag in ("isMeta", "isSidechain", "isCompactSummary", "isApiErrorMessage"))


def _messages(event: Mapping[str, Any], key: str, tools: dict[str, str]) -> Iterator[Said]:
    message = event.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    at = moment(event.get("timestamp"))
    role = Role.USER if event["type"] == "user" else Role.ASSISTANT
    spoken = []
    for index, block in enumerate(blocks(content)):
        kind = block.get("type")
        if kind == "text":
            spoken.append(str(block.get("text") or ""))
        elif kind == "tool_use":
            tools[str(block.get("id"))] = str(block.get("name"))
        elif kind == "tool_result":
            tool = tools.get(str(block.get("tool_use_id")), "tool")
            output = text_of(block.get("content"), LONGEST_OUTPUT)
            if output and not tool.startswith(OURS):
                yield Said(key=f"{key}:{index}", role=Role.TOOL, text=output, at=at, speaker=tool[:200])
    text = _COMMAND.sub("", clean("\n".join(spoken))).strip()
    if text and not text.startswith(_STOPPED):
        yield Said(key=key, role=role, text=text, at=at)

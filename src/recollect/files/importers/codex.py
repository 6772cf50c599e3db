"""Codex rollouts: `~/.codex/sessions/**/rollout-*.jsonl`, lines of {timestamp, type, payload}."""

from collections.abc import Iterator, Mapping
from typing import Any

from recollect.files.importers.talk import (
    LONGEST_OUTPUT,
    ROLES,
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

_PUT_IN = ("<environment_context", "<user_instructions", "# AGENTS.md", "<permissions", "<turn_aborted")
_OURS = ("recollect__", "mcp__recollect__")


def parse(text: str, name: str) -> Iterator[Read]:
    """One rollout: a conversation by the id of its session."""
    said: list[Said] = []
    tools: dict[str, str] = {}
    session, at = name, None
    unread: list[Unread] = []
    for number, line in objects(text, unread):
        payload = line.get("payload")
        if not isinstance(payload, dict):
            continue
        if line.get("type") == "session_meta":
            session, at = str(payload.get("id") or name), moment(line.get("timestamp"))
        elif line.get("type") == "response_item":
            one = _message(payload, tools)
            if one is not None:
                role, text, speaker = one
                said.append(
                    Said(
                        key=f"{session}:{number}",
                        role=role,
                        text=text,
                        at=moment(line.get("timestamp")),
                        speaker=speaker,
                    )
                )
    yield from unread
    if said:
        yield Talk(key=session, said=tuple(said), at=at or said[0].at)


def _message(item: Mapping[str, Any], tools: dict[str, str]) -> tuple[Role, str, str | None] | None:
    kind = str(item.get("type"))
    if kind == "message":
        role = ROLES.get(str(item.get("role")))
        text = text_of(item.get("content"))
        if role not in (Role.USER, Role.ASSISTANT) or not text or text.startswith(_PUT_IN):
            return None
        return role, text, None
    if kind in ("function_call", "custom_tool_call"):
        tools[str(item.get("call_id"))] = str(item.get("name"))
    if kind in ("function_call_output", "custom_tool_call_output"):
        tool = tools.get(str(item.get("call_id")), "tool")
        output = _output(item.get("output"))
        if output and not tool.startswith(_OURS):
            return Role.TOOL, output, tool[:200]
    return None


def _output(held: Any) -> str:
    if isinstance(held, dict):
        held = held.get("content") or held.get("output")
    return clean(held, LONGEST_OUTPUT) if isinstance(held, str) else text_of(held, LONGEST_OUTPUT)

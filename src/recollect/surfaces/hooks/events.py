"""Events: what each agent calls them and puts into them, and what an answer to it looks like."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from recollect.errors import InvalidInput


class Agent(StrEnum):
    """The coding agents whose hooks we answer."""

    CLAUDE_CODE = "claude-code"
    CODEX = "codex"
    GEMINI = "gemini"
    CURSOR = "cursor"


class Event(StrEnum):
    """What an event is about, whatever the agent calls it."""

    START = "start"
    PROMPT = "prompt"
    TOOL = "tool"
    COMPACT = "compact"
    STOP = "stop"
    END = "end"


EVENTS = {
    "SessionStart": Event.START,
    "sessionStart": Event.START,
    "UserPromptSubmit": Event.PROMPT,
    "BeforeAgent": Event.PROMPT,
    "beforeSubmitPrompt": Event.PROMPT,
    "PostToolUse": Event.TOOL,
    "PostToolUseFailure": Event.TOOL,
    "AfterTool": Event.TOOL,
    "postToolUse": Event.TOOL,
    "postToolUseFailure": Event.TOOL,
    "afterFileEdit": Event.TOOL,
    "PreCompact": Event.COMPACT,
    "PreCompress": Event.COMPACT,
    "preCompact": Event.COMPACT,
    "Stop": Event.STOP,
    "AfterAgent": Event.STOP,
    "stop": Event.STOP,
    "SessionEnd": Event.END,
    "sessionEnd": Event.END,
}
"""Every event of every agent by the agent's own name."""
_FILES = ("file_path", "filePath", "absolute_path", "notebook_path", "target_file", "path")
_SESSIONS = ("session_id", "conversation_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fired:
    """One event, read: what is not in it is empty."""

    agent: Agent
    name: str
    event: Event
    session: str = ""
    folder: str = ""
    transcript: str = ""
    prompt: str = ""
    file: str = ""
    output: str = ""
    failed: bool = False


def fired(agent: Agent, name: str, payload: str) -> Fired:
    """An event as the agent wrote it; InvalidInput where it is not one."""
    if name not in EVENTS:
        raise InvalidInput(f"no event {name[:60]!r}; known are: {', '.join(EVENTS)}")
    try:
        held = json.loads(payload)
    except (json.JSONDecodeError, RecursionError) as error:
        raise InvalidInput(f"the event {name} is not JSON: {error}") from None
    if not isinstance(held, dict):
        raise InvalidInput(f"the event {name} must be an object, not {type(held).__name__}")
    given = held.get("tool_input")
    arguments = given if isinstance(given, dict) else {}
    output, failed = _output(held)
    return Fired(
        agent=agent,
        name=name,
        event=EVENTS[name],
        session=_text(held, *_SESSIONS),
        folder=_text(held, "cwd") or next(iter(_list(held.get("workspace_roots"))), ""),
        transcript=_text(held, "transcript_path"),
        prompt=_text(held, "prompt"),
        file=_text(arguments, *_FILES) or _text(held, "file_path"),
        output=output,
        failed=failed,
    )


def answer(event: Fired, text: str) -> str:
    """What is printed: the text where the agent looks for more context, or nothing where there is none."""
    if not text:
        return ""
    if event.agent == Agent.CURSOR:
        going_on = {"continue": True} if event.event == Event.PROMPT else {}
        return json.dumps({**going_on, "additional_context": text})
    return json.dumps({"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": text}})


def transcript_of(event: Fired) -> Path | None:
    """The transcript that an event names, if it is there."""
    path = Path(event.transcript).expanduser() if event.transcript else None
    return path if path is not None and path.is_file() else None


def _output(held: Mapping[str, Any]) -> tuple[str, bool]:
    """What a tool gave back, and whether it says that it failed."""
    response = next((held[n] for n in ("tool_response", "tool_output", "result_json") if n in held), None)
    error = held.get("error") or held.get("error_message")
    if isinstance(response, dict):
        error = error or response.get("error")
        failed = bool(error or response.get("is_error") or response.get("isError"))
        parts = (response.get(n) for n in ("stderr", "stdout", "output", "llmContent", "content"))
        return _joined(error, *parts), failed
    return _joined(error, response), bool(error)


def _joined(*parts: Any) -> str:
    texts = (part if isinstance(part, str) else json.dumps(part) for part in parts if part)
    return "\n".join(texts)


def _text(held: Mapping[str, Any], *names: str) -> str:
    return next((held[name] for name in names if isinstance(held.get(name), str)), "")


def _list(held: Any) -> list[str]:
    return [one for one in held if isinstance(one, str)] if isinstance(held, list) else []

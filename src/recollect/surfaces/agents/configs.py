"""Where each agent keeps its configuration, and what of it is ours."""

import json
import re
import shlex
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from recollect.errors import InvalidInput
from recollect.surfaces.agents import jsontext
from recollect.surfaces.hooks.events import Agent

NAME = "recollect"
SECONDS = 5
"""What an agent allows a hook at most; it answers or falls silent within one."""
_OURS = re.compile(r"recollect(?:\.exe)?['\"]?\s+hook\s.*--agent\b")
_BLOCK = re.compile(r"(?:\r?\n)?# recollect: begin[^\n]*\n.*?# recollect: end[^\n]*\n", re.DOTALL)

EVENTS: dict[Agent, dict[str, str | None]] = {
    Agent.CLAUDE_CODE: {
        "SessionStart": None,
        "UserPromptSubmit": None,
        "PostToolUse": "Read|Edit|Write|MultiEdit|NotebookEdit|Bash",
        "PreCompact": None,
        "Stop": None,
        "SessionEnd": None,
    },
    Agent.CODEX: {
        "SessionStart": None,
        "UserPromptSubmit": None,
        "PostToolUse": None,
        "PreCompact": None,
        "Stop": None,
    },
    Agent.GEMINI: {
        "SessionStart": None,
        "BeforeAgent": None,
        "AfterTool": "read_file|write_file|replace|run_shell_command",
        "PreCompress": None,
        "AfterAgent": None,
        "SessionEnd": None,
    },
    Agent.CURSOR: {
        "sessionStart": None,
        "beforeSubmitPrompt": None,
        "postToolUse": None,
        "afterFileEdit": None,
        "preCompact": None,
        "stop": None,
        "sessionEnd": None,
    },
}
"""The events each agent is asked to tell, and for tools which of them."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One file: how its text becomes the one with us in it, and how the one without."""

    path: Path
    add: Callable[[str], str]
    strip: Callable[[str], str]


def edits(agent: Agent, root: Path, user: bool, program: str, options: Sequence[str]) -> list[Edit]:
    """The files to change, in the user's home or in a project."""
    server = {"command": program, "args": ["mcp", *options]}
    call = partial(_command, agent, program, options)
    if agent == Agent.CLAUDE_CODE:
        typed = {"type": "stdio", **server}
        return [
            _hooks(root / ".claude" / "settings.json", agent, partial(_group, call, SECONDS)),
            _servers(root / (".claude.json" if user else ".mcp.json"), typed),
        ]
    if agent == Agent.CODEX:
        return [
            _hooks(root / ".codex" / "hooks.json", agent, partial(_group, call, SECONDS)),
            Edit(root / ".codex" / "config.toml", partial(_add_toml, server), _strip_toml),
        ]
    if agent == Agent.GEMINI:
        hooks = _hooks(root / ".gemini" / "settings.json", agent, partial(_group, call, 1_000 * SECONDS))
        servers = _servers(hooks.path, server)
        return [
            Edit(hooks.path, lambda t: servers.add(hooks.add(t)), lambda t: servers.strip(hooks.strip(t)))
        ]
    return [
        _hooks(
            root / ".cursor" / "hooks.json",
            agent,
            lambda event, _: {"command": call(event), "timeout": SECONDS},
        ),
        _servers(root / ".cursor" / "mcp.json", server),
    ]


def _command(agent: Agent, program: str, options: Sequence[str], event: str) -> str:
    return shlex.join([program, "hook", event, "--agent", str(agent), *options])


def _group(call: Callable[[str], str], timeout: int, event: str, matcher: str | None) -> dict[str, Any]:
    held = [{"type": "command", "command": call(event), "timeout": timeout}]
    return {"hooks": held} if matcher is None else {"matcher": matcher, "hooks": held}


def _hooks(path: Path, agent: Agent, made: Callable[[str, str | None], Any]) -> Edit:
    def add(text: str) -> str:
        text = _strip_hooks(text) or "{}\n"
        if agent == Agent.CURSOR and "version" not in jsontext.read(text):
            text = jsontext.put(text, ["version"], 1)
        for event, matcher in EVENTS[agent].items():
            text = jsontext.append(text, ["hooks", event], made(event, matcher))
        return text

    return Edit(path, add, _strip_hooks)


def _servers(path: Path, server: Mapping[str, Any]) -> Edit:
    def add(text: str) -> str:
        return jsontext.put(text or "{}\n", ["mcpServers", NAME], server)

    def strip(text: str) -> str:
        if text and NAME in _inner(jsontext.read(text), "mcpServers"):
            text = jsontext.remove(text, ["mcpServers", NAME])
            return _pruned(text, ["mcpServers"])
        return text

    return Edit(path, add, strip)


def _strip_hooks(text: str) -> str:
    """The text without any hook that calls us, and without what that leaves empty."""
    while text and (path := _first_ours(jsontext.read(text))) is not None:
        text = jsontext.remove(text, path)
        for depth in range(len(path) - 1, 0, -1):
            text = _pruned(text, path[:depth])
    return text


def _first_ours(held: Any) -> list[str | int] | None:
    """Where the first hook of ours is: an entry with the command, or one in a group."""
    for event, entries in _inner(held, "hooks").items():
        for i, entry in enumerate(entries if isinstance(entries, list) else []):
            if _is_ours(entry):
                return ["hooks", event, i]
            for j, inner in enumerate(_listed(entry)):
                if _is_ours(inner):
                    return (
                        ["hooks", event, i] if len(_listed(entry)) == 1 else ["hooks", event, i, "hooks", j]
                    )
    return None


def _is_ours(entry: Any) -> bool:
    return isinstance(entry, dict) and bool(_OURS.search(str(entry.get("command"))))


def _listed(entry: Any) -> list[Any]:
    held = entry.get("hooks") if isinstance(entry, dict) else None
    return held if isinstance(held, list) else []


def _inner(held: Any, name: str) -> dict[str, Any]:
    found = held.get(name) if isinstance(held, dict) else None
    return found if isinstance(found, dict) else {}


def _pruned(text: str, path: Sequence[str | int]) -> str:
    """Without the object or array at a path, if it is empty."""
    held = jsontext.read(text)
    for name in path:
        held = held[name]
    return text if held else jsontext.remove(text, path)


def _add_toml(server: Mapping[str, Any], text: str) -> str:
    """A table of our own at the end, between two marks; every other line stays as it is."""
    text = _strip_toml(text)
    held = _toml(text)
    if NAME in _inner(held, "mcp_servers"):
        raise InvalidInput(
            f"[mcp_servers.{NAME}] is already there and was not written by us: remove it first"
        )
    block = (
        f"# recollect: begin (written by `recollect install codex`)\n[mcp_servers.{NAME}]\n"
        f"command = {_quoted(server['command'])}\nargs = {_quoted(server['args'])}\n# recollect: end\n"
    )
    gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
    ours = gap + block
    added = text + (ours.replace("\n", "\r\n") if "\r\n" in text else ours)
    expected = {**held, "mcp_servers": {**_inner(held, "mcp_servers"), NAME: dict(server)}}
    if _toml(added) != expected:
        raise InvalidInput("the table cannot be added without changing others: mend the file first")
    return added


def _quoted(held: Any) -> str:
    """A text or a list of texts in TOML, which quotes them as JSON does."""
    return json.dumps(held, ensure_ascii=False)


def _strip_toml(text: str) -> str:
    return _BLOCK.sub("", text)


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(f"it is not TOML: {error}; mend it first") from None

"""Events as the agents send them, in the shapes that their documentation gives."""

from typing import Any

from recollect.surfaces.hooks.events import Agent


def event(agent: Agent, name: str, **more: Any) -> dict[str, Any]:
    """What every event of an agent has, and what this one has besides."""
    if agent == Agent.CURSOR:
        common: dict[str, Any] = {
            "conversation_id": "s1", "generation_id": "g1", "model": "default", "hook_event_name": name,
            "cursor_version": "3.0.0", "workspace_roots": ["/app"], "user_email": None,
            "transcript_path": None,
        }  # fmt: skip
    else:
        common = {
            "session_id": "s1", "transcript_path": "", "cwd": "/app", "hook_event_name": name,
        }  # fmt: skip
        if agent == Agent.GEMINI:
            common["timestamp"] = "2026-02-01T10:00:00.000Z"
        else:
            common["permission_mode"] = "default"
        if agent == Agent.CODEX:
            common |= {"model": "gpt-5", "turn_id": "t1"}
    return common | more


STARTS = {
    Agent.CLAUDE_CODE: event(Agent.CLAUDE_CODE, "SessionStart", source="startup", model="claude-sonnet-5"),
    Agent.CODEX: event(Agent.CODEX, "SessionStart", source="startup"),
    Agent.GEMINI: event(Agent.GEMINI, "SessionStart", source="startup"),
    Agent.CURSOR: event(Agent.CURSOR, "sessionStart", session_id="s1", is_background_agent=False),
}
PROMPTS = {
    Agent.CLAUDE_CODE: event(Agent.CLAUDE_CODE, "UserPromptSubmit"),
    Agent.CODEX: event(Agent.CODEX, "UserPromptSubmit"),
    Agent.GEMINI: event(Agent.GEMINI, "BeforeAgent"),
    Agent.CURSOR: event(Agent.CURSOR, "beforeSubmitPrompt", attachments=[]),
}
READS = {
    Agent.CLAUDE_CODE: event(
        Agent.CLAUDE_CODE, "PostToolUse", tool_name="Read", tool_use_id="toolu_1",
        tool_input={"file_path": "/app/src/auth/login.ts"},
        tool_response={"type": "text", "file": {"filePath": "/app/src/auth/login.ts", "content": "x"}},
    ),
    Agent.CODEX: event(
        Agent.CODEX, "PostToolUse", tool_name="apply_patch", tool_use_id="c1",
        tool_input={"command": "*** Begin Patch", "path": "/app/src/auth/login.ts"}, tool_response="Done",
    ),
    Agent.GEMINI: event(
        Agent.GEMINI, "AfterTool", tool_name="read_file",
        tool_input={"absolute_path": "/app/src/auth/login.ts"},
        tool_response={"llmContent": "x", "returnDisplay": "Read 1 line"},
    ),
    Agent.CURSOR: event(
        Agent.CURSOR, "afterFileEdit", file_path="/app/src/auth/login.ts",
        edits=[{"old_string": "a", "new_string": "b"}],
    ),
}  # fmt: skip
FAILURES = {
    Agent.CLAUDE_CODE: event(
        Agent.CLAUDE_CODE, "PostToolUse", tool_name="Bash", tool_use_id="toolu_2",
        tool_input={"command": "pytest"},
        tool_response={"stdout": "1 failed", "stderr": "E  ValueError: bad token", "interrupted": False},
    ),
    Agent.CODEX: event(
        Agent.CODEX, "PostToolUse", tool_name="Bash", tool_use_id="c2", tool_input={"command": "pytest"},
        tool_response="collected 1 item\nValueError: bad token\n",
    ),
    Agent.GEMINI: event(
        Agent.GEMINI, "AfterTool", tool_name="run_shell_command", tool_input={"command": "pytest"},
        tool_response={"llmContent": "Exit code 1", "error": "ValueError: bad token"},
    ),
    Agent.CURSOR: event(
        Agent.CURSOR, "postToolUse", tool_name="Shell", tool_input={"command": "pytest"},
        tool_output='{"output": "ValueError: bad token"}', tool_use_id="u2",
    ),
}  # fmt: skip
STOPS = {
    Agent.CLAUDE_CODE: event(Agent.CLAUDE_CODE, "Stop", stop_hook_active=False),
    Agent.CODEX: event(Agent.CODEX, "Stop", stop_hook_active=False, last_assistant_message="All green."),
    Agent.GEMINI: event(Agent.GEMINI, "AfterAgent", prompt="x", prompt_response="y", stop_hook_active=False),
    Agent.CURSOR: event(Agent.CURSOR, "stop", status="completed", loop_count=0),
}
COMPACTIONS = {
    Agent.CLAUDE_CODE: event(Agent.CLAUDE_CODE, "PreCompact", trigger="auto", custom_instructions=""),
    Agent.CODEX: event(Agent.CODEX, "PreCompact", trigger="auto"),
    Agent.GEMINI: event(Agent.GEMINI, "PreCompress", trigger="auto"),
    Agent.CURSOR: event(Agent.CURSOR, "preCompact", trigger="auto", context_usage_percent=85),
}
ENDS = {
    Agent.CLAUDE_CODE: event(Agent.CLAUDE_CODE, "SessionEnd", reason="prompt_input_exit"),
    Agent.GEMINI: event(Agent.GEMINI, "SessionEnd", reason="exit"),
    Agent.CURSOR: event(Agent.CURSOR, "sessionEnd", reason="completed", duration_ms=1),
}

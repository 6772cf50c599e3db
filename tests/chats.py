"""Small files in the shapes that other programs write."""

import json
from typing import Any


def lines(*events: dict[str, Any]) -> str:
    return "".join(json.dumps(event) + "\n" for event in events)


def claude_event(
    kind: str, uuid: str, content: Any, at: str = "2026-02-01T10:00:00.000Z", **more: Any
) -> Any:
    message = {"role": kind, "content": content}
    return {"type": kind, "uuid": uuid, "timestamp": at, "sessionId": "s1", "message": message, **more}


CLAUDE_CODE = lines(
    {"type": "summary", "summary": "Moving the database", "leafUuid": "u9"},
    {"type": "file-history-snapshot", "messageId": "x", "snapshot": {}},
    claude_event("user", "u0", "<command-name>/clear</command-name>"),
    claude_event("user", "u1", "We decided to move the database to PostgreSQL."),
    claude_event("assistant", "u2", [
        {"type": "thinking", "thinking": "Where is the configuration?"},
        {"type": "text", "text": "I will look at the configuration."},
        {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "/app/settings.py"}},
    ]),
    claude_event("user", "u3", [
        {"type": "tool_result", "tool_use_id": "t1", "content": "DATABASE = 'sqlite'", "is_error": False},
    ]),
    claude_event("assistant", "u4", [
        {"type": "tool_use", "id": "t2", "name": "mcp__recollect__recall", "input": {"query": "database"}},
    ]),
    claude_event("user", "u5", [
        {"type": "tool_result", "tool_use_id": "t2", "content": [{"type": "text", "text": "recalled text"}]},
    ]),
    claude_event("assistant", "u6", [{"type": "text", "text": "Done."}], isSidechain=True),
    claude_event("user", "u7", "Caveat: the messages below", isMeta=True),
    claude_event("user", "u8", "Thanks <memory>\nold news\n</memory>", at="2026-02-01T10:05:00.000Z"),
)  # fmt: skip

CODEX = lines(
    {"timestamp": "2026-02-02T09:00:00.000Z", "type": "session_meta", "payload": {"id": "c1", "cwd": "/app"}},
    {"timestamp": "2026-02-02T09:00:01.000Z", "type": "response_item", "payload": {
        "type": "message", "role": "user",
        "content": [{"type": "input_text", "text": "<environment_context>x</environment_context>"}]}},
    {"timestamp": "2026-02-02T09:00:02.000Z", "type": "response_item", "payload": {
        "type": "message", "role": "user", "content": [{"type": "input_text", "text": "Run the tests"}]}},
    {"timestamp": "2026-02-02T09:00:02.500Z", "type": "event_msg", "payload": {
        "type": "user_message", "message": "Run the tests"}},
    {"timestamp": "2026-02-02T09:00:03.000Z", "type": "response_item", "payload": {
        "type": "function_call", "name": "exec_command", "arguments": "{}", "call_id": "k1"}},
    {"timestamp": "2026-02-02T09:00:04.000Z", "type": "response_item", "payload": {
        "type": "function_call_output", "call_id": "k1", "output": "2 passed"}},
    {"timestamp": "2026-02-02T09:00:05.000Z", "type": "response_item", "payload": {
        "type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "All green."}]}},
)  # fmt: skip

GEMINI = json.dumps(
    {
        "sessionId": "g1", "projectHash": "h", "startTime": "2026-02-03T08:00:00.000Z",
        "messages": [
            {"id": "m1", "timestamp": "2026-02-03T08:00:01.000Z", "type": "user", "content": "List them"},
            {"id": "m2", "timestamp": "2026-02-03T08:00:02.000Z", "type": "gemini", "content": "Two files.",
             "toolCalls": [{"id": "l", "name": "list_directory", "args": {}, "resultDisplay": "a.py b.py"}]},
            {"id": "m3", "timestamp": "2026-02-03T08:00:03.000Z", "type": "info", "content": "Updated"},
        ],
    }
)  # fmt: skip

CURSOR = lines(
    {"role": "user", "message": {"content": [{"type": "text", "text": "<user_query>Fix it</user_query>"}]}},
    {"role": "assistant", "message": {"content": [{"type": "text", "text": "Fixed."}]}},
)  # fmt: skip


def _node(id: str, parent: str | None, children: list[str], role: str = "", text: str = "") -> dict[str, Any]:
    message = None
    if role:
        content = {"content_type": "text", "parts": [text]}
        message = {"id": id, "author": {"role": role}, "create_time": 1_770_000_000.5, "content": content}
    return {"id": id, "message": message, "parent": parent, "children": children}


CHATGPT = json.dumps(
    [
        {
            "title": "Trip", "create_time": 1_770_000_000, "conversation_id": "gpt1", "current_node": "c2",
            "mapping": {
                "root": _node("root", None, ["a"]),
                "a": _node("a", "root", ["b"], "system", ""),
                "b": _node("b", "a", ["c1", "c2"], "user", "Where to in May?"),
                "c1": _node("c1", "b", [], "assistant", "An answer that was regenerated"),
                "c2": _node("c2", "b", [], "assistant", "To Porto."),
            },
        }
    ]
)  # fmt: skip

CLAUDE = json.dumps(
    [
        {
            "uuid": "cl1", "name": "Soup", "created_at": "2026-02-04T12:00:00Z",
            "chat_messages": [
                {"uuid": "n1", "sender": "human", "created_at": "2026-02-04T12:00:00Z", "text": "Any soup?",
                 "content": [{"type": "text", "text": "Any soup?"}]},
                {"uuid": "n2", "sender": "assistant", "created_at": "2026-02-04T12:00:09Z", "text": "Peas."},
            ],
        }
    ]
)  # fmt: skip

MEM0 = json.dumps(
    {
        "results": [
            {"id": "1", "memory": "Alex prefers tea", "user_id": "alex",
             "created_at": "2026-01-05T07:00:00-08:00", "categories": ["drinks"],
             "metadata": {"type": "preference"}},
            {"id": "2", "memory": "Alex works at Acme", "user_id": "a", "created_at": "2026-01-06T07:00:00Z"},
        ]
    }
)  # fmt: skip

JSONL = lines(
    {"role": "user", "content": "Hello", "timestamp": "2026-02-05T10:00:00Z", "conversation": "x"},
    {"role": "assistant", "text": "Hi", "said_at": "2026-02-05T10:00:01Z", "conversation": "x"},
    {"messages": [{"role": "system", "content": "Be kind"}, {"role": "user", "content": "Bye"}]},
)  # fmt: skip

MARKDOWN = """# A walk

**Alex (2026-02-06 10:00):** Shall we walk?
Along the river?

**Assistant:** Yes.

## User

Note: bring water.
"""

GRAPH = lines(
    {"type": "entity", "name": "Alex", "entityType": "person", "observations": ["Likes tea", "Has a dog"]},
    {"type": "entity", "name": "Acme", "entityType": "company", "observations": []},
    {"type": "relation", "from": "Alex", "to": "Acme", "relationType": "works_at"},
)  # fmt: skip

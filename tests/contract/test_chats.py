"""Chats and memories of other programs: stored once, with their dates and the trust of their way here."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

import chats
from recollect import Filter, InvalidInput, Memory, Trust

FILES = {
    "claude-code": ("s1.jsonl", chats.CLAUDE_CODE, 4),
    "codex": ("rollout-x.jsonl", chats.CODEX, 3),
    "gemini": ("session-x.json", chats.GEMINI, 3),
    "cursor": ("t.jsonl", chats.CURSOR, 2),
    "chatgpt": ("conversations.json", chats.CHATGPT, 2),
    "claude": ("conversations.json", chats.CLAUDE, 2),
    "jsonl": ("chat.jsonl", chats.JSONL, 4),
    "markdown": ("chat.md", chats.MARKDOWN, 3),
}


@pytest.mark.parametrize("source", FILES)
def test_a_file_is_stored_once(memory: Memory, source: str, tmp_path: Path) -> None:
    name, text, count = FILES[source]
    (tmp_path / name).write_text(text)
    done: list[int] = []
    moved = memory.transfers.load_chats(tmp_path / name, source, progress=done.append)
    assert moved.moved["message"] == count
    assert done[-1] == count
    again = memory.transfers.load_chats(tmp_path, source)
    assert again.moved == {"conversation": 0, "message": 0, "memory": 0}
    assert again.known == count
    said = memory.conversations.said()
    assert {m.trust for m in said} == {Trust.IMPORTED}
    assert {c.status for c in memory.conversations.list().items} == {"ended"}
    memory.jobs.run()
    assert all(c.summary and "Import:" not in c.summary for c in memory.conversations.list().items)


def test_what_was_added_since_is_added(memory: Memory, tmp_path: Path) -> None:
    """A transcript that grows: its conversation goes on, also after it had ended, and is summed up anew."""
    path = tmp_path / "s1.jsonl"
    path.write_text(chats.CLAUDE_CODE)
    memory.transfers.load_chats(path, "claude-code")
    memory.jobs.run()
    (before,) = memory.conversations.list().items
    more = chats.claude_event("user", "v1", "The move is finished.", at="2026-02-02T10:00:00Z")
    path.write_text(chats.CLAUDE_CODE + chats.lines(more))
    moved = memory.transfers.load_chats(path, "claude-code")
    assert moved.moved == {"conversation": 0, "message": 1, "memory": 0}
    memory.jobs.run()
    (after,) = memory.conversations.list().items
    assert (after.id, after.turns, after.ended_at) == (before.id, 5, datetime(2026, 2, 2, 10, tzinfo=UTC))
    assert after.summary
    assert "finished" in after.summary
    assert before.started_at == after.started_at == datetime(2026, 2, 1, 10, tzinfo=UTC)


def test_what_is_live_is_believed_by_its_role_and_goes_on(memory: Memory, tmp_path: Path) -> None:
    path = tmp_path / "s1.jsonl"
    path.write_text(chats.CLAUDE_CODE)
    memory.transfers.load_chats(path, "claude-code", live=True)
    (chat,) = memory.conversations.list().items
    assert chat.status == "active"
    trusts = [m.trust for m in memory.conversations.messages(chat.id)]
    assert trusts == [Trust.USER, Trust.ASSISTANT, Trust.TOOL, Trust.USER]
    assert memory.transfers.load_chats(path, "claude-code").known == 4, "the same things, however they come"


@pytest.mark.parametrize("mine", [True, False])
def test_what_the_user_said_elsewhere_is_believed_where_it_is_his(
    memory: Memory, tmp_path: Path, mine: bool
) -> None:
    (tmp_path / "chat.md").write_text("User: I live in Lisbon, and I prefer tabs.\n\nAssistant: Noted.\n")
    memory.transfers.load_chats(tmp_path / "chat.md", "markdown", mine=mine)
    memory.jobs.run()
    assert {m.trust for m in memory.conversations.said()} == (
        {Trust.USER, Trust.ASSISTANT} if mine else {Trust.IMPORTED}
    )
    assert {c.status for c in memory.conversations.list().items} == {"ended"}
    facts = {r.key: r.value for r in memory.list(Filter(keys=("location",))).items}
    assert facts == ({"location": "Lisbon"} if mine else {})


def test_a_resumed_session_copies_its_past(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "s1.jsonl").write_text(chats.CLAUDE_CODE)
    copied = chats.CLAUDE_CODE.replace('"sessionId": "s1"', '"sessionId": "s2"')
    new = chats.claude_event("user", "w1", "And now?", sessionId="s2")
    (tmp_path / "s2.jsonl").write_text(copied + chats.lines(new))
    moved = memory.transfers.load_chats(tmp_path, "claude-code")
    assert moved.moved["message"] == 5
    assert len(memory.conversations.said()) == 5


def test_memories_of_mem0(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "export.json").write_text(chats.MEM0)
    assert memory.transfers.load_chats(tmp_path / "export.json", "mem0").moved["memory"] == 2
    assert memory.transfers.load_chats(tmp_path / "export.json", "mem0").known == 2
    (tea,) = memory.list(Filter(tags=("drinks",))).items
    assert (tea.text, tea.trust) == ("Alex prefers tea", Trust.IMPORTED)
    assert tea.valid_from == datetime(2026, 1, 5, 15, tzinfo=UTC)
    assert tea.brief
    memory.forget(tea.id)
    assert memory.transfers.load_chats(tmp_path / "export.json", "mem0").moved["memory"] == 0, (
        "it stays forgotten"
    )


def test_the_graph_of_the_reference_memory_server(memory: Memory, tmp_path: Path) -> None:
    path = tmp_path / "memory.jsonl"
    path.write_text(chats.GRAPH)
    assert memory.transfers.load_chats(path, "mcp-memory").moved["memory"] == 5
    path.write_text(chats.GRAPH.replace("Has a dog", "Has a cat"))
    again = memory.transfers.load_chats(path, "mcp-memory")
    assert (again.moved["memory"], again.known) == (1, 4)
    graph = memory.graph.read(names=["Alex"])
    assert graph.entities[0].observations == ("Likes tea", "Has a dog", "Has a cat")
    assert graph.relations[0].type == "works_at"
    assert {r.trust for r in memory.list().items} == {Trust.IMPORTED}


def test_each_space_has_its_own(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text(chats.CURSOR)
    other = memory.view("user:bob")
    for view in (memory, other):
        assert view.transfers.load_chats(tmp_path, "cursor").moved["message"] == 2
    assert len(other.conversations.said()) == 2


def test_secrets_do_not_come_in(memory: Memory, tmp_path: Path) -> None:
    key = "AKIA" + "IOSFODNN7EXAMPLQ"
    (tmp_path / "m.json").write_text(json.dumps([{"id": "9", "memory": f"The key is {key}"}]))
    memory.transfers.load_chats(tmp_path / "m.json", "mem0")
    assert key not in memory.list().items[0].text


def test_what_cannot_be_read_is_told(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("{")
    (tmp_path / "empty").mkdir()
    for path, source, why in (
        (tmp_path / "bad.json", "chatgpt", "not JSON"),
        (tmp_path / "bad.json", "claude-code", "nothing that reads as claude-code"),
        (tmp_path / "none.json", "mem0", "cannot be read"),
        (tmp_path / "empty", "claude", "has no conversations"),
        (tmp_path / "bad.json", "fax", "no source 'fax'; known are: claude-code"),
    ):
        with pytest.raises(InvalidInput, match=why):
            memory.transfers.load_chats(path, source)
    (tmp_path / "s.jsonl").write_text("broken\n" + chats.CLAUDE_CODE)
    moved = memory.transfers.load_chats(tmp_path / "s.jsonl", "claude-code")
    assert moved.moved["message"] == 4
    assert moved.unread == [f"{tmp_path / 's.jsonl'}: line 1 is not JSON"]
    assert memory.stats().conversations == 1

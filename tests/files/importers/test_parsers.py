"""Each parser on a small file in its program's shape, and all of them on anything at all."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import chats
from recollect import Role
from recollect.files.importers.load import SOURCES
from recollect.files.importers.talk import LONGEST_OUTPUT, Noted, Talk, Unread, clean, moment


def read(source: str, text: str) -> list[Any]:
    return list(SOURCES[source].parse(text, "file"))


def told(talk: Talk) -> list[tuple[str, str]]:
    return [(str(one.role), one.text) for one in talk.said]


def test_claude_code() -> None:
    (talk,) = read("claude-code", chats.CLAUDE_CODE)
    assert (talk.key, talk.title) == ("s1", "Moving the database")
    assert talk.at == datetime(2026, 2, 1, 10, tzinfo=UTC)
    assert told(talk) == [
        ("user", "We decided to move the database to PostgreSQL."),
        ("assistant", "I will look at the configuration."),
        ("tool", "DATABASE = 'sqlite'"),
        ("user", "Thanks"),
    ]
    assert talk.said[2].speaker == "Read"


def test_a_line_that_is_being_written_waits_and_a_broken_one_is_told() -> None:
    whole = chats.CLAUDE_CODE
    (talk,) = read("claude-code", whole + '{"type": "user", "uu')
    assert len(talk.said) == 4
    unread, talk = read("claude-code", "nonsense\n" + whole)
    assert unread == Unread("line 1 is not JSON")
    assert len(talk.said) == 4


def test_long_tool_output_is_cut() -> None:
    event = chats.claude_event(
        "user", "u", [{"type": "tool_result", "tool_use_id": "t", "content": "x" * 99_999}]
    )
    (talk,) = read("claude-code", chats.lines(event))
    assert len(talk.said[0].text) < LONGEST_OUTPUT + 10
    assert talk.said[0].text.endswith("[cut]")


def test_codex() -> None:
    (talk,) = read("codex", chats.CODEX)
    assert talk.key == "c1"
    assert told(talk) == [("user", "Run the tests"), ("tool", "2 passed"), ("assistant", "All green.")]
    assert talk.said[1].speaker == "exec_command"


def test_gemini_in_both_shapes() -> None:
    (talk,) = read("gemini", chats.GEMINI)
    assert told(talk) == [("user", "List them"), ("assistant", "Two files."), ("tool", "a.py b.py")]
    held = json.loads(chats.GEMINI)
    messages = held.pop("messages")
    assert read("gemini", chats.lines(held, *messages)) == [talk]


def test_cursor() -> None:
    (talk,) = read("cursor", chats.CURSOR)
    assert talk.key == "file"
    assert told(talk) == [("user", "Fix it"), ("assistant", "Fixed.")]


def test_chatgpt_follows_the_path_that_is_shown() -> None:
    (talk,) = read("chatgpt", chats.CHATGPT)
    assert (talk.key, talk.title) == ("gpt1", "Trip")
    assert told(talk) == [("user", "Where to in May?"), ("assistant", "To Porto.")]
    held = json.loads(chats.CHATGPT)
    del held[0]["current_node"]
    assert read("chatgpt", json.dumps(held)) == [talk]
    held[0]["mapping"]["root"]["children"] = ["root"]
    held[0]["mapping"]["root"]["parent"] = "root"
    assert read("chatgpt", json.dumps(held)) == []


def test_claude() -> None:
    (talk,) = read("claude", chats.CLAUDE)
    assert (talk.key, talk.title) == ("cl1", "Soup")
    assert told(talk) == [("user", "Any soup?"), ("assistant", "Peas.")]


def test_mem0() -> None:
    first, second = read("mem0", chats.MEM0)
    assert isinstance(first, Noted)
    assert (first.text, first.tags) == ("Alex prefers tea", ("drinks",))
    assert first.at == datetime(2026, 1, 5, 15, tzinfo=UTC)
    assert first.metadata["mem0"]["metadata"] == {"type": "preference"}
    assert read("mem0", json.dumps(json.loads(chats.MEM0)["results"])) == [first, second]
    assert read("mem0", '{"results": [{"id": "3"}]}') == [Unread("memory 1 has no text")]


def test_the_graph_of_the_reference_memory_server() -> None:
    (drawn,) = read("mcp-memory", chats.GRAPH)
    assert [e.name for e in drawn.entities] == ["Alex", "Acme"]
    assert drawn.relations[0].type == "works_at"
    assert read("mcp-memory", '{"type": "entity"}\n')[0].why == "line 1 is neither an entity nor a relation"


def test_plain_jsonl() -> None:
    first, second = read("jsonl", chats.JSONL)
    assert first.key == "x"
    assert told(first) == [("user", "Hello"), ("assistant", "Hi")]
    assert told(second) == [("system", "Be kind"), ("user", "Bye")]
    assert read("jsonl", '{"role": "pirate", "content": "Arr"}\n')[0].why.startswith("line 1 has no text")


def test_plain_markdown() -> None:
    (talk,) = read("markdown", chats.MARKDOWN)
    assert talk.title == "A walk"
    assert talk.at == datetime(2026, 2, 6, 10, tzinfo=UTC)
    assert told(talk) == [
        ("user", "Shall we walk?\nAlong the river?"),
        ("assistant", "Yes."),
        ("user", "Note: bring water."),
    ]
    assert [one.speaker for one in talk.said] == ["Alex", None, None]
    assert isinstance(read("markdown", "no turns here")[0], Unread)


def test_times_as_programs_write_them() -> None:
    at = datetime(2026, 2, 2, 2, 40, tzinfo=UTC)
    seconds = at.timestamp()
    assert moment(seconds) == moment(seconds * 1_000) == moment("2026-02-02T02:40:00Z") == at
    assert moment("soon") is moment(None) is moment(1e300) is moment(True) is None


@given(st.text())
def test_cleaned_texts_can_be_stored(text: str) -> None:
    made = clean(text)
    assert "\0" not in made
    made.encode("utf-8")


NAMES = (
    "type message content role uuid mapping parent messages text payload chat_messages results memory id "
    "user toolCalls summary children"
).split()
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(NAMES) | st.text(max_size=4),
            inner | st.sampled_from(["user", "assistant", "tool_result", "text", "response_item"]),
            max_size=4,
        )
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("source", SOURCES)
@given(held=st.lists(JSON, max_size=3), raw=st.text(max_size=60))
def test_anything_at_all_is_read_or_told(source: str, held: list[Any], raw: str) -> None:
    """No parser raises: a file that is not what it was called gives nothing, and says so where it can."""
    for text in (json.dumps(held), "\n".join(map(json.dumps, held)), json.dumps(held[:1] and held[0]), raw):
        for found in read(source, text):
            if isinstance(found, Talk):
                assert found.said
                assert all(one.text.strip() and isinstance(one.role, Role) for one in found.said)

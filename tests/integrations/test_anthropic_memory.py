"""Claude's memory tool: documented replies, the SDK's own file tool as a reference, and no way out."""

import asyncio
import re
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from anthropic import Anthropic
from anthropic.lib.tools import ToolError
from anthropic.tools.memory import BetaLocalFilesystemMemoryTool
from hypothesis import given, settings
from hypothesis import strategies as st

from model_server import ModelServer, Mood
from recollect import Memory, Trust
from recollect.integrations.anthropic_memory import AsyncRecollectMemoryTool, RecollectMemoryTool
from recollect.integrations.memory_files import Refused, checked
from recollect.models.fakes import HashEmbedder

Do = Callable[..., str]


def caller(tool: Any) -> Do:
    def do(command: str, **given: Any) -> str:
        try:
            return str(tool.call({"command": command, **given}))
        except ToolError as refused:
            return f"refused: {refused.content}"

    return do


@pytest.fixture
def do(memory: Memory) -> Do:
    return caller(RecollectMemoryTool(memory))


def test_the_documented_replies(do: Do) -> None:
    assert do("view", path="/memories") == (
        "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and "
        "node_modules:\n0B\t/memories"
    )
    notes = "/memories/notes.txt"
    assert do("create", path=notes, file_text="one\ntwo\n") == f"File created successfully at: {notes}"
    assert do("create", path=notes, file_text="x") == f"refused: Error: File {notes} already exists"
    assert do("view", path=notes) == (
        f"Here's the content of {notes} with line numbers:\n     1\tone\n     2\ttwo\n     3\t"
    )
    assert do("view", path=notes, view_range=[2, -1]).endswith("numbers:\n     2\ttwo\n     3\t")
    assert do("str_replace", path=notes, old_str="two", new_str="2").startswith(
        "The memory file has been edited. Here is the snippet"
    )
    assert do("str_replace", path=notes, old_str="zzz", new_str="") == (
        f"refused: No replacement was performed, old_str `zzz` did not appear verbatim in {notes}."
    )
    assert do("insert", path=notes, insert_line=0, insert_text="2\n") == f"The file {notes} has been edited."
    assert do("str_replace", path=notes, old_str="2", new_str="3") == (
        "refused: No replacement was performed. Multiple occurrences of old_str `2` in lines: 1, 3. "
        "Please ensure it is unique"
    )
    assert do("insert", path=notes, insert_line=9, insert_text="x") == (
        "refused: Error: Invalid `insert_line` parameter: 9. It should be within the range of lines of the "
        "file: [0, 3]"
    )
    gone = "/memories/gone.txt"
    assert do("view", path=gone) == f"refused: The path {gone} does not exist. Please provide a valid path."
    assert do("str_replace", path=gone, old_str="a", new_str="b") == (
        f"refused: Error: The path {gone} does not exist. Please provide a valid path."
    )
    assert (
        do("insert", path=gone, insert_line=0, insert_text="")
        == f"refused: Error: The path {gone} does not exist"
    )
    assert do("delete", path=gone) == f"refused: Error: The path {gone} does not exist"
    assert (
        do("rename", old_path=gone, new_path="/memories/a")
        == f"refused: Error: The path {gone} does not exist"
    )
    assert (
        do("rename", old_path=notes, new_path=notes)
        == f"refused: Error: The destination {notes} already exists"
    )
    moved = "/memories/old/2026/notes.txt"
    assert do("rename", old_path=notes, new_path=moved) == f"Successfully renamed {notes} to {moved}"
    do("create", path="/memories/.hidden", file_text="x" * 1536)
    do("create", path="/memories/b.txt", file_text="x" * 1536)
    assert do("view", path="/memories").splitlines()[2:] == [
        "1.5K\t/memories/b.txt",
        "8B\t/memories/old/",
        "8B\t/memories/old/2026/",
    ]
    assert do("delete", path="/memories/old") == "Successfully deleted /memories/old"
    assert do("view", path=moved).startswith("refused: ")
    assert do("delete", path="/memories") == "refused: Error: Cannot delete the /memories directory itself"
    for path in ("/memories/b.txt/c", "/memories/b.txt/c/d"):
        assert do("create", path=path, file_text="x").endswith("/memories/b.txt is a file, not a directory")


def test_files_are_memories_with_versions(do: Do, memory: Memory) -> None:
    do("create", path="/memories/likes.md", file_text="Alex likes green tea")
    do("str_replace", path="/memories/likes.md", old_str="green", new_str="black")
    (found,) = memory.recall("what tea does Alex like?").found
    assert (found.text, found.kind) == ("Alex likes black tea", "note")
    record = memory.get(found.id)
    assert (record.trust, record.metadata) == (Trust.ASSISTANT, {"path": "/memories/likes.md"})
    assert [v.text for v in memory.history(found.id)] == ["Alex likes green tea", "Alex likes black tea"]
    do("delete", path="/memories/likes.md")
    assert len(memory.recall("tea")) == 0
    do("create", path="/memories/likes.md", file_text="anew")
    assert do("view", path="/memories/likes.md").endswith("     1\tanew")
    assert do("create", path="/memories/s", file_text="the password is hunter2-Zebra9").endswith(
        "(redacted: password)"
    )
    assert "hunter2" not in do("view", path="/memories/s")


def test_empty_files_and_what_cannot_be_stored(do: Do) -> None:
    do("create", path="/memories/e", file_text="")
    assert do("view", path="/memories/e") == "Here's the content of /memories/e with line numbers:\n     1\t"
    do("insert", path="/memories/e", insert_line=0, insert_text="first")
    assert do("view", path="/memories/e", view_range=[1, 1]).endswith("     1\tfirst")
    do("str_replace", path="/memories/e", old_str="first\n")
    assert do("view", path="/memories").endswith("0B\t/memories/e")
    assert do("create", path="/memories/nul", file_text="a\0b").startswith("refused: Error: ")
    assert do("create", path=f"/memories/{'x' * 300}", file_text="a").startswith("refused: Error: ")
    assert do("view", path="/memories").endswith("0B\t/memories/e")


@pytest.mark.parametrize(
    "path",
    [
        "/memories/../secrets.env",
        "/memories/..",
        "/memories/a/../../b",
        "/memories/..\\..\\b",
        "/memories/%2e%2e/b",
        "/memories/%2e%2e%2fb",
        "/memories/%252e%252e%252fb",
        "/memories/%25252e%25252e/b",
        "/etc/passwd",
        "/memoriesx/a",
        "memories/a",
        "",
        "/",
        "/memories/a\nb",
        "/memories/a%00b",
    ],
)
def test_no_path_leads_out(do: Do, path: str) -> None:
    for call in (
        {"command": "view", "path": path},
        {"command": "create", "path": path, "file_text": "x"},
        {"command": "str_replace", "path": path, "old_str": "x", "new_str": "y"},
        {"command": "insert", "path": path, "insert_line": 0, "insert_text": "x"},
        {"command": "delete", "path": path},
        {"command": "rename", "old_path": path, "new_path": "/memories/x"},
        {"command": "rename", "old_path": "/memories/x", "new_path": path},
    ):
        assert do(**call).startswith("refused: Error: Path ")
    assert do("view", path="/memories").endswith("\n0B\t/memories")


@given(st.text(alphabet="/.%2eE5fm\\a", max_size=20))
def test_a_checked_path_is_its_own_and_stays_below(tail: str) -> None:
    try:
        place = checked(f"/memories/{tail}")
    except Refused:
        return
    assert place == "/memories" or place.startswith("/memories/")
    assert ".." not in place.split("/")
    assert checked(place) == place


NAMES = st.sampled_from(["a", "b.txt", "d/a", "d/e/f", ".h", "d/.h"]).map(lambda name: f"/memories/{name}")
TEXTS = st.text(alphabet="ab\n ", max_size=8)
COMMANDS = st.one_of(
    st.fixed_dictionaries({"command": st.just("create"), "path": NAMES, "file_text": TEXTS}),
    st.fixed_dictionaries(
        {
            "command": st.just("str_replace"),
            "path": NAMES,
            "old_str": st.sampled_from(["a", "b", "ab"]),
            "new_str": TEXTS,
        }
    ),
    st.fixed_dictionaries(
        {"command": st.just("insert"), "path": NAMES, "insert_line": st.integers(-1, 4), "insert_text": TEXTS}
    ),
    st.fixed_dictionaries({"command": st.just("rename"), "old_path": NAMES, "new_path": NAMES}),
    st.fixed_dictionaries({"command": st.just("delete"), "path": NAMES}),
)


def same(reply: str) -> str:
    """A reply without what differs on purpose between the documentation and the SDK's file tool."""
    reply = reply.replace("refused: Error: ", "refused: ").replace(" and node_modules", "")
    reply = reply.replace("range of lines of the file:", "range")
    reply = reply.removesuffix(" Please provide a valid path.").removesuffix(".")
    return re.sub(r"^[\d.]+[BKMG]\t(.*/|/memories)$", r"\1", reply, flags=re.MULTILINE)


@settings(max_examples=15, deadline=None)
@given(commands=st.lists(COMMANDS, max_size=10))
def test_it_answers_as_the_sdks_file_tool_does(commands: list[dict[str, Any]], tmp_path_factory: Any) -> None:
    """Word for word, but for what `same` names. Empty directories are no part of it: we have none."""
    folder: Path = tmp_path_factory.mktemp("reference")
    reference = caller(BetaLocalFilesystemMemoryTool(str(folder)))
    with Memory(folder / "m.db", embedder=HashEmbedder(), background=False) as memory:
        ours = caller(RecollectMemoryTool(memory))
        for call in commands:
            assert same(ours(**call)) == same(reference(**call)), call
        files = [p for p in (folder / "memories").rglob("*") if p.is_file()]
        for file in files:
            path = f"/memories/{file.relative_to(folder / 'memories').as_posix()}"
            assert ours("view", path=path) == reference("view", path=path)
        assert len(files) == len(memory.list().items)


def test_the_async_tool(sqlite_memory: Memory) -> None:
    tool = AsyncRecollectMemoryTool(sqlite_memory)

    async def talk() -> list[Any]:
        path = "/memories/a"
        calls: list[dict[str, Any]] = [
            {"command": "create", "path": path, "file_text": "hello"},
            {"command": "str_replace", "path": path, "old_str": "hello", "new_str": "bye"},
            {"command": "insert", "path": path, "insert_line": 1, "insert_text": "then"},
            {"command": "rename", "old_path": path, "new_path": "/memories/b"},
            {"command": "view", "path": "/memories/b"},
            {"command": "delete", "path": "/memories/b"},
        ]
        return [await tool.call(call) for call in calls] + [await tool.clear_all_memory()]

    told = asyncio.run(talk())
    assert told[4].endswith("     1\tbye\n     2\tthen\n     3\t")
    assert told[-1] == "All memory cleared"
    assert tool.to_dict() == {"type": "memory_20250818", "name": "memory"}


def answered(*content: dict[str, Any]) -> Mood:
    message = {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "claude-test",
        "stop_sequence": None,
    }
    stopped = "tool_use" if content[0]["type"] == "tool_use" else "end_turn"
    usage = {"input_tokens": 1, "output_tokens": 1}
    return Mood(body={**message, "stop_reason": stopped, "usage": usage, "content": list(content)})


def test_the_sdks_tool_runner_uses_it(sqlite_memory: Memory) -> None:
    create = {"command": "create", "path": "/memories/a", "file_text": "hello"}
    bad = {"command": "view", "path": "/memories/../etc"}
    with ModelServer() as server, Anthropic(base_url=server.url, api_key="k") as client:
        server.moods = [
            answered({"type": "tool_use", "id": "t1", "name": "memory", "input": create}),
            answered({"type": "tool_use", "id": "t2", "name": "memory", "input": bad}),
            answered({"type": "text", "text": "done"}),
        ]
        said: Any = [{"role": "user", "content": "remember hello"}]
        tools = [RecollectMemoryTool(sqlite_memory)]
        runner = client.beta.messages.tool_runner(
            model="claude-test", max_tokens=10, messages=said, tools=tools
        )
        assert runner.until_done().content[0].text == "done"  # type: ignore[union-attr]
        results = [request.body["messages"][-1]["content"][0] for request in server.requests[1:]]
    assert results[0]["content"] == "File created successfully at: /memories/a"
    assert results[1]["is_error"] is True
    assert results[1]["content"] == "Error: Path /memories/../etc would escape /memories directory"
    assert server.requests[0].body["tools"] == [{"type": "memory_20250818", "name": "memory"}]


def test_of_many_who_create_a_file_at_once_one_does(memory: Memory) -> None:
    everybody = threading.Barrier(6)

    def create(i: int) -> str:
        everybody.wait()
        return caller(RecollectMemoryTool(memory))("create", path="/memories/a", file_text=f"by {i}")

    with ThreadPoolExecutor(6) as pool:
        told = sorted(pool.map(create, range(6)))
    assert told == ["File created successfully at: /memories/a"] + 5 * [
        "refused: Error: File /memories/a already exists"
    ]
    assert len(memory.list().items) == 1


def test_clearing_sets_every_file_aside(do: Do, memory: Memory) -> None:
    do("create", path="/memories/a", file_text="x")
    memory.remember("not a file")
    assert RecollectMemoryTool(memory).clear_all_memory() == "All memory cleared"
    assert [r.text for r in memory.list().items] == ["not a file"]

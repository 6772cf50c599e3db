"""The chat command: piped in, as JSON lines, with an LLM behind HTTP and without one."""

import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from model_server import ModelServer, Mood
from recollect import Memory
from recollect.models.fakes import HashEmbedder
from recollect.surfaces.cli.app import run
from served import served

DB = ["--db", "chat.db", "--view", "user:alex", "--embedder", "fake:hash-64"]


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    def talk(*lines: str, options: tuple[str, ...] = (), code: int = 0) -> Any:
        monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(lines) + "\n"))
        assert run(["chat", *options, *DB]) == code
        return capsys.readouterr()

    return talk


def conversations() -> Any:
    with Memory("chat.db", view="user:alex", embedder=HashEmbedder(), background=False) as memory:
        return [
            (c.status, [(str(m.role), m.text) for m in memory.conversations.messages(c.id)])
            for c in memory.conversations.list().items
        ]


def test_without_an_llm_it_says_so_and_learns_still(chat: Any) -> None:
    printed = chat("My name is Alex and I live in Berlin.", "", "Where do I live?", "/quit", "never said").out
    assert "no LLM is configured" in printed
    assert "You said: Where do I live?" in printed
    assert "  recalled: nothing" in printed.split("Where do I live?")[0]
    assert "learnt (add)" in printed
    assert (
        "Berlin" in printed.split("You said: My name")[1].split("You said: Where")[0].split("recalled", 1)[1]
    )
    assert printed.splitlines()[-1].startswith("ended ")
    said = [("user", "My name is Alex and I live in Berlin."), ("user", "Where do I live?")]
    assert conversations() == [("ended", said)]


def test_commands_and_mistakes_do_not_end_it(chat: Any) -> None:
    printed = chat("I like tea.", "/recall tea", "/recall", "/why nonsense", "/dance", "I like \ud800 too")
    assert "recalled" in printed.out.split("learnt")[1]
    assert printed.err.count("error: ") == 4
    assert "/recall WORDS, /why ID, /quit" in printed.err
    assert len(conversations()) == 1


def test_json_lines_and_why(chat: Any) -> None:
    first, ended = map(json.loads, chat("I live in Berlin.", options=("--json",)).out.splitlines())
    assert first.keys() == {"said", "recalled", "answer", "by", "note", "learnt"}
    assert ended["status"] == "ended"
    (learnt,) = first["learnt"]
    (why,) = map(json.loads, chat(f"/why {learnt['memory']}", options=("--json",)).out.splitlines())
    assert why["messages"][0]["text"] == "I live in Berlin."
    assert len(conversations()) == 1


def test_later_leaves_the_work_to_a_worker(chat: Any) -> None:
    printed = chat("I live in Berlin.", options=("--later",)).out
    assert "learnt: nothing" in printed
    assert run(["jobs", "run", *DB]) == 0
    with Memory("chat.db", view="user:alex", embedder=HashEmbedder(), background=False) as memory:
        assert any("Berlin" in r.text for r in memory.list().items)


def test_an_llm_answers_from_memory(chat: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_LLM", "openai:test")
    monkeypatch.setenv("RECOLLECT_API_KEY", "k")
    answer = {"choices": [{"message": {"content": "You live in Berlin."}, "finish_reason": "stop"}]}
    with ModelServer() as server:
        monkeypatch.setenv("RECOLLECT_BASE_URL", server.url)
        server.moods = [Mood(body=answer)]
        printed = chat("I live in Berlin.", "Where do I live?", options=("--later",)).out
        asked = [request.body["messages"] for request in server.requests]
    assert printed.count("openai:test: You live in Berlin.") == 2
    assert "I live in Berlin." in asked[1][0]["content"]
    assert asked[1][-1] == {"role": "user", "content": "Where do I live?"}
    ((_, said),) = conversations()
    assert [role for role, _ in said] == ["user", "assistant", "user", "assistant"]


def test_a_silent_llm_is_told_and_the_chat_goes_on(chat: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_LLM", "openai:test")
    with ModelServer() as server:
        monkeypatch.setenv("RECOLLECT_BASE_URL", server.url)
        server.moods = [Mood(status=401, body={"error": {"message": "no"}})]
        printed = chat("I live in Berlin.", "And you?", options=("--later",)).out
    assert printed.count("(the LLM did not answer: ") == 2
    assert [role for _, said in conversations() for role, _ in said] == ["user", "user"]


def test_an_llm_is_not_asked_without_energy(chat: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_LLM", "openai:test")
    monkeypatch.setenv("RECOLLECT_ENERGY_CAPACITY", "10")
    with ModelServer() as server:
        monkeypatch.setenv("RECOLLECT_BASE_URL", server.url)
        assert "(the LLM did not answer: Energy is at" in chat("Hello", options=("--later",)).out
        assert server.requests == []


def test_with_a_memory_that_a_server_holds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The LLM is this machine's, and so is its energy; what is said is the server's."""
    monkeypatch.setenv("RECOLLECT_LLM", "openai:test")
    monkeypatch.setenv("RECOLLECT_ENERGY_CAPACITY", "4000")
    held = Memory(tmp_path / "served.db", view="user:alex", embedder=HashEmbedder(), background=False)
    held.remember("Alex lives in Berlin")
    answer = {
        "choices": [{"message": {"content": "In Berlin."}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1_000, "completion_tokens": 2_000},
    }
    with ModelServer() as models, served(held) as server:
        monkeypatch.setenv("RECOLLECT_BASE_URL", models.url)
        monkeypatch.setenv("RECOLLECT_KEY", server.key("user:alex"))
        models.moods = [Mood(body=answer)]
        monkeypatch.setattr(sys, "stdin", io.StringIO("Where do I live?\nAre you sure?\n"))
        assert run(["chat", "--db", server.url]) == 0
        printed = capsys.readouterr().out
        (asked,) = models.requests
        (kept,) = held.conversations.list().items
        said = [(str(m.role), m.text) for m in held.conversations.messages(kept.id)]
    assert "recalled" in printed.split("openai:test: In Berlin.")[0]
    assert "Alex lives in Berlin" in asked.body["messages"][0]["content"]
    assert "(the LLM did not answer: Energy is at 25%" in printed
    assert said == [("user", "Where do I live?"), ("assistant", "In Berlin."), ("user", "Are you sure?")]
    assert kept.status == "ended"


def test_on_a_terminal_it_prompts_and_ctrl_d_ends_it(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    program = Path(sys.executable).with_name("recollect")
    with subprocess.Popen(
        [program, "chat", *DB], stdin=theirs, stdout=theirs, stderr=theirs, cwd=tmp_path
    ) as run:
        os.close(theirs)
        os.write(ours, b"I live in Berlin.\n\x04")
        seen = b""
        while True:
            try:
                got = os.read(ours, 65_536)
            except OSError:  # the terminal is closed when the program has ended
                break
            if not got:
                break
            seen += got
    os.close(ours)
    assert run.returncode == 0
    assert b"you> " in seen
    assert b"/recall WORDS" in seen
    assert b"ended " in seen

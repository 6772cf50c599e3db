"""Hooks, called as agents call them: JSON in, JSON or nothing out, and never a veto."""

import io
import json
import os
import socket
import subprocess
import sys
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any

import pytest

import agent_events as events
import chats
from recollect import Memory
from recollect.models.fakes import HashEmbedder
from recollect.models.tokens import tokenizer_for
from recollect.store.sqlite import driver
from recollect.surfaces.cli import main
from recollect.surfaces.hooks import run as hooks
from recollect.surfaces.hooks.events import EVENTS, Agent, Event
from recollect.surfaces.hooks.layout import SESSION
from recollect.surfaces.hooks.respond import PROMPT_BUDGET

OPTIONS = ["--db", "hooks.db", "--view", "user:alex", "--embedder", "fake:hash-64"]
AGENTS = list(Agent)


@pytest.fixture
def memory() -> Any:
    with Memory("hooks.db", view="user:alex", embedder=HashEmbedder(), background=False) as opened:
        yield opened


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Send an event as the agent does; what was printed, parsed where there is anything.

    With --wait: a hook that is too late leaves, and would take the process of the tests along.
    """

    def call(agent: Agent, event: dict[str, Any]) -> Any:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(event).encode())))
        line = ["recollect", "hook", event["hook_event_name"], "--agent", agent, "--wait", *OPTIONS]
        monkeypatch.setattr(sys, "argv", line)
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main()
        assert left.value.code == 0
        printed = capsys.readouterr().out
        return json.loads(printed) if printed else None

    return call


def log(tmp_path: Path) -> str:
    path = tmp_path / "data" / "recollect" / "hooks" / "hooks.log"
    return path.read_text() if path.exists() else ""


def context_of(agent: Agent, answer: dict[str, Any], event: dict[str, Any]) -> str:
    """The context where this agent looks for it; nothing else may be said."""
    if agent == Agent.CURSOR:
        assert answer.pop("continue", True) is True
        assert answer.keys() == {"additional_context"}
        return str(answer["additional_context"])
    assert answer.keys() == {"hookSpecificOutput"}
    inner = answer["hookSpecificOutput"]
    assert inner.keys() == {"hookEventName", "additionalContext"}
    assert inner["hookEventName"] == event["hook_event_name"]
    return str(inner["additionalContext"])


@pytest.mark.parametrize("agent", AGENTS)
def test_a_session_starts_with_a_context(agent: Agent, hook: Any, memory: Memory) -> None:
    assert hook(agent, events.STARTS[agent]) is None, "nothing is known yet: nothing is said"
    memory.remember("Always run the linter before a commit", kind="instruction")
    memory.remember("We decided on PostgreSQL for billing", kind="decision")
    text = context_of(agent, hook(agent, events.STARTS[agent]), events.STARTS[agent])
    assert "linter" in text
    assert "PostgreSQL" in text
    assert text.startswith("<memory>")
    assert tokenizer_for("o200k").count(text) <= SESSION.budget


@pytest.mark.parametrize("agent", AGENTS)
def test_a_prompt_brings_what_fits_it_once(agent: Agent, hook: Any, memory: Memory) -> None:
    memory.remember("The deploy key of phoenix lives in the vault")
    for i in range(60):
        memory.remember(
            f"Deploy note {i} on phoenix: the key turned at step {i} of the plan, as on the day before"
        )
    asked = events.PROMPTS[agent] | {"prompt": "Where is the deploy key of phoenix?"}
    text = context_of(agent, hook(agent, asked), asked)
    assert "lives in the vault" in text
    assert text.endswith("</memory>")
    assert tokenizer_for("o200k").count(text) <= PROMPT_BUDGET
    again = hook(agent, asked)
    assert again is None or "lives in the vault" not in json.dumps(again), "it was shown in this session"
    for idle in ("thanks!", "/compact now", " ", "Compose limericks concerning zebras"):
        assert hook(agent, asked | {"prompt": idle}) is None, idle


STATED = [
    ("The staging host is blue-7", "note"),
    ("We decided on PostgreSQL for the billing service because of its JSON support", "decision"),
    ("Alex prefers ruff over flake8 for linting", "preference"),
]


@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_small_store_answers_what_it_can_and_nothing_else(hook: Any, memory: Memory, size: int) -> None:
    """Where hardly a word is known, the ones it does not know must not silence it."""
    agent, asked = Agent.CLAUDE_CODE, events.PROMPTS[Agent.CLAUDE_CODE]
    for text, kind in STATED[:size]:
        memory.remember(text, kind=kind)
    answered = {
        "What is the staging host called?": "blue-7",
        "Which database did we choose for the billing service?": "PostgreSQL",
        "Do I prefer ruff or black for linting?": "flake8",
    }
    for prompt, answer in [*answered.items()][:size]:
        assert answer in json.dumps(hook(agent, asked | {"prompt": prompt})), prompt
    for idle in (
        "thanks, go on",
        "fix the typo",
        "please fix the typo in the readme",
        "now refactor the parser and add tests",
        "add a host header check to the server",
        "use the new parser here please",
    ):
        assert hook(agent, asked | {"prompt": idle, "session_id": idle}) is None, idle


def test_a_long_text_is_not_brought_for_a_few_words(hook: Any, memory: Memory) -> None:
    """What a tool printed has some words of any prompt; what a person noted in a sentence is about them."""
    agent, asked = Agent.CLAUDE_CODE, events.PROMPTS[Agent.CLAUDE_CODE]
    printed = " ".join(f"step {i} passed in {i} ms;" for i in range(150))
    memory.add(f"collected the parser module; {printed} a config was loaded", role="tool", speaker="Bash")
    prompt = asked | {"prompt": "rename the parser and its config loader"}
    assert hook(agent, prompt) is None
    memory.remember("The parser reads its config once")
    assert "reads its config once" in json.dumps(hook(agent, prompt))


def test_a_session_of_a_young_store_starts_with_what_it_has(hook: Any, memory: Memory) -> None:
    for text, kind in STATED:
        memory.remember(text, kind=kind)
    chat = memory.conversations.start()
    memory.add("Let us use Argon2 for hashing passwords instead of bcrypt.", conversation=chat.id)
    memory.conversations.end(chat.id)
    memory.jobs.run()
    start = events.STARTS[Agent.CLAUDE_CODE]
    text = context_of(Agent.CLAUDE_CODE, hook(Agent.CLAUDE_CODE, start), start)
    for told in ("blue-7", "PostgreSQL", "ruff over flake8", "Argon2"):
        assert told in text.partition("Index:")[0], told


@pytest.mark.parametrize("agent", AGENTS)
def test_tools_leave_signals_for_the_next_context(
    agent: Agent, hook: Any, memory: Memory, tmp_path: Path
) -> None:
    memory.remember("Login tokens are checked in the auth middleware", kind="decision")
    memory.remember("A bad token means the clock of the host is wrong", kind="error")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/feature/login\n")
    home = {"workspace_roots": [str(tmp_path)]} if agent == Agent.CURSOR else {"cwd": str(tmp_path)}
    assert hook(agent, events.READS[agent]) is None
    assert hook(agent, events.FAILURES[agent] | home) is None
    (state,) = (tmp_path / "data" / "recollect" / "hooks" / "sessions").glob("*.json")
    signals = json.loads(state.read_text())["signals"]
    assert signals["current_file"] == "src/auth/login.ts"
    assert "ValueError: bad token" in signals["recent_errors"][0]
    assert signals["branch"] == "feature/login"
    started = context_of(agent, hook(agent, events.STARTS[agent]), events.STARTS[agent])
    assert "clock of the host" in started
    asked = events.PROMPTS[agent] | {"prompt": "Please make it pass again"}
    assert "clock of the host" in context_of(agent, hook(agent, asked), asked)
    assert log(tmp_path) == ""


TRANSCRIPTS = {
    Agent.CLAUDE_CODE: ("s1.jsonl", chats.CLAUDE_CODE, 4),
    Agent.CODEX: ("rollout-c1.jsonl", chats.CODEX, 3),
    Agent.GEMINI: ("session-g1.json", chats.GEMINI, 3),
    Agent.CURSOR: ("s1.jsonl", chats.CURSOR, 2),
}


@pytest.mark.parametrize("agent", AGENTS)
def test_a_stop_and_a_compaction_store_what_is_new(
    agent: Agent, hook: Any, memory: Memory, tmp_path: Path
) -> None:
    name, text, count = TRANSCRIPTS[agent]
    (tmp_path / name).write_text(text)
    where = {"transcript_path": str(tmp_path / name)}
    assert hook(agent, events.STOPS[agent] | where) is None
    assert memory.stats().messages == count
    assert {m.trust for m in memory.conversations.said()} <= {"user", "assistant", "tool"}
    assert hook(agent, events.COMPACTIONS[agent] | where) is None
    assert memory.stats().messages == count, "only what is new"
    assert memory.stats().unembedded == {"fake:hash-64": 0}
    if agent in events.ENDS:
        hook(agent, events.ENDS[agent] | where)
        (chat,) = memory.conversations.list().items
        assert chat.status == "ended"
        assert chat.summary
    assert log(tmp_path) == ""


def test_what_was_said_in_this_session_is_not_recalled_into_it(
    hook: Any, memory: Memory, tmp_path: Path
) -> None:
    (tmp_path / "s1.jsonl").write_text(chats.CLAUDE_CODE)
    stop = events.STOPS[Agent.CLAUDE_CODE] | {"transcript_path": str(tmp_path / "s1.jsonl")}
    hook(Agent.CLAUDE_CODE, stop)
    asked = events.PROMPTS[Agent.CLAUDE_CODE] | {"prompt": "Look at the configuration of the database"}
    same = json.dumps(hook(Agent.CLAUDE_CODE, asked))
    assert "I will look at the configuration" not in same
    other = json.dumps(hook(Agent.CLAUDE_CODE, asked | {"session_id": "s2"}))
    assert "I will look at the configuration" in other
    assert "Thanks" not in other, "its words have nothing to do with the prompt"
    assert other.count("move the database") == 1, "the message or what was drawn from it, not both"


def test_storing_is_left_to_a_process_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The agent goes on at once; the command that is left behind does the work when it is run."""
    handed: list[str] = []

    def fail() -> Any:
        raise AssertionError("a stop does not open the memory itself")

    stop = json.dumps(events.STOPS[Agent.CLAUDE_CODE])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stop.encode())))
    said: list[str] = []
    hooks.run("claude-code", "Stop", tmp_path, fail, handed.append)(said.append)
    assert said == []
    assert handed == [stop]


def test_a_left_behind_process_gets_the_event_and_keeps_quiet(tmp_path: Path) -> None:
    """It shares none of our streams, so whoever waits for them to close waits for us alone."""
    os.mkfifo(tmp_path / "got")
    script = "import sys; print('no one hears this'); open('got', 'w').write(sys.stdin.read())"
    hooks.detached([sys.executable, "-c", script], tmp_path)("the event")
    assert (tmp_path / "got").read_text() == "the event"
    assert not log(tmp_path)


def test_an_answer_in_time_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hooks.in_time(lambda say: say("an answer"), tmp_path, 600.0)
    assert capsys.readouterr().out == "an answer\n"
    assert not (tmp_path / "hooks.log").exists()


def test_too_late_is_silence(tmp_path: Path) -> None:
    """In a process of its own: work that never ends leaves no output, exit code 0 and a line in the log."""
    code = (
        "import threading, pathlib, sys; from recollect.surfaces.hooks.run import in_time\n"
        "in_time(lambda say: threading.Event().wait(), pathlib.Path(sys.argv[1]), 0.05)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert "no answer within" in (tmp_path / "hooks.log").read_text()


@pytest.mark.parametrize("event", [events.STARTS, events.PROMPTS])
@pytest.mark.parametrize("trouble", ["a locked file", "a server that never answers"])
def test_a_store_that_hangs_holds_nobody_up(event: dict[Agent, Any], trouble: str, tmp_path: Path) -> None:
    """The store would let it wait for half a minute: it leaves long before, with an answer or without."""
    with Memory("hooks.db", embedder=HashEmbedder(), background=False) as memory:
        memory.remember("Staging does listen on port 8443", kind="instruction")
    payload = json.dumps(event[Agent.CLAUDE_CODE] | {"prompt": "Which port does staging listen on?"})
    name = event[Agent.CLAUDE_CODE]["hook_event_name"]
    program = [Path(sys.executable).with_name("recollect"), "hook", name, "--agent", "claude-code"]
    with socket.create_server(("127.0.0.1", 0)) as silent, closing(driver().connect("hooks.db")) as other:
        other.execute("BEGIN EXCLUSIVE")
        other.execute("CREATE TABLE held (x)")
        place = "hooks.db" if trouble == "a locked file" else f"http://127.0.0.1:{silent.getsockname()[1]}"
        done = subprocess.run(
            [*program, "--db", place], input=payload, capture_output=True, text=True, timeout=20, check=False
        )
    assert (done.returncode, done.stderr) == (0, "")
    assert not done.stdout or json.loads(done.stdout)
    assert done.stdout or "no answer within" in log(tmp_path)


@pytest.mark.parametrize(
    ("name", "payload", "told"),
    [
        ("SessionStart", "not json", "is not JSON"),
        ("SessionStart", "[]", "must be an object"),
        ("SessionStart", "", "is not JSON"),
        ("Breakfast", "{}", "no event 'Breakfast'; known are"),
        ("SessionStart", '{"cwd": 5, "session_id": ["x"], "tool_input": "x"}', ""),
        ("PostToolUse", '{"tool_input": {"file_path": 7}, "tool_response": [1, {}]}', ""),
        ("UserPromptSubmit", '{"prompt": null}', ""),
    ],
)
def test_nonsense_is_logged_and_never_a_veto(
    name: str,
    payload: str,
    told: str,
    memory: Memory,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(payload.encode())))
    work = hooks.run("claude-code", name, tmp_path, lambda: nullcontext(memory), None)
    hooks.in_time(work, tmp_path, 600.0)
    assert capsys.readouterr().out == ""
    path = tmp_path / "hooks.log"
    assert told in (path.read_text() if path.exists() else "")


def test_a_wrong_command_line_or_a_broken_store_is_never_a_veto(tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("recollect")
    (tmp_path / "broken.db").write_text("this is not a database, it is a poem " * 100)
    for arguments in (
        ["hook"],
        ["hook", "SessionStart", "--agent", "clippy"],
        ["hook", "SessionStart", "--agent", "claude-code", "--colour"],
        ["hook", "SessionStart", "--agent", "claude-code", "--db", "broken.db"],
    ):
        event = json.dumps(events.STARTS[Agent.CLAUDE_CODE])
        done = subprocess.run([program, *arguments], input=event, capture_output=True, text=True, check=False)
        assert done.returncode == 0
        assert done.stdout == ""
    assert "not a command line for a hook" in log(tmp_path)


def test_every_event_of_every_agent_is_known() -> None:
    for group in (events.STARTS, events.PROMPTS, events.READS, events.FAILURES, events.STOPS):
        assert all(one["hook_event_name"] in EVENTS for one in group.values())
    assert {EVENTS[e["hook_event_name"]] for e in events.COMPACTIONS.values()} == {Event.COMPACT}
    assert {EVENTS[e["hook_event_name"]] for e in events.ENDS.values()} == {Event.END}


def test_a_tool_event_opens_no_memory() -> None:
    """What happens after every tool use has to be light: no store, no numpy."""
    code = (
        "import sys; from recollect.surfaces.cli.app import run\n"
        "run(['hook', 'PostToolUse', '--agent', 'claude-code', '--wait'])\n"
        "print([m for m in ('recollect.memory', 'numpy', 'sqlite3', 'pydantic', 'mcp') if m in sys.modules])"
    )
    event = json.dumps(events.READS[Agent.CLAUDE_CODE])
    command = [sys.executable, "-c", code]
    found = subprocess.run(command, input=event, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"

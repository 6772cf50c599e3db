"""Installing into agents: the diff, the files, twice the same, and back byte for byte."""

import json
import os
import shlex
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from agent_events import STARTS
from recollect.surfaces.agents.configs import EVENTS
from recollect.surfaces.cli.app import run
from recollect.surfaces.hooks.events import EVENTS as KNOWN
from recollect.surfaces.hooks.events import Agent

AGENTS = list(Agent)
HOOKS = {
    Agent.CLAUDE_CODE: ".claude/settings.json",
    Agent.CODEX: ".codex/hooks.json",
    Agent.GEMINI: ".gemini/settings.json",
    Agent.CURSOR: ".cursor/hooks.json",
}
SERVERS = {
    Agent.CLAUDE_CODE: ".claude.json",
    Agent.CODEX: ".codex/config.toml",
    Agent.GEMINI: ".gemini/settings.json",
    Agent.CURSOR: ".cursor/mcp.json",
}
OWN = """{
   "model": "best",   "permissions": {"allow": ["Bash(ls:*)"]},
   "hooks": {
      "Stop": [ {"hooks": [{"type": "command", "command": "say done"}]} ],
      "stop": [ {"command": "say done"} ]
   },
   "mcpServers": {"other": {"command": "other", "args": []}}
}"""
OWN_TOML = """# my settings
model = "gpt-5"   # the best

[mcp_servers.other]
command = "other"

[features]
hooks = true"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    return home


def files(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def fill(home: Path, agent: Agent) -> None:
    """What people have in these files before us."""
    for name in (HOOKS[agent], SERVERS[agent]):
        path = home / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes((OWN_TOML if name.endswith("toml") else OWN).encode())


def value(path: Path) -> dict[str, Any]:
    text = path.read_text()
    return tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)


@pytest.mark.parametrize("agent", AGENTS)
def test_a_rehearsal_shows_and_changes_nothing(
    agent: Agent, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(home, agent)
    before = files(home)
    assert run(["install", agent, "--dry-run", "--yes"]) == 0
    told = capsys.readouterr().out
    assert f"--agent {agent}" in told
    assert told.endswith("nothing was changed; leave out --dry-run to do it\n")
    assert run(["install", agent, "--dry-run", "--json"]) == 0
    would = {str(home / HOOKS[agent]), str(home / SERVERS[agent])}
    assert set(json.loads(capsys.readouterr().out)["would_change"]) == would
    assert files(home) == before
    run(["install", agent, "--yes"])
    there = files(home)
    assert run(["uninstall", agent, "--dry-run"]) == 0
    assert files(home) == there


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("filled", [False, True], ids=["empty", "filled"])
def test_in_and_out_leaves_every_byte(
    agent: Agent, filled: bool, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if filled:
        fill(home, agent)
    before = files(home)
    assert run(["install", agent, "--yes"]) == 0
    shown = capsys.readouterr().out
    assert "+" in shown
    assert f"recollect is in {agent}" in shown
    removed = [line for line in shown.splitlines() if line.startswith("-") and not line.startswith("---")]
    assert len(removed) <= 4, "lines of others change by a comma at most"
    installed = files(home)
    assert installed != before

    assert run(["install", agent, "--yes"]) == 0
    assert "nothing to change" in capsys.readouterr().out
    assert files(home) == installed, "twice is once"

    assert run(["uninstall", agent, "--yes"]) == 0
    assert files(home) == before
    assert filled or not any(home.iterdir()), "no folder is left behind either"
    assert run(["uninstall", agent, "--yes"]) == 0
    assert "nothing to change" in capsys.readouterr().out


@pytest.mark.parametrize("agent", AGENTS)
def test_what_is_there_stays_and_what_is_ours_works(agent: Agent, home: Path) -> None:
    fill(home, agent)
    assert run(["install", agent, "--yes", "--db", str(home / "a b.db"), "--view", "user:alex"]) == 0
    hooks, servers = value(home / HOOKS[agent]), value(home / SERVERS[agent])
    assert hooks["model"] == "best"
    assert "say done" in json.dumps(hooks["hooks"]["Stop"][0])
    part = servers["mcp_servers"] if agent == Agent.CODEX else servers["mcpServers"]
    assert part["other"]["command"] == "other"
    ours = part["recollect"]
    assert ours["args"] == ["mcp", "--db", str(home / "a b.db"), "--view", "user:alex"]
    assert Path(ours["command"]).is_file()
    assert EVENTS[agent].keys() <= KNOWN.keys()
    for event in EVENTS[agent]:
        entry = hooks["hooks"][event][-1]
        command = entry["command"] if agent == Agent.CURSOR else entry["hooks"][0]["command"]
        words = shlex.split(command)
        assert words[1:] == [
            "hook",
            event,
            "--agent",
            agent,
            "--db",
            str(home / "a b.db"),
            "--view",
            "user:alex",
        ]
    start = command.replace(f" hook {event} ", f" hook {STARTS[agent]['hook_event_name']} ")
    done = subprocess.run(
        start,
        shell=True,
        input=json.dumps(STARTS[agent]),
        capture_output=True,
        text=True,
        check=False,
        env=os.environ,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("agent", AGENTS)
def test_what_was_edited_since_is_kept(agent: Agent, home: Path) -> None:
    """Another program rewrote the files: only what is ours goes."""
    fill(home, agent)
    run(["install", agent, "--yes"])
    for name in {HOOKS[agent], SERVERS[agent]}:
        path = home / name
        if path.suffix == ".toml":
            path.write_text(path.read_text() + '\n[projects."/app"]\ntrust_level = "trusted"\n')
        else:
            path.write_text(json.dumps({**value(path), "added": True}))
    assert run(["uninstall", agent, "--yes"]) == 0
    for name in {HOOKS[agent], SERVERS[agent]}:
        path = home / name
        held = value(path)
        assert "recollect" not in path.read_text()
        if path.suffix == ".toml":
            expected = {**tomllib.loads(OWN_TOML), "projects": {"/app": {"trust_level": "trusted"}}}
        else:
            expected = {**json.loads(OWN), "added": True}
            if name == HOOKS[agent] and agent == Agent.CURSOR:
                held.pop("version")
        assert held == expected


def test_what_was_edited_in_a_file_of_windows_lines_is_kept(home: Path) -> None:
    path = home / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_bytes(b'model = "gpt-5"\r\n')
    run(["install", "codex", "--yes"])
    assert path.read_bytes().count(b"\n") == path.read_bytes().count(b"\r\n")
    path.write_bytes(path.read_bytes() + b"# mine\r\n")
    run(["uninstall", "codex", "--yes"])
    assert path.read_bytes() == b'model = "gpt-5"\r\n# mine\r\n'


def test_installing_again_with_other_options_replaces_ours(home: Path) -> None:
    fill(home, Agent.CLAUDE_CODE)
    before = files(home)
    run(["install", "claude-code", "--yes", "--view", "user:alex"])
    run(["install", "claude-code", "--yes", "--view", "user:bob"])
    text = (home / HOOKS[Agent.CLAUDE_CODE]).read_text() + (home / ".claude.json").read_text()
    assert "user:alex" not in text
    assert text.count("user:bob") == len(EVENTS[Agent.CLAUDE_CODE]) + 1
    run(["uninstall", "claude-code", "--yes"])
    assert files(home) == before


def test_a_project_gets_its_own_files(home: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    assert run(["install", "claude-code", "--project", str(project), "--yes"]) == 0
    assert set(files(project)) == {".claude/settings.json", ".mcp.json"}
    assert not any(home.iterdir())
    assert run(["install", "cursor", "--project", str(project), "--yes"]) == 0
    assert {".cursor/hooks.json", ".cursor/mcp.json"} <= set(files(project))
    for agent in ("claude-code", "cursor"):
        run(["uninstall", agent, "--project", str(project), "--yes"])
    assert not any(project.iterdir())


def test_nothing_is_changed_unasked_or_when_it_does_not_fit(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(["install", "claude-code"]) == 2
    assert "say --yes" in capsys.readouterr().err
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text('[mcp_servers.recollect]\ncommand = "mine"\n')
    (home / ".gemini").mkdir()
    (home / ".gemini" / "settings.json").write_text('{"hooks": [}')
    (home / ".cursor").mkdir()
    (home / ".cursor" / "hooks.json").write_bytes(b"\xff\xfe")
    before = files(home)
    for agent, why in (("codex", "not written by us"), ("gemini", "not JSON"), ("cursor", "not UTF-8")):
        assert run(["install", agent, "--yes"]) == 2
        assert why in capsys.readouterr().err
    assert run(["install", "codex", "--user", "--project", str(home), "--yes"]) == 2
    assert run(["install", "codex", "--project", str(home / "none"), "--yes"]) == 2
    assert files(home) == before


def test_json_output(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["install", "gemini", "--yes", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told == {"agent": "gemini", "changed": [str(home / ".gemini" / "settings.json")]}


def test_rights_and_links_stay(home: Path, tmp_path: Path) -> None:
    """Such files may hold keys, and may be kept elsewhere: neither their rights nor a link changes."""
    real = tmp_path / "dotfiles.json"
    real.write_text('{"token": "x"}')
    real.chmod(0o600)
    (home / ".claude.json").symlink_to(real)
    run(["install", "claude-code", "--yes"])
    assert (home / ".claude.json").is_symlink()
    assert real.stat().st_mode & 0o777 == 0o600
    kept = list((tmp_path / "data" / "recollect" / "installed").iterdir())
    assert len(kept) == 2
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in kept)
    run(["uninstall", "claude-code", "--yes"])
    assert real.read_text() == '{"token": "x"}'
    assert real.stat().st_mode & 0o777 == 0o600

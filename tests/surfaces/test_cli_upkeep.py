"""Upkeep from the command line."""

import json
import shlex
from typing import Any

import pytest

from recollect.surfaces.cli.app import run

DB = ["--db", "cli.db", "--view", "user:alex", "--embedder", "fake:hash-64"]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Any:
    """Run a command line; its standard output, parsed where it is JSON."""

    def call(*arguments: str, code: int = 0) -> Any:
        capsys.readouterr()
        assert run([*DB, *arguments]) == code, capsys.readouterr().err
        printed = capsys.readouterr()
        if code:
            return printed.err
        return json.loads(printed.out) if "--json" in arguments else printed.out

    return call


def test_run_list_and_undo(cli: Any) -> None:
    for text in ("Alex likes dark mode in all editors", "Alex likes dark mode in all editors."):
        cli("remember", text)
    assert cli("upkeep", "--dry-run").startswith("would have 1 deduped")
    assert len(cli("list", "--json")["items"]) == 2
    done = cli("upkeep", "--json")
    assert done["counts"]["deduped"] == 1
    assert len(cli("list", "--json")["items"]) == 1
    assert [r["status"] for r in cli("upkeep", "runs", "--json")] == ["done"]
    assert "changes put back" in cli("upkeep", "undo", done["run"])
    assert len(cli("list", "--json")["items"]) == 2
    assert "already undone" in cli("upkeep", "undo", done["run"], code=4)
    assert cli("upkeep", "--view", "user:nobody") == "done: nothing to do\n", "nothing to undo"


def test_a_run_says_how_to_take_it_back(cli: Any) -> None:
    """Whatever view it was made through: the line can be pasted as it is."""
    for text in ("Alex likes dark mode in all editors", "Alex likes dark mode in all editors."):
        cli("remember", text, "--view", "project:my ship")
    told = cli("upkeep", "--view", "project:my ship")
    line = shlex.split(told.splitlines()[-1].removeprefix("undo with: recollect "))
    assert "changes put back" in cli(*line)
    assert len(cli("list", "--view", "project:my ship", "--json")["items"]) == 2


def test_upkeep_comes_round_by_schedule(cli: Any) -> None:
    assert cli("upkeep", "schedule", "--json")["cron"] == "0 3 * * *"
    assert [s["kind"] for s in cli("jobs", "schedule", "--json")] == ["upkeep"]
    cli("upkeep", "schedule", "--off")
    assert cli("jobs", "schedule", "--json") == []
    assert "no schedule" in cli("upkeep", "schedule", "--off", code=3)
    assert cli("upkeep", "schedule", "--cron", "never", code=2)


def test_spaces_merge(cli: Any) -> None:
    cli("remember", "The port is 1", "--key", "port", "--value", "1")
    cli("remember", "The port is 2", "--key", "port", "--value", "2", "--view", "project:x")
    dry = cli("space", "merge", "project:x", "user:alex", "--dry-run")
    assert dry.startswith("would have ")
    told = cli("space", "merge", "project:x", "user:alex")
    assert "1 contradictions found" in told
    assert "--view project:x,user:alex" in told
    line = shlex.split(told.splitlines()[-1].removeprefix("undo with: recollect "))
    assert "put back" in cli(*line)
    assert "no space" in cli("space", "merge", "project:nowhere", "user:alex", code=3)

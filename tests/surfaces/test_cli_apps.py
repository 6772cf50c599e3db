"""`recollect apps`, as a user calls it."""

import json
from pathlib import Path

import pytest

from recollect.surfaces.cli.app import run

DB = ["--db", "cli.db", "--embedder", "fake:hash-64"]


def call(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    capsys.readouterr()
    assert run([*arguments, *DB]) == code
    printed = capsys.readouterr()
    return printed.err if code else printed.out


def talk(capsys: pytest.CaptureFixture[str], text: str) -> str:
    view = ["--view", "app:calendar"]
    chat = json.loads(call(capsys, "add", text, "--json", *view))["conversation"]
    call(capsys, "conversation", "end", chat, *view)
    return str(chat)


def test_the_life_of_an_app(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    told = call(capsys, "apps", "register", "calendar", "--name", "Calendar", "--cap", "2")
    assert told == "app calendar (Calendar): up to 2 memories of about 200 characters\n"
    chat = talk(capsys, "I prefer meetings after 2pm on weekdays.")
    talk(capsys, "I am allergic to peanuts.")
    talk(capsys, "The offsite is in Porto in June.")
    assert "Calendar" in call(capsys, "apps", "list")
    assert "calendar" in call(capsys, "apps", "show", "calendar")
    assert json.loads(call(capsys, "apps", "show", chat, "--conversation", "--json"))["id"] == "calendar"
    listed = json.loads(call(capsys, "apps", "memories", "calendar", "--json"))
    assert [m["appId"] for m in listed] == ["calendar", "calendar"]
    assert "Porto" in call(capsys, "apps", "search", "calendar", "where is the offsite?", "--limit", "1")
    text = call(capsys, "apps", "context", "calendar", "--point", "review", "--conversation", chat)
    assert text.startswith("(memories for app: Calendar)\n")
    assert json.loads(call(capsys, "apps", "export", "calendar"))["memories"] == listed
    assert "exported 2 memories" in call(capsys, "apps", "export", "calendar", str(tmp_path / "out.json"))
    assert json.loads((tmp_path / "out.json").read_text())["cap"] == 2
    figures = json.loads(call(capsys, "apps", "stats", "--json"))
    assert (figures["memories"], figures["utilisation"], figures["counters"]["created"]) == (2, 1.0, 3)
    shown = call(capsys, "apps", "stats", "calendar").splitlines()
    assert "injection rate               0.3333" in shown
    assert len({len(line) - len(line.split("  ")[-1].lstrip()) for line in shown}) == 1, "in one column"
    assert json.loads(call(capsys, "apps", "energy", "--json"))["since_last_poll"] == 3 * 12 + 25
    assert "since last poll  0" in call(capsys, "apps", "energy")
    (gone,) = json.loads(call(capsys, "apps", "memories", "calendar", "--removed", "--json"))
    assert f"restored {gone['id']}" in call(capsys, "apps", "restore", "calendar", gone["id"])
    assert "erased" in call(capsys, "apps", "delete", "calendar", gone["id"])
    assert call(capsys, "apps", "purge", "calendar").startswith("erased 1 memories of calendar")
    assert "its memories stay" in call(capsys, "apps", "uninstall", "calendar")
    assert call(capsys, "apps", "list") == ""
    assert "no" in call(capsys, "apps", "list", "--all")


def test_mistakes_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert "no app mail: register it first" in call(capsys, "apps", "memories", "mail", code=3)
    call(capsys, "apps", "register", "mail")
    assert "cap must be" in call(capsys, "apps", "register", "mail", "--cap", "0", code=2)
    assert "cannot be written" in call(capsys, "apps", "export", "mail", "none/out.json", code=2)

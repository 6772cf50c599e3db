"""`recollect context` and `recollect expand`, as a user calls them."""

import json
from pathlib import Path

import pytest

from recollect.surfaces.cli.app import run

DB = ["--db", "cli.db", "--view", "user:alex", "--embedder", "fake:hash-64"]
OWN = 'name = "own"\n[[sections]]\nname = "all"\nfill = "recalled"\nshare = 1.0\n'


def call(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    capsys.readouterr()
    assert run([*arguments, *DB]) == code
    printed = capsys.readouterr()
    return printed.err if code else printed.out


def test_a_context_and_what_stands_behind_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    call(capsys, "add", "My cat is called Biscuit", "--speaker", "Alex")
    call(capsys, "remember", "Always answer in German", "--kind", "instruction")
    text = call(capsys, "context", "What is the cat called?", "--budget", "300")
    assert "Alex: My cat is called Biscuit" in text
    assert "Always answer in German" in text
    made = json.loads(call(capsys, "context", "the cat", "--json", "--budget", "300", "--layout", "tiers"))
    assert made["tokens"] <= made["budget"] == 300
    ref = next(taken["ref"] for taken in made["taken"] if "Biscuit" in taken["text"])
    assert "Biscuit" in call(capsys, "expand", ref, "--budget", "100")
    assert json.loads(call(capsys, "expand", ref, "--json", "--context", made["id"]))["ref"] == ref
    assert ref in call(capsys, "context", "the cat", "--explain")
    messages = json.loads(call(capsys, "context", "the cat", "--format", "chat"))
    assert [message["role"] for message in messages] == ["system", "user"]
    (tmp_path / "own.toml").write_text(OWN)
    signals = ["--signal", "activity=debugging", "--signal", "recent_errors=no cat", "--signal", "branch=cat"]
    assert "Biscuit" in call(capsys, "context", "the cat", "--layout", "own.toml", *signals)


def test_what_an_answer_used_is_told_or_seen(capsys: pytest.CaptureFixture[str]) -> None:
    call(capsys, "remember", "The staging host is blue-7")
    call(capsys, "remember", "The staging host sleeps at night")
    made = json.loads(call(capsys, "context", "the staging host", "--json"))
    refs = {taken["text"]: (taken["ref"], taken["id"]) for taken in made["taken"]}
    (used, id), (passed, other) = refs["The staging host is blue-7"], refs["The staging host sleeps at night"]
    told = call(capsys, "feedback", made["id"], "--cited", used, "--ignored", passed)
    assert told == f"cited {id}\npassed over {other}\n"
    seen = json.loads(call(capsys, "feedback", made["id"], "--reply", "It is blue-7 (staging)", "--json"))
    assert seen["context"] == made["id"]
    assert "not both" in call(capsys, "feedback", made["id"], "--reply", "x", "--cited", used, code=2)


def test_mistakes_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert "no layout 'chatty'" in call(capsys, "context", "x", "--layout", "chatty", code=2)
    assert "cannot be read" in call(capsys, "context", "x", "--layout", "none.toml", code=2)
    assert "has no value" in call(capsys, "context", "x", "--signal", "branch", code=2)
    assert "no context used the ref m123" in call(capsys, "expand", "m123", code=3)

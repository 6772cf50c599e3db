"""The inbox of contradictions on the command line."""

import json
from pathlib import Path

import pytest

from recollect.surfaces.cli.app import run

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def base(tmp_path: Path, capsys: Captured) -> list[str]:
    given = ["--db", str(tmp_path / "m.db"), "--view", "user:alex", "--embedder", "fake:hash-64"]
    for text in ("Deploys are manual", "Deploys are automatic"):
        assert run(["remember", text, *given]) == 0
    capsys.readouterr()
    return given


def listed(base: list[str], capsys: Captured, *more: str) -> list[dict[str, object]]:
    assert run(["contradictions", *more, "--json", *base]) == 0
    return list(json.loads(capsys.readouterr().out))


def test_both_sides_are_shown_and_one_wins(base: list[str], capsys: Captured) -> None:
    assert run(["contradictions", *base]) == 0
    told = capsys.readouterr().out
    for part in ("manual / automatic", "a: Deploys are manual", "b: Deploys are automatic", "trust user"):
        assert part in told
    assert "stated by hand" in told
    (found,) = listed(base, capsys)
    id = str(found["contradiction"]["id"])  # type: ignore[index]
    assert run(["contradictions", "show", id, *base]) == 0
    assert "(open" in capsys.readouterr().out
    assert run(["contradictions", "resolve", id, "b_wins", "--note", "CI does it", *base]) == 0
    told = capsys.readouterr().out
    assert "b_wins" in told
    assert "note: CI does it" in told
    assert listed(base, capsys) == []
    assert len(listed(base, capsys, "--all")) == 1
    assert run(["contradictions", *base]) == 0
    assert "no contradictions wait" in capsys.readouterr().out
    assert run(["contradictions", "reopen", id, *base]) == 0
    capsys.readouterr()
    assert len(listed(base, capsys)) == 1


def test_merging_needs_a_text(base: list[str], capsys: Captured) -> None:
    (found,) = listed(base, capsys)
    id = str(found["contradiction"]["id"])  # type: ignore[index]
    assert run(["contradictions", "resolve", id, "merged", *base]) == 2
    assert "text" in capsys.readouterr().err
    text = "Deploys are automatic but for hotfixes"
    assert run(["contradictions", "resolve", id, "merged", "--text", text, *base]) == 0
    capsys.readouterr()
    assert run(["list", *base]) == 0
    assert text in capsys.readouterr().out
    assert run(["contradictions", "resolve", id, "a_wins", *base]) == 4


def test_doubt_is_shown_and_cleared(base: list[str], capsys: Captured) -> None:
    keyed = ["--key", "city", "--value"]
    assert run(["remember", "Alex lives in Berlin", *keyed, "Berlin", "--json", *base]) == 0
    city = json.loads(capsys.readouterr().out)["entries"][0]["id"]
    assert run(["remember", "Alex takes the U8", "--json", *base]) == 0
    id = json.loads(capsys.readouterr().out)["entries"][0]["id"]
    assert run(["link", id, city, "--type", "depends_on", *base]) == 0
    assert run(["remember", "Alex lives in Lisbon", *keyed, "Lisbon", *base]) == 0
    capsys.readouterr()
    assert run(["list", *base]) == 0
    assert "active, doubtful" in capsys.readouterr().out
    assert run(["recall", "U8", *base]) == 0
    assert "note, doubtful" in capsys.readouterr().out
    assert run(["update", id, "--sure", *base]) == 0
    capsys.readouterr()
    assert run(["list", *base]) == 0
    assert "doubtful" not in capsys.readouterr().out


def test_what_is_not_there_is_said(base: list[str], capsys: Captured) -> None:
    assert run(["contradictions", "show", "00000000-0000-7000-8000-000000000000", *base]) == 3
    assert "no contradiction" in capsys.readouterr().err

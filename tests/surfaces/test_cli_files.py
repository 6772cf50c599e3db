"""The command line on files: reflect, fact, tier, vault, reembed; for people and for scripts."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from recollect.surfaces.cli.app import run as run_line

DOCS = Path(__file__).parent.parent.parent / "docs"
BASE = ("--db", "m.db", "--view", "project:phoenix,user:alex,system")


def run(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert run_line([*arguments, *BASE]) == code
    out, err = capsys.readouterr()
    return out if code == 0 else err


def test_a_reflection_from_the_command_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    run(capsys, "add", "We use Redis for the cache.", "--embedder", "fake:hash-64")
    run(capsys, "fact", "The staging host is blue-7", "--sig", "5")
    tried = run(capsys, "reflect", "--dry-run")
    assert "would change" in tried
    assert "+- The staging host is blue-7 [sig:5] <!-- m:" in tried
    assert not (tmp_path / "memory.md").exists()
    assert "2 added" in run(capsys, "reflect")
    with (tmp_path / "memory.md").open("a") as out:
        out.write("- Deploys happen on Tuesdays\n")
    found = json.loads(run(capsys, "reflect", "--json"))
    assert [entry["action"] for entry in found["read"]] == ["stored"]
    assert "Deploys happen on Tuesdays" in run(capsys, "tier", "project")
    assert "Redis" in json.loads(run(capsys, "tier", "session", "--json"))["text"]
    assert "1 added" in run(capsys, "fact", "Moved to the new host", "--under", "What was done", "--sig", "4")
    assert "## What was done\n\n- 2" in (tmp_path / "memory.md").read_text()
    assert "next on" in run(capsys, "reflect", "--schedule", "@daily")
    assert "does not exist" in run(capsys, "reflect", "--file", "nowhere/memory.md", code=2)
    assert "significance" in run(capsys, "fact", "x", "--sig", "9", code=2)


def test_a_vault_from_the_command_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = tmp_path / "handbook"
    folder.mkdir()
    (folder / "a.md").write_text("The walrus sleeps at noon.")
    (folder / "b.txt").write_bytes(b"caf\xe9")
    done = run(capsys, "vault", "add", str(folder), "--embedder", "fake:hash-64")
    assert "in system: 1 files read (1 passages)" in done
    assert "b.txt: it is not UTF-8" in done
    assert "walrus" in run(capsys, "recall", "when does the walrus sleep")
    assert "walrus" in run(capsys, "tier", "system")
    (listed,) = json.loads(run(capsys, "vault", "list", "--json"))
    assert (listed["files"], listed["space"]) == (1, "system")
    assert "set aside 1 passages" in run(capsys, "vault", "remove", str(folder))
    assert "no folder" in run(capsys, "vault", "add", str(folder / "missing"), code=3)


def test_changing_the_embedder_from_the_command_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run(capsys, "add", "We use Redis for the cache.", "--embedder", "fake:hash-64")
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "fake:hash-32")
    assert "recollect reembed --to fake:hash-32" in run(capsys, "recall", "cache", code=7)
    begun = json.loads(run(capsys, "reembed", "--to", "fake:hash-32", "--later", "--json"))
    assert (begun["serving"], begun["target"]) == ("fake:hash-64", "fake:hash-32")
    assert "to go" in run(capsys, "reembed")
    assert "Redis" in run(capsys, "recall", "cache", "--later")
    assert run(capsys, "reembed", "--cancel").startswith("fake:hash-64 serves")
    assert run(capsys, "reembed", "--to", "fake:hash-32").startswith("fake:hash-32 serves")
    assert "Redis" in run(capsys, "recall", "cache")
    assert "no embedder provider" in run(capsys, "reembed", "--to", "nonsense:x", code=5)


def test_the_example_in_the_docs_works(tmp_path: Path) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", (DOCS / "files.md").read_text("utf-8"), re.DOTALL)
    command = [sys.executable, "-c", example]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "+- The staging host is blue-7 [sig:5]" in done.stdout
    assert "stored" in done.stdout
    assert "'Deploys happen on Tuesdays'" in done.stdout
    assert done.stderr == ""

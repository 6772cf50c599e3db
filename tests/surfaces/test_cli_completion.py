"""Completion: the bash script runs in a real bash; the others name all, and are read by their shell."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from recollect.model.record import Kind
from recollect.surfaces.cli.app import COMMANDS, parser, run
from recollect.surfaces.cli.completion import nodes

BASH = shutil.which("bash")


@pytest.fixture
def script(capsys: pytest.CaptureFixture[str]) -> Any:
    def made(shell: str) -> str:
        assert run(["completion", shell]) == 0
        return capsys.readouterr().out

    return made


@pytest.mark.skipif(BASH is None, reason="there is no bash here")
@pytest.mark.parametrize(
    ("line", "offered", "not_offered"),
    [
        ("recollect re", {"recall", "remember", "restore", "review"}, {"add", "--db"}),
        ("recollect ", set(COMMANDS) | {"--db", "--version"}, {"pause"}),
        ("recollect conversation ", {"start", "pause", "end", "narrative", "--json"}, {"add"}),
        ("recollect conversation pa", {"pause"}, {"start"}),
        ("recollect recall --kind ", {str(kind) for kind in Kind}, {"--limit"}),
        ("recollect recall question --kind pref", {"preference"}, {"fact"}),
        ("recollect --db add.db --tenant recall add --", {"--role", "--speaker", "--json"}, {"--kind"}),
        ("recollect --json --db ", set(), {"add"}),
        ("recollect completion ", {"bash", "zsh", "fish"}, {"add"}),
    ],
)
def test_bash_offers_what_may_come_next(
    script: Any, line: str, offered: set[str], not_offered: set[str]
) -> None:
    words = line.split(" ")
    quoted = " ".join(f"'{word}'" for word in words)
    asking = f"COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _recollect"
    showing = "printf '%s\\n' \"${COMPREPLY[@]}\"; complete -p recollect"
    code = "\n".join((script("bash"), asking, showing))
    assert BASH is not None
    done = subprocess.run([BASH, "--norc", "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    *found, registered = done.stdout.split("\n")[:-1]
    assert offered <= set(found)
    assert not not_offered & set(found)
    if not offered:
        assert found == [""]
    assert registered == "complete -o default -F _recollect recollect"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_command_and_option_is_named(script: Any, shell: str) -> None:
    text = script(shell)
    for node in nodes(parser()):
        assert re.search(rf"[\"']{node.path}[\"']", text), node.path
        for option in node.options:
            name = option.name if shell != "fish" else f"-l {option.name.removeprefix('--')}"
            assert f"{name}" in text


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_itself_finds_no_mistake(script: Any, shell: str, tmp_path: Path) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"there is no {shell} here")
    (tmp_path / "script").write_text(script(shell))
    subprocess.run([program, "-n", tmp_path / "script"], check=True)

"""Documents are code: the README's example runs, its commands exist, generated pages are current."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("bench/*.md")])
sys.path.insert(0, str(ROOT / "tools"))

import make_reference  # noqa: E402


def test_the_readmes_python_example_works(tmp_path: Path) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len(example.strip().splitlines()) <= 12
    command = [sys.executable, "-c", example]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip()
    assert done.stderr == ""


def test_the_example_of_apps_works(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "apps.md").read_text("utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (promised,) = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    command = [sys.executable, "-c", example]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    dated = re.sub(r"Created: \d{4}-\d\d-\d\d", "Created: 2026-03-02", done.stdout)
    assert dated.startswith(promised)
    assert "{'created': 1" in dated
    assert done.stderr == ""


def test_the_readmes_commands_exist() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    commands = set(re.findall(r"make ([a-z]+)", README))
    assert {"demo", "test"} <= commands
    for command in commands:
        assert re.search(rf"^{command}:", makefile, re.MULTILINE), command
    assert "make test" in (ROOT / ".ci/run").read_text("utf-8")


@pytest.mark.parametrize("name", sorted(make_reference.pages()))
def test_generated_pages_are_current(name: str) -> None:
    written = (make_reference.FOLDER / name).read_text("utf-8")
    assert written == make_reference.pages()[name], "run `make docs`"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
        if not target.startswith(("http://", "https://", "mailto:")):
            assert (page.parent / target).exists(), target


def test_commands_in_the_docs_are_commands() -> None:
    from recollect.surfaces.cli.app import COMMANDS

    for page in PAGES:
        for word in re.findall(r"`recollect ([a-z]+)", page.read_text("utf-8")):
            assert word in COMMANDS, f"{page.name} names `recollect {word}`"

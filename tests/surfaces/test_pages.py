"""The examples on the pages of the surfaces work as they stand."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent.parent / "docs"


@pytest.mark.parametrize(
    ("page", "language", "printed"),
    [
        ("mcp.md", "python", "Lisbon"),
        ("agents.md", "bash", "recollect is out of claude-code"),
        ("importing.md", "bash", "Rex"),
        ("chat.md", "bash", '"said": "Where do I live?"'),
        ("tutorial.md", "bash", "osprey"),
    ],
)
def test_the_examples_of_a_page_work(page: str, language: str, printed: str, tmp_path: Path) -> None:
    blocks = re.findall(rf"```{language}\n(.*?)```", (DOCS / page).read_text("utf-8"), re.DOTALL)
    assert blocks
    program = [sys.executable, "-c"] if language == "python" else ["bash", "-e", "-o", "pipefail", "-c"]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    home = {"HOME": str(tmp_path), "PATH": path, "RECOLLECT_EMBEDDER": "fake:hash-64"}
    told = ""
    for block in blocks:
        done = subprocess.run(
            [*program, block],
            cwd=tmp_path,
            env={**os.environ, **home},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        told += done.stdout
    assert printed in told


def test_every_page_of_a_surface_has_an_example_that_runs() -> None:
    """Here, or in the test of its own that the page names with it."""
    here = {"mcp.md", "agents.md", "importing.md", "chat.md", "tutorial.md"}
    elsewhere = {"rest.md": "rest/test_page.py", "integrations.md": "../integrations/test_examples.py"}
    for page, test in elsewhere.items():
        assert page in (Path(__file__).parent / test).read_text("utf-8")
    told = (DOCS.parent / "README.md").read_text("utf-8")
    for page in here | elsewhere.keys():
        assert re.search(r"```(python|bash)\n", (DOCS / page).read_text("utf-8"))
        assert f"docs/{page}" in told

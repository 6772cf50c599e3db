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
    ],
)
def test_the_examples_of_a_page_work(page: str, language: str, printed: str, tmp_path: Path) -> None:
    blocks = re.findall(rf"```{language}\n(.*?)```", (DOCS / page).read_text("utf-8"), re.DOTALL)
    assert blocks
    program = [sys.executable, "-c"] if language == "python" else ["bash", "-e", "-o", "pipefail", "-c"]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    home = {"HOME": str(tmp_path), "PATH": path, "RECOLLECT_EMBEDDER": "fake:hash-64"}
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
        assert printed in done.stdout

"""The examples of docs/rest.md run as they stand there."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from recollect.surfaces.cli.app import parser
from served import Served

PAGE = (Path(__file__).parents[3] / "docs" / "rest.md").read_text("utf-8")


def test_the_examples_work(shared: Served, tenant: str) -> None:
    key = shared.key("user:me", tenant=tenant)
    examples = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(examples) == 2
    code = "\n".join([f"URL, KEY = {shared.url!r}, {key!r}", *examples])
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.splitlines()[0] == "stored"
    assert "Lisbon" in done.stdout.splitlines()[1]
    assert "Alex likes the sea" in done.stdout.splitlines()[-1]


def test_the_key_is_made_as_the_page_says(tmp_path: Path) -> None:
    (commands,) = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
    make, serve = (shlex.split(line, comments=True) for line in commands.splitlines())
    program = str(Path(sys.executable).with_name(make[0]))
    place = {**os.environ, "RECOLLECT_DB": str(tmp_path / "m.db")}
    done = subprocess.run([program, *make[1:]], env=place, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("rcl_")
    assert parser().parse_args(serve[1:]).port == 8420

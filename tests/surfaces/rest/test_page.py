"""The examples of docs/rest.md run as they stand there."""

import re
import subprocess
import sys
from pathlib import Path

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

"""How long light commands take to start: `python bench/startup.py`. Baseline: Python that does nothing."""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import environment, table
from recollect import Memory

RUNS = 15
EVENT = json.dumps({"session_id": "s", "cwd": "/", "prompt": "what was there to get?"}).encode()
"""What hooks read; other commands do not look at it."""


def main() -> None:
    """Time each command as a user would, from the shell's point of view."""
    program = str(Path(sys.executable).with_name("recollect"))
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "m.db")
        with Memory(path, embedder="static:recollect-256", background=False) as memory:
            id = memory.remember("something to get").id
        events = ("PostToolUse", "SessionStart", "UserPromptSubmit", "Stop")
        hooks = {event: ["hook", event, "--agent", "claude-code", "--wait"] for event in events}
        commands = {
            "baseline: python -c pass": [sys.executable, "-c", "pass"],
            "recollect --version": [program, "--version"],
            "recollect get ID": [program, "get", id, "--db", path],
            "recollect list": [program, "list", "--db", path],
            "recollect add TEXT --later": [program, "add", "hello", "--later", "--db", path],
            **{f"recollect hook {event}": [program, *hook, "--db", path] for event, hook in hooks.items()},
        }
        rows = []
        for name, command in commands.items():
            times = sorted(timed(command, folder) for _ in range(RUNS))
            rows.append((name, f"{times[0] * 1000:.0f}", f"{statistics.median(times) * 1000:.0f}"))
    table(("command", "fastest, ms", "median, ms"), rows)


def timed(command: list[str], folder: str) -> float:
    """Seconds of one run, with a data folder of its own."""
    env = environment(XDG_DATA_HOME=folder)
    started = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, input=EVENT, env=env)
    return time.perf_counter() - started


if __name__ == "__main__":
    main()

"""Whether hooks answer in time: `python bench/hooks.py`. Each is a new process, as a coding agent starts it.

Events as Claude Code sends them, on a memory of 10,000 messages and a few instructions, on the file itself
and through a running server. A hook that is not ready in time says nothing: how often that was is told. Tool
uses and stops have nothing to say. Baseline: Python that does nothing.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import Any

from common import environment, percentile, table, texts
from recall_store import fill
from recollect import Memory
from recollect.memory import scope_of
from recollect.models import registry
from recollect.surfaces.keys import Keys

PROGRAM = [str(Path(sys.executable).with_name("recollect"))]
SPACE = "user:me"


def main() -> None:
    """Fill a memory, then fire each event again and again."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--messages", type=int, default=10_000)
    arguments.add_argument("--runs", type=int, default=20)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "m.db")
        fill(path, given.messages)
        with Memory(path, embedder=registry.LIGHT_EMBEDDER, background=False) as memory:
            for number, text in enumerate(texts(20, seed=5)):
                memory.remember(f"Rule {number}: {text}", kind="instruction")
            key, _ = Keys(scope_of(memory)).create("hooks", spaces=[SPACE, "*"], rights=["admin"])
        rows = [baseline(given.runs)]
        rows += measured("the file", folder, {"RECOLLECT_DB": path}, given)
        with serving(path) as url:
            rows += measured("a server", folder, {"RECOLLECT_DB": url, "RECOLLECT_KEY": key}, given)
    table(("memory", "event", "p50 ms", "p95 ms", "of processor, p50", "said nothing"), rows)


def measured(
    name: str, folder: str, place: dict[str, str], given: argparse.Namespace
) -> list[tuple[str, ...]]:
    """Every event, each in a session of its own, so that nothing was shown before."""
    said = texts(given.messages)
    rows = []
    for event, more in EVENTS.items():
        took, worked, silent = [], [], 0
        for number in range(given.runs):
            words = said[number * 7].split()[:12]
            payload = {**COMMON, **more, "session_id": f"{name}-{event}-{number}", "hook_event_name": event}
            payload |= {"prompt": " ".join(words)} if event == "UserPromptSubmit" else {}
            command = [*PROGRAM, "hook", event, "--agent", "claude-code"]
            where = {**place, "XDG_DATA_HOME": folder}
            seconds, processor, printed = timed(command, json.dumps(payload), where)
            took.append(seconds)
            worked.append(processor)
            silent += not printed.strip()
        speaks = event in ("SessionStart", "UserPromptSubmit")
        share = f"{silent / given.runs:.0%}" if speaks else "always"
        rows.append((name, event, *spread(took, worked), share))
    return rows


COMMON: dict[str, Any] = {"transcript_path": "", "cwd": "/app", "permission_mode": "default"}
EVENTS: dict[str, dict[str, Any]] = {
    "SessionStart": {"source": "startup", "model": "claude-sonnet-5"},
    "UserPromptSubmit": {},
    "PostToolUse": {
        "tool_name": "Bash",
        "tool_use_id": "toolu_2",
        "tool_input": {"command": "pytest"},
        "tool_response": {"stdout": "1 failed", "stderr": "E  ValueError: bad token", "interrupted": False},
    },
    "Stop": {"stop_hook_active": False},
}


def baseline(runs: int) -> tuple[str, ...]:
    """What any process of Python costs."""
    took, worked, _ = zip(*(timed([sys.executable, "-c", "pass"], "", {}) for _ in range(runs)), strict=True)
    return "none", "python -c pass", *spread(took, worked), "always"


def spread(took: Sequence[float], worked: Sequence[float]) -> tuple[str, str, str]:
    """p50 and p95 as the agent sees them, and p50 of the processor's time."""
    return percentile(took, 0.5), percentile(took, 0.95), percentile(worked, 0.5)


def timed(command: list[str], payload: str, more: dict[str, str]) -> tuple[float, float, str]:
    """Seconds as the agent sees them, of the processor, and what was printed."""
    before, started = getrusage(RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, input=payload, env=environment(**more)
    )
    took, after = time.perf_counter() - started, getrusage(RUSAGE_CHILDREN)
    worked = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return took, worked, done.stdout


@contextmanager
def serving(path: str) -> Iterator[str]:
    """A server of the file, in a process of its own."""
    command = [*PROGRAM, "serve", "--json", "--port", "0", "--no-workers", "--db", path]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield json.loads(process.stdout.readline())["serving"]
        finally:
            process.terminate()


if __name__ == "__main__":
    main()

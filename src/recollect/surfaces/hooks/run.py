"""Running a hook: it answers before its deadline or says nothing, and never fails the agent.

The work runs on a thread that the process does not wait for; a transcript is stored by a process of its
own. Whatever goes wrong is written to `hooks.log` in the data folder, and the exit code is 0: some agents
take another one for a veto.
"""

import os
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import ExitStack, nullcontext
from datetime import UTC, datetime
from pathlib import Path

from recollect.errors import RecollectError
from recollect.surfaces.hooks.events import EVENTS, Agent, Event, answer, fired
from recollect.surfaces.hooks.respond import Open, ingest, respond

DEADLINE = 0.85
"""Seconds from when our program was called; with the start and the end of the process it makes one."""
LOG = "hooks.log"
LONGEST_LOG = 1_000_000
LATER = (Event.COMPACT, Event.STOP, Event.END)
"""Events after which a transcript is stored, which may take its time."""

Spawn = Callable[[str], None]
Say = Callable[[str], None]


def run(agent: str, name: str, folder: Path, open: Open, spawn: Spawn | None) -> Callable[[Say], None]:
    """What to do for the event on standard input; what takes long is handed to `spawn`, else done now.

    What there is to say is said before the memory is closed, which may have to wait for other writers.
    """

    def work(say: Say) -> None:
        payload = sys.stdin.buffer.read().decode("utf-8", "replace")
        if spawn is not None and EVENTS.get(name) in LATER:
            spawn(payload)
            return
        event = fired(Agent(agent), name, payload)
        if event.event in LATER:
            ingest(event, folder, open)
            return
        with ExitStack() as held:
            say(answer(event, respond(event, folder, lambda: nullcontext(held.enter_context(open())))))

    return work


def in_time(work: Callable[[Say], None], folder: Path, seconds: float) -> None:
    """Print what the work says if it does so in time; then leave, whether it is done or not."""
    ends = time.monotonic() + seconds
    ready = threading.Event()
    said: list[str] = []

    def say(text: str) -> None:
        said.append(text)
        ready.set()

    def attempt() -> None:
        try:
            work(say)
        except Exception as error:
            log(folder, error)
        finally:
            ready.set()

    thread = threading.Thread(target=attempt, daemon=True)
    thread.start()
    if not ready.wait(max(0.0, seconds)):
        log(folder, f"no answer within {DEADLINE} s: said nothing")
        os._exit(0)  # the thread may hold locks: nothing of it is waited for
    if said and said[0]:
        sys.stdout.write(said[0] + "\n")
        sys.stdout.flush()
    thread.join(max(0.0, ends - time.monotonic()))
    if thread.is_alive():
        log(folder, "answered, but what was shown could not be written down in time")
        os._exit(0)


def detached(command: Sequence[str], folder: Path) -> Spawn:
    """Hand the event to a process of its own, which outlives this one and shares none of its streams."""

    def spawn(payload: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / LOG).open("ab") as errors:
            child = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                start_new_session=True,
            )
        assert child.stdin is not None
        child.stdin.write(payload.encode("utf-8"))
        child.stdin.close()
        child.returncode = 0  # it is on its own: nobody waits for it

    return spawn


def quietly(work: Callable[[], int], folder: Callable[[], Path]) -> int:
    """Run a hook's command line: what goes wrong, down to a mistyped option, is logged and no exit code."""
    try:
        work()
    except SystemExit as stop:
        if stop.code:
            log(folder(), f"not a command line for a hook: {sys.argv[1:]}")
    except Exception as error:
        log(folder(), error)
    return 0


def log(folder: Path, what: BaseException | str) -> None:
    """Write down what went wrong; the log starts anew when it is large."""
    known = isinstance(what, str | RecollectError)
    text = str(what) if known else "".join(traceback.format_exception(what))  # type: ignore[arg-type]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / LOG
        if path.is_file() and path.stat().st_size > LONGEST_LOG:
            path.replace(path.with_suffix(".old.log"))
        with path.open("a", encoding="utf-8") as out:
            out.write(f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ} {text.rstrip()}\n")
    except OSError:
        return  # nowhere to write: a hook still never fails

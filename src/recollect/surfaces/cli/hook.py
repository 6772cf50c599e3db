"""The hook command: what a coding agent calls at its events."""

import sys
import time
from argparse import Namespace
from functools import partial
from pathlib import Path

from recollect import settings
from recollect.surfaces.cli.command import Command, argument, flag
from recollect.surfaces.cli.output import Session
from recollect.surfaces.hooks.events import EVENTS, Agent
from recollect.surfaces.hooks.run import DEADLINE, detached, in_time, run

PROGRAM = (sys.executable, "-c", "from recollect.surfaces.cli import main; main()")


def hook(session: Session, given: Namespace) -> None:
    """Answer one event of a coding agent."""
    folder = data_folder()
    if given.wait:
        run(given.agent, given.event, folder, session.memory, None)(partial(print, end="", flush=True))
        return
    again = [*PROGRAM, "hook", given.event, "--agent", given.agent, "--wait", *session.options()]
    work = run(given.agent, given.event, folder, session.memory, detached(again, folder))
    in_time(work, folder, DEADLINE - (time.monotonic() - session.begun))


def data_folder() -> Path:
    """Where hooks keep their log and what they know of running sessions."""
    return settings.default_path().parent / "hooks"


COMMANDS = (
    Command("hook", hook, "Answer an event of a coding agent: its JSON on standard input, ours on output.", (
        argument("event", metavar="EVENT", help=f"as the agent calls it: {', '.join(EVENTS)}"),
        argument("--agent", required=True, choices=[str(a) for a in Agent], help="whose event it is"),
        flag("--wait", "no deadline: do all the work before leaving"),
    )),
)  # fmt: skip

"""The hook command: what a coding agent calls at its events."""

import sys
import time
from argparse import Namespace
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from recollect import settings
from recollect.surfaces.cli.command import Command, argument, flag
from recollect.surfaces.cli.output import Session
from recollect.surfaces.hooks.events import EVENTS, Agent
from recollect.surfaces.hooks.run import DEADLINE, detached, in_time, run
from recollect.surfaces.notice import found

if TYPE_CHECKING:
    from recollect.memory import Memory

PROGRAM = (sys.executable, "-c", "from recollect.surfaces.cli import main; main()")


def hook(session: Session, given: Namespace) -> None:
    """Answer one event of a coding agent."""
    folder = data_folder()
    if given.wait:  # a transcript is stored here: nobody waits for it, and the file is shared
        run(given.agent, given.event, folder, session.memory, None)(partial(print, end="", flush=True))
        return
    again = [*PROGRAM, "hook", given.event, "--agent", given.agent, "--wait", *session.options()]
    work = run(given.agent, given.event, folder, partial(_memory, session), detached(again, folder))
    in_time(work, folder, DEADLINE - (time.monotonic() - session.begun))


def _memory(session: Session) -> "AbstractContextManager[Memory]":
    """The memory through the server that runs on its file, if there is one, else the file itself."""
    chosen = settings.load(db=session.db, tenant=session.tenant, view=session.view)
    near = None if session.embedder else found(chosen.db, chosen.tenant)
    if near is None:
        return session.memory()
    from recollect.memory import Memory

    return Memory(near.url, key=near.key, view=chosen.view)


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

"""The install and uninstall commands: recollect in a coding agent, or out of it again."""

import shutil
import sys
from argparse import Namespace
from pathlib import Path

from recollect import settings
from recollect.errors import InvalidInput
from recollect.surfaces.agents import install as installer
from recollect.surfaces.agents.configs import Edit, edits
from recollect.surfaces.agents.install import Change
from recollect.surfaces.cli.command import Command, argument, flag
from recollect.surfaces.cli.output import Session
from recollect.surfaces.hooks.events import Agent


def install(session: Session, given: Namespace) -> None:
    """Write hooks and MCP configuration, after showing what changes."""
    changes = installer.installing(_edits(session, given), _kept())
    if _agreed(session, given, changes, "already installed"):
        installer.install(changes, _kept())
        _told(session, given, changes, f"recollect is in {given.agent}; restart it to begin")


def uninstall(session: Session, given: Namespace) -> None:
    """Take hooks and MCP configuration out, after showing what changes."""
    changes = installer.removing(_edits(session, given), _kept())
    if _agreed(session, given, changes, "not installed"):
        installer.remove(changes, _kept())
        _told(session, given, changes, f"recollect is out of {given.agent}")


def _edits(session: Session, given: Namespace) -> list[Edit]:
    if given.project is not None and given.user:
        raise InvalidInput("install for the user or for a project? Pass --user or --project DIR, not both")
    root = Path.home() if given.project is None else Path(given.project).absolute()
    if not root.is_dir():
        raise InvalidInput(f"{root} is not a folder")
    shared = given.project is not None and shutil.which("recollect") is not None
    program = "recollect" if shared else _program()
    return edits(Agent(given.agent), root, given.project is None, program, session.options())


def _program() -> str:
    """The program by its full path, for agents that do not have it in theirs."""
    beside = Path(sys.executable).with_name("recollect")
    return str(beside if beside.exists() else Path(sys.argv[0]).absolute())


def _kept() -> Path:
    return settings.default_path().parent / "installed"


def _agreed(session: Session, given: Namespace, changes: list[Change], nothing: str) -> bool:
    """Show what would change and ask, unless this is a rehearsal; with nothing to change, say so."""
    if not changes:
        _told(session, given, changes, f"{given.agent}: {nothing}, nothing to change")
        return False
    if not session.json:
        print("".join(change.diff for change in changes))
    if given.dry_run:
        would = {"agent": given.agent, "would_change": [str(change.path) for change in changes]}
        session.show(would, f"{given.agent}: nothing was changed; leave out --dry-run to do it")
        return False
    if given.yes:
        return True
    if not sys.stdin.isatty():
        raise InvalidInput("this changes files of another program: say --yes")
    if input("Change these files? [y/N] ").strip().lower() not in ("y", "yes"):
        raise InvalidInput("nothing was changed")
    return True


def _told(session: Session, given: Namespace, changes: list[Change], text: str) -> None:
    told = {"agent": given.agent, "changed": [str(change.path) for change in changes]}
    session.show(told, text)


_ARGUMENTS = (
    argument("agent", choices=[str(a) for a in Agent], help="the agent"),
    flag("--user", "for everything the user does with it (the default)"),
    argument("--project", metavar="DIR", help="for one project only"),
    flag("--dry-run", "only show what would change"),
    flag("--yes", "do not ask"),
)

COMMANDS = (
    Command(
        "install", install, "Put recollect into a coding agent: hooks and MCP configuration.", _ARGUMENTS
    ),
    Command("uninstall", uninstall, "Take recollect out of a coding agent again.", _ARGUMENTS),
)

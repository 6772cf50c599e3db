"""What hooks keep of a session between events, in a small file: signals for the next context, refs shown."""

import json
import os
import re
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

from recollect.model.context import Signals
from recollect.surfaces.hooks.events import Fired
from recollect.text.redact import redact

MOST_ERRORS = 5
MOST_SHOWN = 200
MOST_SESSIONS = 100
LONGEST_ERROR = 300
LONGEST_NAME = 200
_ERROR = re.compile(r"[\w.]*(?:Error|Exception): .*|^\s*(?:error|fatal|panic|FAILED)\b\W.*", re.MULTILINE)


@dataclass(slots=True)
class State:
    """Signals in the words of `Memory.context`, and the ids that this session was already shown."""

    signals: dict[str, Any] = field(default_factory=dict)
    shown: list[str] = field(default_factory=list)

    def note(self, event: Fired) -> None:
        """Take up what a tool's use tells: the file, what went wrong, the branch."""
        if event.file:
            self.signals["current_file"] = _short_path(event.file, event.folder)
        error = error_in(event)
        if error:
            known = [one for one in self.signals.get("recent_errors", []) if one != error]
            self.signals["recent_errors"] = [error, *known][:MOST_ERRORS]
        branch = branch_of(Path(event.folder)) if event.folder else ""
        if branch:
            self.signals["branch"] = branch

    def show(self, ids: list[str]) -> None:
        """Remember what was shown, so that it is not said twice."""
        self.shown = [*self.shown, *ids][-MOST_SHOWN:]


def load(folder: Path, event: Fired) -> State:
    """What is kept of the event's session; nothing where the file is gone or broken."""
    try:
        held = json.loads(_path(folder, event).read_text("utf-8"))
        return State(signals=dict(held["signals"]), shown=list(held["shown"]))
    except (OSError, ValueError, KeyError, TypeError):
        return State()


def save(folder: Path, event: Fired, state: State) -> None:
    """Keep it, whole or not at all."""
    path = _path(folder, event)
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(f".{os.getpid()}.partial")
    beside.write_text(json.dumps({"signals": state.signals, "shown": state.shown}), "utf-8")
    beside.replace(path)
    others = sorted(path.parent.glob("*.json"), key=lambda p: -p.stat().st_mtime)
    for old in others[MOST_SESSIONS:]:  # not every agent says when a session is over
        old.unlink(missing_ok=True)


def drop(folder: Path, event: Fired) -> None:
    """The session is over."""
    _path(folder, event).unlink(missing_ok=True)


def signals_of(state: State, event: Fired) -> Signals:
    """The signals for a context, with the branch as it is now."""
    branch = branch_of(Path(event.folder)) if event.folder else ""
    return {**state.signals, **({"branch": branch} if branch else {})}


def error_in(event: Fired) -> str:
    """The last line of a tool's output that tells of an error, without secrets.

    A file that was merely read may be full of such lines: its contents are not looked at.
    """
    hits = _ERROR.findall(event.output[-20_000:]) if event.failed or not event.file else []
    if hits:
        return redact(hits[-1].strip()[:LONGEST_ERROR]).text
    first = event.output.strip().partition("\n")[0] if event.failed else ""
    return redact(first[:LONGEST_ERROR]).text


def branch_of(folder: Path) -> str:
    """The branch that is checked out around a folder, read from its files: no process is started."""
    for place in (folder, *folder.parents):
        git = place / ".git"
        try:
            if git.is_file():  # a worktree or submodule
                git = place / git.read_text("utf-8").removeprefix("gitdir:").strip()
            head = (git / "HEAD").read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError):
            continue
        return head.removeprefix("ref: refs/heads/")[:LONGEST_NAME] if head.startswith("ref:") else ""
    return ""


def _short_path(file: str, folder: str) -> str:
    """A file as seen from the folder, with its end where it is long."""
    path = Path(file)
    inside = folder and path.is_relative_to(folder)
    return str(path.relative_to(folder) if inside else path)[-LONGEST_NAME:]


def _path(folder: Path, event: Fired) -> Path:
    mark = blake2b(f"{event.agent}\x1f{event.session}".encode(), digest_size=12).hexdigest()
    return folder / "sessions" / f"{mark}.json"

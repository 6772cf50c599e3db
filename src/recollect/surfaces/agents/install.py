"""Installing: what would change, changing it, and giving back exactly what was there before.

The file as it was is kept in the data folder. If nobody touched it since, taking us out restores it byte for
byte, down to a file or folder that was not there; else only what is ours is taken out.
"""

import base64
import difflib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from recollect.errors import InvalidInput
from recollect.surfaces.agents.configs import Edit


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One file: what it holds, what it would hold (None: no file), and what it holds without us."""

    path: Path
    now: bytes | None
    then: bytes | None
    without: bytes | None

    @property
    def diff(self) -> str:
        """The change as a person reads it."""
        old, new = (_lines(held) for held in (self.now, self.then))
        return "".join(difflib.unified_diff(old, new, str(self.path), str(self.path), n=2))


@dataclass(frozen=True, slots=True)
class Kept:
    """What was kept when we were put in: the bytes before, the digest after, the folders made for it."""

    before: bytes | None
    after: str
    made: tuple[str, ...]


def installing(edits: Sequence[Edit], kept: Path) -> list[Change]:
    """What putting us in would change; nothing where we already are as we should be."""
    found = []
    for edit in edits:
        now, without = _without(edit, kept)
        then = _edited(edit, edit.add, without)
        if then != now:
            found.append(Change(path=edit.path, now=now, then=then, without=without))
    return found


def removing(edits: Sequence[Edit], kept: Path) -> list[Change]:
    """What taking us out would change."""
    found = []
    for edit in edits:
        now, without = _without(edit, kept)
        if now != without:
            found.append(Change(path=edit.path, now=now, then=without, without=without))
    return found


def install(changes: Sequence[Change], kept: Path) -> None:
    """Put us in, having kept what was there."""
    for change in changes:
        made = [str(p) for p in reversed(change.path.parents) if not p.exists()]
        known = _kept(change.path, kept)
        folders = made or (list(known.made) if known else [])
        assert change.then is not None
        record = {
            "path": str(change.path),
            "before": None if change.without is None else base64.b64encode(change.without).decode(),
            "after": sha256(change.then).hexdigest(),
            "made": folders,
        }
        kept.mkdir(parents=True, exist_ok=True)
        _write(_place(change.path, kept), json.dumps(record).encode("utf-8"), 0o600)
        change.path.parent.mkdir(parents=True, exist_ok=True)
        _write(change.path, change.then)


def remove(changes: Sequence[Change], kept: Path) -> None:
    """Take us out; a file or folder that was only there for us goes too."""
    folders: set[str] = set()
    for change in changes:
        known = _kept(change.path, kept)
        folders.update(known.made if known else ())
        if change.then is None:
            change.path.unlink(missing_ok=True)
        else:
            _write(change.path, change.then)
        _place(change.path, kept).unlink(missing_ok=True)
    for folder in sorted(map(Path, folders), key=lambda p: -len(p.parts)):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


def _without(edit: Edit, kept: Path) -> tuple[bytes | None, bytes | None]:
    """A file as it is, and as it is or was without us."""
    try:
        now = edit.path.read_bytes()
    except FileNotFoundError:
        return None, None
    except OSError as error:
        raise InvalidInput(f"{edit.path} cannot be read: {error.strerror}") from error
    known = _kept(edit.path, kept)
    if known is not None and sha256(now).hexdigest() == known.after:
        return now, known.before
    return now, _edited(edit, edit.strip, now)


def _edited(edit: Edit, change: object, held: bytes | None) -> bytes:
    try:
        text = (held or b"").decode("utf-8")
        made: str = change(text)  # type: ignore[operator]
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{edit.path} is not UTF-8 text: nothing was changed") from error
    except InvalidInput as error:
        raise InvalidInput(f"{edit.path}: {error}; nothing was changed") from None
    return made.encode("utf-8")


def _kept(path: Path, kept: Path) -> Kept | None:
    try:
        held = json.loads(_place(path, kept).read_text("utf-8"))
        before = held["before"]
        return Kept(
            before=None if before is None else base64.b64decode(before),
            after=held["after"],
            made=tuple(held["made"]),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _place(path: Path, kept: Path) -> Path:
    return kept / f"{sha256(str(path.absolute()).encode()).hexdigest()[:24]}.json"


def _write(path: Path, held: bytes, mode: int = 0o644) -> None:
    """The whole file or none of it, with the rights it had; a link stays a link.

    Until it has those rights it is its owner's alone: such files may hold keys.
    """
    real = path.resolve()
    beside = real.with_name(real.name + ".recollect-partial")
    try:
        beside.unlink(missing_ok=True)
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
            out.write(held)
        beside.chmod(real.stat().st_mode if real.exists() else mode)
        beside.replace(real)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise InvalidInput(f"{path} cannot be written: {error.strerror}") from error


def _lines(held: bytes | None) -> list[str]:
    text = (held or b"").decode("utf-8", "replace")
    return [line if line.endswith("\n") else line + "\n" for line in text.splitlines(keepends=True)]

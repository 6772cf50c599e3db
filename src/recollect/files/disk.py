"""A person's file on disk: read as it is, and replaced in one step only if nobody changed it meanwhile."""

import ctypes
import os
import stat
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from recollect.errors import InvalidInput, RecollectError, TooLarge

MAX_BYTES = 1_000_000
_EXCHANGE = 2
_HERE = -100


class Changed(RecollectError):
    """Somebody else wrote the file between our reading and our writing: read it again."""


class Unwritable(RecollectError):
    """The file may be read, but not replaced."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A file as it was read; a file that is not there yet is empty and has no digest."""

    path: Path
    text: str
    digest: str | None

    @property
    def exists(self) -> bool:
        """Whether there was a file."""
        return self.digest is not None


def digest_of(content: bytes) -> str:
    """What identifies a file's content."""
    return sha256(content).hexdigest()


def encoded(text: str) -> bytes:
    """The bytes of a text that was read by `read`: those that were not UTF-8 come back as they were."""
    return text.encode("utf-8", "surrogateescape")


def project_path(given: str | Path) -> Path:
    """Where a file of a project really is; a link that leads out of the project is refused."""
    path = Path(os.path.abspath(given))  # noqa: PTH100 (links are to be seen, not followed)
    here = Path.cwd()
    root = here if path.is_relative_to(here) else path.parent
    try:
        real = path.resolve()
        inside = real.is_relative_to(root.resolve())
    except (OSError, RuntimeError) as error:
        raise InvalidInput(f"{path} cannot be followed: {error}") from None
    if not inside:
        raise InvalidInput(f"{path} leads out of the project, to {real}: name that file itself")
    if not real.parent.is_dir():
        raise InvalidInput(f"the folder {real.parent} does not exist: make it first, or name another file")
    return real


def read(path: Path) -> Snapshot:
    """The file as text in which bytes that are no UTF-8 are kept; refused where it is no text at all."""
    try:
        held = path.stat()
        if not stat.S_ISREG(held.st_mode):
            raise InvalidInput(f"{path} is not a file")
        if held.st_size > MAX_BYTES:
            raise TooLarge(f"{path} has {held.st_size:,} bytes, the limit is {MAX_BYTES:,}: split it")
        content = path.read_bytes()
    except FileNotFoundError:
        return Snapshot(path, "", None)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}") from error
    if b"\0" in content:
        raise InvalidInput(f"{path} has NUL bytes: it is not a UTF-8 text, and was left alone")
    return Snapshot(path, content.decode("utf-8", "surrogateescape"), digest_of(content))


def replace(before: Snapshot, text: str) -> str:
    """Put a new text in the place of what was read, whole and in one step; its digest.

    `Changed` if the file is not what was read any more. Where the system can swap two files, what was
    swapped out is compared once more and swapped back: a save in the last moment is not lost either.
    """
    path, content = before.path, encoded(text)
    draft = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")
    try:
        mode = _writable_mode(path)
        _write(draft, content, mode)
        with _alone(path.parent):
            if read(path).digest != before.digest:
                raise Changed(f"{path} was changed by somebody else")
            if before.exists:
                _swap(draft, path, before)
            else:
                os.link(draft, path)  # fails if somebody made the file meanwhile
    except FileExistsError:
        raise Changed(f"{path} was made by somebody else") from None
    except OSError as error:
        raise Unwritable(f"{path} cannot be written: {error.strerror}") from error
    finally:
        draft.unlink(missing_ok=True)
    _sync_folder(path.parent)
    return digest_of(content)


def _writable_mode(path: Path) -> int:
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return 0o644
    if not mode & 0o222:
        raise Unwritable(f"{path} is read-only: allow writing with `chmod u+w`, or let it be")
    return stat.S_IMODE(mode)


def _write(draft: Path, content: bytes, mode: int) -> None:
    with draft.open("wb") as out:
        out.write(content)
        out.flush()
        with suppress(OSError, AttributeError):  # where the system has no modes
            os.fchmod(out.fileno(), mode)
        os.fsync(out.fileno())


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """One recollect at a time: what else may change the file now is an editor."""
    try:
        import fcntl
    except ModuleNotFoundError:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _swap(draft: Path, path: Path, before: Snapshot) -> None:
    """Exchange the files; if what came out is not what was read, put the newest save back in its place."""
    ours = digest_of(draft.read_bytes())
    if not _exchanged(draft, path):
        draft.replace(path)
        return
    if digest_of(draft.read_bytes()) == before.digest:
        return
    _exchanged(draft, path)
    if digest_of(draft.read_bytes()) != ours:  # the editor saved once more, over ours
        _exchanged(draft, path)
    raise Changed(f"{path} was changed by somebody else")


def _exchanged(a: Path, b: Path) -> bool:
    exchange = _exchange()
    if exchange is None:
        return False
    return bool(exchange(_HERE, os.fsencode(a), _HERE, os.fsencode(b), _EXCHANGE) == 0)


@cache
def _exchange() -> Any:
    """Linux's way to swap two files in one step, where there is one."""
    if not sys.platform.startswith("linux"):
        return None
    return getattr(ctypes.CDLL(None), "renameat2", None)


def _sync_folder(folder: Path) -> None:
    with suppress(OSError):  # not every system lets a folder be opened
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

"""The index on disk: a cache of segments beside the database, safe to delete at any time.

A segment is one file: a line of JSON that says where its arrays stand, then the arrays, mapped into
memory as they are. `manifest.json` names the segments in use, the change they reach to and the rows
that died since; it is replaced in one step, so a reader sees an old state or a new one. Anything
that does not fit (another version, another store, a wrong checksum) counts as no cache at all.
"""

from __future__ import annotations

import json
import mmap
import os
import zlib
from base64 import b64decode, b64encode
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from recollect.store.index.segment import Alive, Segment

if TYPE_CHECKING:
    from collections.abc import Iterator

VERSION = 3
"""Raised whenever segments are laid out or coded differently."""
MANIFEST = "manifest.json"
_SUFFIX = ".segment"
_ALIGN = 64


@dataclass(frozen=True, slots=True)
class Saved:
    """What a cache folder holds: segments with their living rows, their files, and the change."""

    parts: tuple[tuple[Segment, Alive], ...]
    files: tuple[str, ...]
    seq: int


def load(folder: Path, key: str) -> Saved | None:
    """The cached state, or None where there is none that can be trusted."""
    for _ in range(3):
        try:
            manifest = json.loads((folder / MANIFEST).read_bytes())
            if manifest["version"] != VERSION or manifest["key"] != key:
                return None
            parts = tuple(_load_part(folder, entry) for entry in manifest["segments"])
        except FileNotFoundError:
            continue  # a writer replaced the manifest between our two reads
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return Saved(parts, tuple(e["file"] for e in manifest["segments"]), int(manifest["seq"]))
    return None


def save(folder: Path, key: str, state: Saved, *, wait: bool = False) -> Saved | None:
    """Write what is not written yet and make it the cache.

    None where another process is newer, or is writing just now and we do not `wait` for it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with _writing(folder, wait=wait) as mine:
        if not mine or _seq(folder, key) > state.seq:
            return None
        files, entries = [], []
        for (segment, alive), file in zip(state.parts, state.files, strict=True):
            name = file if file and (folder / file).exists() else _write(folder, segment)
            dead = np.empty(0, np.uint32) if alive is None else np.flatnonzero(~alive)
            encoded = b64encode(dead.astype("<u4").tobytes()).decode()
            entries.append({"file": name, "rows": len(segment), "dead": encoded})
            files.append(name)
        manifest = {"version": VERSION, "key": key, "seq": state.seq, "segments": entries}
        _replace(folder / MANIFEST, json.dumps(manifest).encode())
        for path in folder.glob(f"*{_SUFFIX}*"):
            if path.name not in files:
                with suppress(OSError):  # mapped by another process on Windows: next time
                    path.unlink()
        return Saved(state.parts, tuple(files), state.seq)


def clear(folder: Path) -> None:
    """Delete the cache; whoever has it open goes on with what it has mapped."""
    for path in (folder / MANIFEST, *folder.glob(f"*{_SUFFIX}*")):
        path.unlink(missing_ok=True)


def _seq(folder: Path, key: str) -> int:
    """The change that the present cache reaches to; -1 where there is none for this store."""
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
        same = manifest["version"] == VERSION and manifest["key"] == key
        return int(manifest["seq"]) if same else -1
    except (OSError, ValueError, KeyError, TypeError):
        return -1


@contextmanager
def _writing(folder: Path, *, wait: bool) -> Iterator[bool]:
    """Whether we may write: one process at a time, where the system can lock files."""
    with (folder / "lock").open("wb") as handle:
        try:
            import fcntl
        except ModuleNotFoundError:
            yield True
            return
        try:
            fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
            return
        yield True


def _replace(path: Path, content: bytes) -> None:
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    draft.write_bytes(content)
    draft.replace(path)


def _write(folder: Path, segment: Segment) -> str:
    """Write a segment under a name made of its content; the same content is written once."""
    arrays: list[dict[str, Any]] = []
    offset, checksum = 0, 0
    blobs = {name: np.ascontiguousarray(column) for name, column in segment.columns.items()}
    blobs["starts"] = segment.starts
    for name, blob in blobs.items():
        arrays.append({"name": name, "type": blob.dtype.str, "shape": blob.shape, "offset": offset})
        checksum = zlib.crc32(_bytes(blob), checksum)
        offset += -(-blob.nbytes // _ALIGN) * _ALIGN
    header = {
        "arrays": arrays,
        "checksum": checksum,
        "spaces": segment.spaces,
        "speakers": segment.speakers,
        "statuses": segment.statuses,
    }
    line = json.dumps(header).encode()
    line += b" " * (-(len(line) + 1) % _ALIGN) + b"\n"
    name = f"{zlib.crc32(line):08x}{checksum:08x}{len(segment):08x}{_SUFFIX}"
    draft = folder / f"{name}.{os.getpid()}"
    with draft.open("wb") as file:
        file.write(line)
        for blob in blobs.values():
            file.write(_bytes(blob))
            file.write(b"\0" * (-blob.nbytes % _ALIGN))
    draft.replace(folder / name)
    return name


def _bytes(blob: NDArray[Any]) -> Any:
    return blob.reshape(-1).view(np.uint8).data if blob.nbytes else b""


def _load_part(folder: Path, entry: dict[str, Any]) -> tuple[Segment, Alive]:
    """A segment mapped into memory, checked, with the rows that died since it was written."""
    with (folder / entry["file"]).open("rb") as file:
        line = file.readline()
        header = json.loads(line)
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    arrays: dict[str, Any] = {}
    checksum = 0
    for array in header["arrays"]:
        count = int(np.prod(array["shape"], dtype=np.int64))
        start = len(line) + array["offset"]
        column = np.frombuffer(mapped, np.dtype(array["type"]), count, start)
        checksum = zlib.crc32(_bytes(column), checksum)
        arrays[array["name"]] = column.reshape(array["shape"])
    if checksum != header["checksum"]:
        raise ValueError(f"{entry['file']} does not match its checksum")
    starts = arrays.pop("starts")
    speakers, statuses = (tuple(header[name]) for name in ("speakers", "statuses"))
    segment = Segment(arrays, tuple(header["spaces"]), starts, speakers, statuses)
    if len(segment) != entry["rows"]:
        raise ValueError(f"{entry['file']} has {len(segment)} rows, not {entry['rows']}")
    dead = np.frombuffer(b64decode(entry["dead"]), "<u4")
    if not len(dead):
        return segment, None
    alive = np.ones(len(segment), bool)
    alive[dead] = False
    return segment, alive

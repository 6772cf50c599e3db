"""The files of an assistant's memory directory, kept as memories: every edit is a version, none is lost.

A file is a keyed note whose key is its path, so that one path is one file however many processes create
it. Directories are what paths have in common. No file system is involved: there is nothing to link to.
"""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from recollect.errors import InvalidInput
from recollect.integrations.common import records
from recollect.memory import Memory
from recollect.model.conversation import Trust
from recollect.model.filter import Filter
from recollect.model.receipt import Action
from recollect.model.record import Kind, Record

ROOT = "/memories"
CATEGORY = "memory-file"
MAX_LINES = 999_999
DEPTH = 2
AROUND = 2
"""How many lines a snippet shows before and after the change."""


class Refused(Exception):
    """What the assistant is told instead of a result."""


class Files:
    """The six commands; each returns the text of the tool's result or raises `Refused`."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def view(self, path: str, view_range: list[int] | None = None) -> str:
        """A file with line numbers, or the files of a directory."""
        place = checked(path)
        record = self._find(place)
        if record is not None:
            return _numbered_file(path, _content(record), view_range)
        below = {r.key or "": len(_content(r).encode("utf-8")) for r in self._below(place)}
        if not below and place != ROOT:
            raise Refused(f"The path {path} does not exist. Please provide a valid path.")
        shown = path.rstrip("/")
        lines = [f"{_size(sum(below.values()))}\t{shown}"]
        lines += [f"{_size(size)}\t{shown}/{name}" for name, size in _tree(place, below)]
        header = (
            f"Here're the files and directories up to {DEPTH} levels deep in {path}, "
            "excluding hidden items and node_modules:"
        )
        return "\n".join((header, *lines))

    def create(self, path: str, file_text: str) -> str:
        """A new file; what exists is not overwritten."""
        place = checked(path)
        if place == ROOT or self._find(place) or any(True for _ in self._below(place)):
            raise Refused(f"Error: File {path} already exists")
        self._refuse_files_above(place)
        text, metadata = _stored(place, file_text)
        receipt = self._memory.remember(
            text,
            kind=Kind.NOTE,
            category=CATEGORY,
            key=place,
            value=place,
            trust=Trust.ASSISTANT,
            metadata=metadata,
        )
        (entry,) = receipt.entries
        if entry.action is Action.MERGED:  # another process was faster
            raise Refused(f"Error: File {path} already exists")
        return f"File created successfully at: {path}" + (f"\n({entry.reason})" if entry.reason else "")

    def str_replace(self, path: str, old_str: str, new_str: str = "") -> str:
        """Other words in a file, where the old ones stand exactly once."""
        record = self._file(path, f"Error: The path {path} does not exist. Please provide a valid path.")
        content = _content(record)
        found = [m.start() for m in re.finditer(re.escape(old_str), content)]
        if not found:
            raise Refused(
                f"No replacement was performed, old_str `{old_str}` did not appear verbatim in {path}."
            )
        lines = [content.count("\n", 0, at) + 1 for at in found]
        if len(found) > 1:
            raise Refused(
                f"No replacement was performed. Multiple occurrences of old_str `{old_str}` in lines: "
                f"{', '.join(map(str, lines))}. Please ensure it is unique"
            )
        new = content.replace(old_str, new_str)
        note = self._write(record, new)
        first = max(1, lines[0] - AROUND)
        snippet = _numbered(new.split("\n")[first - 1 : lines[0] + AROUND], first)
        return (
            "The memory file has been edited. Here is the snippet showing the change "
            f"(with line numbers):\n{snippet}{note}"
        )

    def insert(self, path: str, insert_line: int, insert_text: str) -> str:
        """Text after a line of a file; 0 is its beginning."""
        record = self._file(path, f"Error: The path {path} does not exist")
        lines = _content(record).split("\n")
        if lines[-1] == "":
            lines.pop()
        if not 0 <= insert_line <= len(lines):
            raise Refused(
                f"Error: Invalid `insert_line` parameter: {insert_line}. It should be within the range of "
                f"lines of the file: [0, {len(lines)}]"
            )
        lines.insert(insert_line, insert_text.rstrip("\n"))
        return f"The file {path} has been edited." + self._write(record, "\n".join((*lines, "")))

    def delete(self, path: str) -> str:
        """A file or all of a directory set aside; `Memory.restore` brings it back."""
        place = checked(path)
        if place == ROOT:
            raise Refused(f"Error: Cannot delete the {ROOT} directory itself")
        self._memory.forget(*(r.id for r in self._at(place, path)))
        return f"Successfully deleted {path}"

    def rename(self, old_path: str, new_path: str) -> str:
        """A file or directory under another name; nothing is overwritten."""
        old, new = checked(old_path), checked(new_path)
        if old == ROOT:
            raise Refused(f"Error: Cannot rename the {ROOT} directory itself")
        if new == ROOT or self._find(new) or any(True for _ in self._below(new)):
            raise Refused(f"Error: The destination {new_path} already exists")
        if new.startswith(f"{old}/"):
            raise Refused(f"Error: {old_path} cannot be moved into itself")
        found = self._at(old, old_path)
        self._refuse_files_above(new)
        for record in found:
            place = new + (record.key or "")[len(old) :]
            self._memory.update(
                record.id, key=place, value=place, metadata={**record.metadata, "path": place}
            )
        return f"Successfully renamed {old_path} to {new_path}"

    def clear(self) -> str:
        """Every file set aside."""
        found = [r.id for r in self._below(ROOT)]
        if found:
            self._memory.forget(*found)
        return "All memory cleared"

    def _find(self, place: str) -> Record | None:
        wanted = Filter(categories=(CATEGORY,), keys=(place,))
        return next(iter(self._memory.list(wanted, limit=1).items), None)

    def _below(self, place: str) -> Iterator[Record]:
        found = records(self._memory, Filter(categories=(CATEGORY,)))
        return (r for r in found if (r.key or "").startswith(f"{place}/"))

    def _file(self, path: str, otherwise: str) -> Record:
        record = self._find(checked(path))
        if record is None:
            raise Refused(otherwise)
        return record

    def _at(self, place: str, path: str) -> list[Record]:
        """The file at a place, or all files of the directory there."""
        record = self._find(place)
        found = [record] if record is not None else list(self._below(place))
        if not found:
            raise Refused(f"Error: The path {path} does not exist")
        return found

    def _refuse_files_above(self, place: str) -> None:
        parts = place.split("/")
        for i in range(3, len(parts)):
            above = "/".join(parts[:i])
            if self._find(above) is not None:
                raise Refused(f"Error: {above} is a file, not a directory")

    def _write(self, record: Record, content: str) -> str:
        """A new version of a file, and what there is to say about it."""
        text, metadata = _stored(record.key or "", content)
        kept = self._memory.update(record.id, text=text, metadata=metadata)
        return "" if kept.text == text else "\n(secrets were redacted)"


def checked(path: str) -> str:
    """A path as it is stored: under /memories, without a way out of it in any spelling."""
    plain = unquote(unquote(path))
    if any(part == ".." for part in re.split(r"[/\\]", plain)) or unquote(plain) != plain:
        raise Refused(f"Error: Path {path} would escape {ROOT} directory")
    if re.search(r"[\x00-\x1f\x7f]", plain):
        raise Refused("Error: Path has a control character")
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if not path.startswith("/") or f"/{parts[0] if parts else ''}" != ROOT:
        raise Refused(f"Error: Path must start with {ROOT}, got: {path}")
    return "/" + "/".join(parts)


def _stored(place: str, content: str) -> tuple[str, dict[str, Any]]:
    """What is kept of a file. A memory says something, so an empty file says that it is empty."""
    if not isinstance(content, str):
        raise InvalidInput("the content of a file must be text")
    if content.strip():
        return content, {"path": place}
    return f"{place} is empty", {"path": place, "blank": content}


def _content(record: Record) -> str:
    blank = record.metadata.get("blank")
    return record.text if blank is None else str(blank)


def _numbered_file(path: str, content: str, view_range: list[int] | None) -> str:
    lines, first = content.split("\n"), 1
    if len(lines) > MAX_LINES:
        raise Refused(f"File {path} exceeds maximum line limit of {MAX_LINES:,} lines.")
    if view_range and len(view_range) == 2:
        first = max(1, view_range[0])
        lines = lines[first - 1 : len(lines) if view_range[1] == -1 else view_range[1]]
    return f"Here's the content of {path} with line numbers:\n{_numbered(lines, first)}"


def _numbered(lines: list[str], first: int) -> str:
    return "\n".join(f"{first + i:>6}\t{line}" for i, line in enumerate(lines))


def _tree(place: str, sizes: dict[str, int]) -> Iterator[tuple[str, int]]:
    """What is shown of a directory, each directory before what is in it."""
    shown: dict[tuple[str, ...], int] = {}
    for path, size in sizes.items():
        parts = path[len(place) + 1 :].split("/")
        if any(part.startswith(".") or part == "node_modules" for part in parts[:DEPTH]):
            continue
        for depth in range(1, min(DEPTH, len(parts)) + 1):
            name = (*parts[:depth], "") if depth < len(parts) else tuple(parts)
            shown[name] = shown.get(name, 0) + size
    for name in sorted(shown):
        yield "/".join(name), shown[name]


def _size(count: int) -> str:
    """Bytes as people read them: 0B, 512B, 1.5K, 2M."""
    units = "BKMG"
    i = min((count.bit_length() - 1) // 10, len(units) - 1) if count else 0
    value = count / 1024**i
    return f"{int(value)}{units[i]}" if value == int(value) else f"{value:.1f}{units[i]}"

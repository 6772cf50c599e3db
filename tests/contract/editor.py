"""Processes for the test of concurrent edits: one saves as editors do, one reflects."""

import sys
from pathlib import Path

from recollect import Memory
from recollect.models.fakes import HashEmbedder

LINES = 40
END = "<!-- the editor has ended -->\n"


def edit(path: Path) -> None:
    """Read the newest file, add a line and save it beside and by rename; again if it changed meanwhile."""
    for number in range(LINES):
        _save(path, f"- thought number {number} of mine\n")
    _save(path, END)


def _save(path: Path, line: str) -> None:
    """As an editor that asks before it overwrites a newer file: it looks, then renames."""
    from recollect.files import disk

    while True:
        before = disk.read(path)
        try:
            disk.replace(before, before.text.replace("## What is\n", f"## What is\n{line}", 1))
        except disk.Changed:
            continue
        return


def reflect(where: str, path: Path) -> None:
    with Memory(where, view="project:x", embedder=HashEmbedder(), background=False) as memory:
        while END not in path.read_text():
            memory.files.distill(path=path)


if __name__ == "__main__":
    if sys.argv[1] == "edit":
        edit(Path(sys.argv[2]))
    else:
        reflect(sys.argv[2], Path(sys.argv[3]))

"""What the protocols share: where their data is, and how figures are shown and kept."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from recollect.errors import InvalidInput


def folder_of(root: Path, prefix: str, needs: str) -> Path:
    """The protocol's folder in the one that was named, or that one itself; InvalidInput if neither is."""
    found = maybe_folder(root, prefix, needs)
    if found is None:
        raise InvalidInput(f"{root} has no {needs}, nor a folder {prefix}* with one: see bench/README.md")
    return found


def maybe_folder(root: Path, prefix: str, needs: str) -> Path | None:
    """The same, or None where the data is not there."""
    folders = [*sorted(path for path in root.glob(f"{prefix}*") if path.is_dir()), root]
    return next((folder for folder in folders if any(folder.glob(needs))), None)


def rows(file: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSON Lines file."""
    for line in file.read_text("utf-8").splitlines():
        if line.strip():
            yield json.loads(line)


def share(part: float, whole: float) -> float:
    """A share with four digits; nothing of nothing is nothing."""
    return round(part / whole, 4) if whole else 0.0


def written(figures: Any, path: str | None) -> None:
    """Keep figures and receipts in a file, if one is named."""
    if path:
        Path(path).write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n", "utf-8")


def shown(title: str, table: dict[str, dict[str, Any]]) -> None:
    """Print a table: a row for each group, a column for each figure."""
    columns = list(next(iter(table.values()), {}))
    width = max((len(name) for name in table), default=0) + 2
    wide = {column: max(9, len(column) + 2) for column in columns}
    print(f"\n{title}\n{'':{width}}" + "".join(f"{column:>{wide[column]}}" for column in columns))
    for name, row in table.items():
        cells = (f"{row[column]!s:>{wide[column]}}" for column in columns)
        print(f"{name:{width}}" + "".join(cells), flush=True)

"""Where the data of a protocol is: the folder that was named, or the one of that protocol in it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from recollect.errors import InvalidInput


def folder_of(root: Path, prefix: str, needs: str) -> Path:
    """The folder with a protocol's data, or InvalidInput with what is missing."""
    found = maybe_folder(root, prefix, needs)
    if found is None:
        raise InvalidInput(f"{root} has no {needs}, nor a folder {prefix}* with one: see bench/README.md")
    return found


def maybe_folder(root: Path, prefix: str, needs: str) -> Path | None:
    """The same, or None where the data is not there."""
    folders = [root, *sorted(root.glob(f"{prefix}*"))]
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
    print(f"\n{title}\n{'':{width}}" + "".join(f"{column:>13}" for column in columns))
    for name, row in table.items():
        print(f"{name:{width}}" + "".join(f"{row[column]!s:>13}" for column in columns), flush=True)

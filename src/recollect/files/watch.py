"""Watching a folder: a beat at once, and one after every burst of changes."""

import threading
from collections.abc import Iterator
from pathlib import Path

from recollect.errors import ModelMissing, NotFound


def changes(folder: Path, stop: threading.Event | None) -> Iterator[None]:
    """One beat to begin with, then one for each burst of changes below a folder, until told to stop."""
    try:
        from watchfiles import watch
    except ModuleNotFoundError:
        raise ModelMissing(
            "watching a folder needs the watch extra: pip install 'recollect[watch]'"
        ) from None
    root = folder.expanduser().resolve()
    if not root.is_dir():
        raise NotFound(f"no folder {root} to watch")
    began = False
    for changed in watch(
        root, stop_event=stop, yield_on_timeout=True, rust_timeout=200, raise_interrupt=False
    ):
        if changed or not began:  # the first beat comes when it is already watching: nothing falls between
            began = True
            yield None

"""The index: follows the database's changes and answers searches from immutable snapshots.

New items become a small segment; eight segments of a size become one of the next size, so an item
is rewritten once per size and adding one costs the same however many there are. Readers take the
snapshot that is current and never wait for each other.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from recollect.store.index import disk, places
from recollect.store.index.ask import Ask
from recollect.store.index.disk import Saved
from recollect.store.index.feed import Change, Feed
from recollect.store.index.pool import Pool, Stats
from recollect.store.index.search import search
from recollect.store.index.segment import Alive, Segment, build, merge

BATCH = 4096
FAN = 8
SMALLEST = 64
SMALL = 32_768
"""Merges up to this size happen as changes arrive; bigger ones wait for `compact`."""
CROWDED = 40
"""With this many segments even a big merge no longer waits."""
SAVE_AFTER = 2_000
"""So many unsaved changes are worth writing: a cold process reads them from the database."""


class Index:
    """A search index over a feed, for vectors of one length, optionally cached in a folder.

    `key` says whose index it is (the store and the embedder); a cache of another key is ignored.
    """

    def __init__(self, feed: Feed, *, dim: int, folder: Path | None = None, key: str = "") -> None:
        self._feed = feed
        self._dim = dim
        self._folder = folder
        self._key = f"{key}/{dim}"
        self._lock = Lock()
        saved = disk.load(folder, self._key) if folder is not None else None
        if saved is not None and saved.seq > feed.head():
            saved = None  # the database was put back to an older state
        self._state = saved or Saved((), (), 0)
        self._saved_seq = self._state.seq

    def search(self, ask: Ask) -> tuple[Pool, Stats]:
        """Candidates from everything that is committed now."""
        self.refresh()
        return search(self._state.parts, ask)

    def refresh(self) -> int:
        """Follow the feed to its head; answers the sequence number that is reached."""
        head = self._feed.head()
        if head > self._state.seq:
            with self._lock:
                if head > self._state.seq:  # else whoever was here before us has come this far
                    self._follow()
        return self._state.seq

    def _follow(self) -> None:
        state, erased = self._followed(self._state)
        self._state = state
        if erased or state.seq - self._saved_seq >= SAVE_AFTER:
            self._save(wait=erased)

    def compact(self) -> None:
        """Do the merges that were put off and let dead rows go; for quiet moments."""
        self.refresh()
        with self._lock:
            self._state = _merged(_purged(self._state, share=0.1), fan=2, big=True)
            self._save()

    def save(self) -> None:
        """Bring the cache folder up to date, unless another process was faster."""
        self.refresh()
        with self._lock:
            if self._saved_seq < self._state.seq:
                self._save()

    def sizes(self) -> tuple[int, ...]:
        """How many living rows each segment has, oldest first."""
        return tuple(_living(segment, alive) for segment, alive in self._state.parts)

    def memory(self) -> int:
        """Bytes that the segments hold or map."""
        return sum(column.nbytes for segment, _ in self._state.parts for column in segment.columns.values())

    def _save(self, *, wait: bool = False) -> None:
        """Write the cache; erased text must leave it now, so an erasure waits for its turn."""
        if self._folder is not None:
            saved = disk.save(self._folder, self._key, self._state, wait=wait)
            if saved is not None:
                self._state, self._saved_seq = saved, saved.seq

    def _followed(self, state: Saved) -> tuple[Saved, bool]:
        """The state after all changes, and whether any of them was an erasure."""
        erased = False
        while True:
            changes = self._feed.changes(state.seq, BATCH)
            if not changes:
                return state, erased
            gone = [change for change in changes if change.erased]
            erased = erased or bool(gone)
            state = _applied(state, changes, self._dim)
            if gone:
                state = _purged(state, share=0.0, holding=_digests(gone))
            state = _merged(state, big=len(changes) == BATCH)
            if len(changes) < BATCH:
                return state, erased


def _digests(changes: Iterable[Change]) -> NDArray[np.uint64]:
    return np.array([places.item_digest(c.kind, c.id) for c in changes], np.uint64)


def _applied(state: Saved, changes: Iterable[Change], dim: int) -> Saved:
    """Mark the old rows of changed items dead and add a segment of their new ones; an empty one goes."""
    newest = {(change.kind, change.id): change for change in changes}
    digests = _digests(newest.values())
    parts: list[tuple[Segment, Alive]] = []
    files: list[str] = []
    for (segment, alive), file in zip(state.parts, state.files, strict=True):
        rows = segment.find(digests)
        rows = rows[rows >= 0]
        left = _without(segment, alive, rows) if len(rows) else alive
        if left is None or left.any():
            parts.append((segment, left))
            files.append(file)
    seq = max(change.seq for change in newest.values())
    living = [change for change in newest.values() if not change.erased]
    if living:
        parts.append((build(living, dim), None))
        files.append("")
    return Saved(tuple(parts), tuple(files), seq)


def _purged(state: Saved, *, share: float, holding: NDArray[np.uint64] | None = None) -> Saved:
    """Rewrite segments whose dead rows are over a share, or that hold one of some items."""
    kept: list[tuple[tuple[Segment, Alive], str]] = []
    for part, file in zip(state.parts, state.files, strict=True):
        segment, _ = part
        dead = len(segment) - _living(*part)
        touched = holding is None or bool((segment.find(holding) >= 0).any())
        if dead <= share * len(segment) or not touched:
            kept.append((part, file))
        elif dead < len(segment):
            kept.append(((merge([part]), None), ""))
    return Saved(tuple(part for part, _ in kept), tuple(file for _, file in kept), state.seq)


def _merged(state: Saved, *, big: bool, fan: int = FAN) -> Saved:
    """Merge segments of a size where there are as many as the fan, small sizes first."""
    parts, files = list(state.parts), list(state.files)
    level = 0
    while level < 16:
        same = [i for i, part in enumerate(parts) if _level(part) == level]
        size = sum(_living(*parts[i]) for i in same)
        if len(same) < fan or not (big or size <= SMALL or len(parts) >= CROWDED):
            level += 1
            continue
        merged = merge([parts[i] for i in same])
        for i in reversed(same):
            del parts[i], files[i]
        if len(merged):
            parts.append((merged, None))
            files.append("")
    return Saved(tuple(parts), tuple(files), state.seq)


def _level(part: tuple[Segment, Alive]) -> int:
    """0 for up to 64 living rows, one more for every eightfold."""
    level, size = 0, SMALLEST
    while size < _living(*part):
        level, size = level + 1, size * FAN
    return level


def _without(segment: Segment, alive: Alive, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """The living rows but for some; snapshots that readers hold stay as they are."""
    left = np.ones(len(segment), bool) if alive is None else alive.copy()
    left[rows] = False
    return left


def _living(segment: Segment, alive: Alive) -> int:
    return len(segment) if alive is None else int(np.count_nonzero(alive))

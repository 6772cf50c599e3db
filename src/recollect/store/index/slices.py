"""Slices: the rows that may answer, one space's part of one segment."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.store.index import places
from recollect.store.index.ask import Filter
from recollect.store.index.feed import KINDS
from recollect.store.index.segment import Alive, Segment

Rows = NDArray[np.int64]
Floats = NDArray[np.float32]

KEPT = 4
"""So many answers of filters are kept beside a segment, a byte for each of its rows."""


class Slice:
    """The rows of one space in one segment: which are alive, and which may be hits (None: all)."""

    def __init__(self, segment: Segment, alive: Alive, space: str, only: Filter | None) -> None:
        self.segment = segment
        self.first, self.end = segment.span(space)
        self.alive = None if alive is None else alive[self.first : self.end]
        self.able = self.alive if only is None else self._able(space, only)

    def __len__(self) -> int:
        return self.end - self.first

    def column(self, name: str) -> NDArray[Any]:
        """A column's part of this slice."""
        return self.segment[name][self.first : self.end]

    def postings(self, term: int) -> tuple[Rows, NDArray[np.uint8]]:
        """The rows of this slice that hold a term, and how often."""
        start, stop = self.segment.postings(term)
        rows = self.segment["rows"][start:stop]
        if len(rows) and (self.first > 0 or self.end < len(self.segment)):
            low, high = np.searchsorted(rows, np.array((self.first, self.end), np.uint32))
            rows, start, stop = rows[low:high], start + low, start + high
        return rows.astype(np.int64) - self.first, self.segment["counts"][start:stop]

    def counts(self, term: int, rows: Rows) -> Floats:
        """How often each of some rows of this slice, in order, holds a term."""
        start, stop = self.segment.postings(term)
        held = self.segment["rows"][start:stop]
        if not len(held):
            return np.zeros(len(rows), np.float32)
        wanted = (rows + self.first).astype(np.uint32)
        at = np.searchsorted(held, wanted)
        at[at == len(held)] = 0
        found = held[at] == wanted
        return np.where(found, self.segment["counts"][start:stop][at], 0).astype(np.float32)

    def at(self, places_: NDArray[np.uint64]) -> Rows:
        """The rows that stand at some places; places where nothing stands are left out."""
        column = self.column("place")
        found: Rows = np.searchsorted(column, places_)
        found[found == len(column)] = 0
        there: Rows = found[column[found] == places_]
        return there

    def holding(self, term: int) -> int:
        """How many living rows hold a term."""
        rows, _ = self.postings(term)
        return len(rows) if self.alive is None else int(np.count_nonzero(self.alive[rows]))

    def cosine(self, rows: Rows, vector: Floats) -> Floats:
        """The cosines of some rows with a vector; NaN for a row that has none."""
        scales = self.column("scales")[rows]
        product = np.dot(self.column("vectors")[rows].astype(np.float32), vector)
        return np.where(scales > 0, product * scales, np.nan).astype(np.float32)

    def _able(self, space: str, only: Filter) -> NDArray[np.bool_]:
        """The living rows that pass a filter; a segment never changes, so it keeps the last few answers."""
        kept, key = self.segment.passed, (space, only)
        able = kept.get(key)
        if able is None:
            able = self._passed(space, only)
            if len(kept) >= KEPT:
                kept.clear()
            kept[key] = able
        return able if self.alive is None else able & self.alive

    def _passed(self, space: str, only: Filter) -> NDArray[np.bool_]:
        """The rows that pass a filter, dead or alive."""
        able = np.ones(len(self), bool)
        if only.kinds is not None:
            able &= np.array([kind in only.kinds for kind in KINDS])[self.column("kind")]
        tables = self.segment.statuses, self.segment.speakers
        names = ("status", only.statuses), ("speaker", only.speakers)
        for table, (column, wanted) in zip(tables, names, strict=True):
            if wanted is not None:
                able &= np.array([name in wanted for name in table], bool)[self.column(column)]
        for column, since, until in (
            ("at", only.since, only.until),
            ("recorded", only.recorded_since, only.recorded_until),
        ):
            if since is not None:
                able &= self.column(column) >= since
            if until is not None:
                able &= self.column(column) < until
        if only.min_importance > 0:
            able &= self.column("importance") >= np.float16(only.min_importance)
        if only.conversation is not None:
            start = places.conversation_place(space, only.conversation)
            able &= self.column("place") - np.uint64(start) <= np.uint64(places.MAX_TURN)
        for group in only.facets:
            having = np.zeros(len(self), bool)
            for facet in group:
                having[self.postings(places.digest(places.facet_term(facet)))[0]] = True
            able &= having
        return able

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
    """The rows of one space in one segment: which are alive, and which may be hits (None: all).

    Terms are known by their number among those that are asked for.
    """

    def __init__(
        self, segment: Segment, alive: Alive, space: str, only: Filter | None, terms: NDArray[np.uint64]
    ) -> None:
        self.segment = segment
        self.space = space
        self.first, self.end = segment.span(space)
        self.alive = None if alive is None else alive[self.first : self.end]
        self.able = self.alive if only is None else self._able(only)
        self._postings = self._within(terms) if self.end > self.first else []

    def __len__(self) -> int:
        return self.end - self.first

    def column(self, name: str) -> NDArray[Any]:
        """A column's part of this slice."""
        return self.segment.columns[name][self.first : self.end]

    def postings(self, term: int) -> tuple[Rows, NDArray[np.uint8]]:
        """The rows of this slice that hold a term, and how often."""
        start, stop = self._postings[term]
        rows = self.segment["rows"][start:stop].astype(np.int64)
        return rows - self.first if self.first else rows, self.segment["counts"][start:stop]

    def counts(self, term: int, rows: Rows) -> NDArray[np.uint8] | int:
        """How often each of some rows of this slice, in order, holds a term."""
        start, stop = self._postings[term]
        if start == stop:
            return 0
        held = self.segment["rows"][start:stop]
        wanted = (rows + self.first).astype(np.uint32)
        at = np.minimum(np.searchsorted(held, wanted), stop - start - 1)
        found: NDArray[np.uint8] = self.segment["counts"][start:stop][at] * (held[at] == wanted)
        return found

    def size(self) -> tuple[int, int]:
        """How many living rows there are, and how many terms they hold together."""
        if self.alive is None:
            return len(self), self.segment.length(self.space)
        lengths = self.column("lengths")[self.alive]
        return len(lengths), int(lengths.sum(dtype=np.int64))

    def at(self, places_: NDArray[np.uint64]) -> Rows:
        """The rows that stand at some places; places where nothing stands are left out."""
        column = self.column("place")
        found: Rows = np.searchsorted(column, places_)
        found[found == len(column)] = 0
        there: Rows = found[column[found] == places_]
        return there

    def holding(self, term: int) -> int:
        """How many living rows hold a term."""
        start, stop = self._postings[term]
        return stop - start if self.alive is None else int(self.alive[self.postings(term)[0]].sum())

    def cosine(self, rows: Rows, vector: Floats) -> Floats:
        """The cosines of some rows with a vector; NaN for a row that has none."""
        scales = self.column("scales")[rows]
        product = np.dot(self.column("vectors")[rows].astype(np.float32), vector)
        return np.where(scales > 0, product * scales, np.nan).astype(np.float32)

    def _within(self, terms: NDArray[np.uint64]) -> list[tuple[int, int]]:
        """Where the rows of terms stand, as far as they are rows of this slice."""
        found = self.segment.postings(terms)
        if len(self) == len(self.segment):
            return found
        bounds = np.array((self.first, self.end), np.uint32)
        held = self.segment["rows"]
        narrowed = [start + np.searchsorted(held[start:stop], bounds) for start, stop in found]
        return [(int(low), int(high)) for low, high in narrowed]

    def _able(self, only: Filter) -> Alive:
        """The living rows that pass a filter; a segment never changes, so it keeps the last few answers."""
        kept, key = self.segment.passed, (self.space, only)
        held = kept.get(key)
        if held is None:
            if len(kept) >= KEPT:
                kept.clear()
            passed = self._passed(only)
            held = kept[key] = (None if passed.all() else passed,)
        (able,) = held
        if able is None:
            return self.alive
        return able if self.alive is None else able & self.alive

    def _passed(self, only: Filter) -> NDArray[np.bool_]:
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
            start = places.conversation_place(self.space, only.conversation)
            able &= self.column("place") - np.uint64(start) <= np.uint64(places.MAX_TURN)
        for group in only.facets:
            digests = [places.digest(places.facet_term(facet)) for facet in group]
            having = np.zeros(len(self), bool)
            for start, stop in self._within(np.array(digests, np.uint64)):
                having[self.segment["rows"][start:stop] - np.uint32(self.first)] = True
            able &= having
        return able

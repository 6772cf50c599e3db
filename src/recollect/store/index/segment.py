"""A segment: items as immutable columns and posting lists, sorted by space and place.

Small segments are made from changes; bigger ones by merging. Rows that died (were updated or
erased) are marked beside the segment and leave it when it is next merged.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.store.index import places, vectors
from recollect.store.index.feed import KINDS, Change
from recollect.store.index.pool import item_terms

Alive = NDArray[np.bool_] | None
"""Which rows still count; None where all do."""

COLUMNS = (
    ("place", np.uint64),
    ("item", np.uint64),
    ("seq", np.int64),
    ("at", np.int64),
    ("recorded", np.int64),
    ("kind", np.uint8),
    ("speaker", np.int32),
    ("status", np.int32),
    ("importance", np.float16),
    ("lengths", np.uint16),
)
_ROW_BITS, _COUNT_BITS = 32, 8


@dataclass(frozen=True, slots=True)
class Segment:
    """Columns by row, strings in tables, and for every term the rows that hold it."""

    columns: dict[str, NDArray[Any]]
    spaces: tuple[str, ...]
    starts: NDArray[np.int64]
    speakers: tuple[str, ...]
    statuses: tuple[str, ...]
    passed: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)
    """Which rows passed the last few filters, kept by slices."""
    long: dict[str, int] = field(default_factory=dict, compare=False, repr=False)
    """How many terms all rows of a space hold together, where that was asked for."""

    def __len__(self) -> int:
        return len(self.columns["place"])

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.columns[name]

    def span(self, space: str) -> tuple[int, int]:
        """The rows of a space: first, and one past the last."""
        at = bisect_left(self.spaces, space)
        if at == len(self.spaces) or self.spaces[at] != space:
            return 0, 0
        return int(self.starts[at]), int(self.starts[at + 1])

    def postings(self, terms: NDArray[np.uint64]) -> list[tuple[int, int]]:
        """Where the rows of each of some terms stand in `rows` and `counts`."""
        known, bounds = self.columns["terms"], self.columns["bounds"]
        if not len(known):
            return [(0, 0)] * len(terms)
        at = np.minimum(np.searchsorted(known, terms), len(known) - 1)
        there = known[at] == terms
        starts, stops = np.where(there, (bounds[at], bounds[at + 1]), 0).tolist()
        return list(zip(starts, stops, strict=True))

    def length(self, space: str) -> int:
        """How many terms the rows of a space hold together, dead ones too."""
        if space not in self.long:
            first, end = self.span(space)
            self.long[space] = int(self.columns["lengths"][first:end].sum(dtype=np.int64))
        return self.long[space]

    def find(self, items: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The rows of items by their digests; -1 where an item is not here."""
        order, known = self.columns["by_item"], self.columns["item"]
        if not len(order):
            return np.full(len(items), -1, np.int64)
        at = np.searchsorted(known, items, sorter=order)
        rows = order[np.minimum(at, len(order) - 1)].astype(np.int64)
        return np.where(known[rows] == items, rows, -1)


def build(changes: Sequence[Change], dim: int) -> Segment:
    """A segment of items that changed; each item is given once."""
    speakers: dict[str, int] = {}
    statuses: dict[str, int] = {}
    spaces: dict[str, int] = {}
    raw = np.zeros((len(changes), dim), np.float32)
    postings: list[tuple[int, int, int]] = []
    fields: dict[str, list[float]] = {name: [] for name, _ in COLUMNS}
    for row, change in enumerate(changes):
        found = item_terms(change)
        counted = Counter(found)
        counted.update(dict.fromkeys(map(places.facet_term, change.facets), 1))
        postings.extend((places.term_digest(t), row, min(n, 255)) for t, n in counted.items())
        fields["place"].append(places.place(change))
        fields["item"].append(places.item_digest(change.kind, change.id))
        fields["seq"].append(change.seq)
        fields["at"].append(change.at)
        fields["recorded"].append(change.recorded)
        fields["kind"].append(KINDS.index(change.kind))
        fields["speaker"].append(speakers.setdefault(change.speaker or "", len(speakers)))
        fields["status"].append(statuses.setdefault(change.status, len(statuses)))
        fields["importance"].append(change.importance)
        fields["lengths"].append(min(len(found), 65_535))
        spaces.setdefault(change.space, len(spaces))
        if change.vector is not None and len(change.vector) == 2 * dim:
            raw[row] = np.frombuffer(change.vector, np.float16)
    columns: dict[str, NDArray[Any]] = {name: np.array(fields[name], kind) for name, kind in COLUMNS}
    columns["ids"] = np.array([change.id.encode() for change in changes], np.bytes_)
    columns["vectors"], columns["scales"] = vectors.pack(raw)
    space = np.array([spaces[change.space] for change in changes], np.int64)
    return _arrange(columns, space, tuple(spaces), (tuple(speakers), tuple(statuses)), postings)


def merge(parts: Sequence[tuple[Segment, Alive]]) -> Segment:
    """One segment of all the living rows of several."""
    spaces = sorted(_used(parts, lambda s: s.spaces, _space_of_rows))
    speakers = _used(parts, lambda s: s.speakers, lambda s: s["speaker"])
    statuses = _used(parts, lambda s: s.statuses, lambda s: s["status"])
    known = np.unique(np.concatenate([segment["terms"] for segment, _ in parts]))
    columns: dict[str, list[NDArray[Any]]] = {}
    space_parts, keys, base = [], [], 0
    for segment, alive in parts:
        keep = np.arange(len(segment)) if alive is None else np.flatnonzero(alive)
        for name in (*(name for name, _ in COLUMNS), "ids", "vectors", "scales"):
            columns.setdefault(name, []).append(segment[name][keep])
        columns["speaker"][-1] = _renumber(segment.speakers, speakers)[columns["speaker"][-1]]
        columns["status"][-1] = _renumber(segment.statuses, statuses)[columns["status"][-1]]
        space = _renumber(segment.spaces, spaces)[_space_of_rows(segment)]
        space_parts.append(space[keep].astype(np.int64))
        moved = np.full(len(segment), -1, np.int64)
        moved[keep] = np.arange(base, base + len(keep))
        keys.append(_keys(segment, moved, known))
        base += len(keep)
    joined = {name: np.concatenate(arrays) for name, arrays in columns.items()}
    tables = (tuple(speakers), tuple(statuses))
    return _arrange(joined, np.concatenate(space_parts), tuple(spaces), tables, (known, np.concatenate(keys)))


def _arrange(
    columns: dict[str, NDArray[Any]],
    space: NDArray[np.int64],
    spaces: tuple[str, ...],
    tables: tuple[tuple[str, ...], tuple[str, ...]],
    postings: list[tuple[int, int, int]] | tuple[NDArray[np.uint64], NDArray[np.uint64]],
) -> Segment:
    """Put rows in order of space and place and postings in order of term and row."""
    names = sorted(set(spaces))
    number = _renumber(spaces, names)[space]
    order = np.lexsort((columns["place"], number))
    moved = np.empty(len(order), np.uint64)
    moved[order] = np.arange(len(order), dtype=np.uint64)
    arranged = {name: column[order] for name, column in columns.items()}
    if isinstance(postings, list):
        table = np.array(postings, np.uint64).reshape(-1, 3)
        known, which = np.unique(table[:, 0], return_inverse=True)
        keys = _join(which.astype(np.uint64), moved[table[:, 1].astype(np.intp)], table[:, 2])
    else:
        known, keys = postings
        rank, row, count = _split(keys)
        keys = _join(rank, moved[row.astype(np.intp)], count)
    keys.sort()
    rank, row, count = _split(keys)
    used, starts = np.unique(rank, return_index=True)
    arranged["terms"] = known[used.astype(np.intp)]
    arranged["bounds"] = np.append(starts, len(keys)).astype(np.int64)
    arranged["rows"] = row.astype(np.uint32)
    arranged["counts"] = count.astype(np.uint8)
    arranged["by_item"] = np.argsort(arranged["item"], kind="stable").astype(np.uint32)
    rows = arranged["vectors"]
    if len(order) >= vectors.CODED_FROM:
        arranged["codes"], arranged["mean"] = vectors.code(rows, arranged["scales"])
    starts = np.searchsorted(number[order], np.arange(len(names) + 1)).astype(np.int64)
    return Segment(arranged, tuple(names), starts, *tables)


def _keys(segment: Segment, moved: NDArray[np.int64], known: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The postings of living rows as sortable numbers: term, row, count."""
    rank = np.searchsorted(known, segment["terms"]).astype(np.uint64)
    row = moved[segment["rows"]]
    live = row >= 0
    term = np.repeat(rank, np.diff(segment["bounds"]))[live]
    return _join(term, row[live].astype(np.uint64), segment["counts"][live].astype(np.uint64))


def _join(rank: NDArray[np.uint64], row: NDArray[np.uint64], count: NDArray[np.uint64]) -> NDArray[np.uint64]:
    shift, small = np.uint64(_ROW_BITS + _COUNT_BITS), np.uint64(_COUNT_BITS)
    return (rank << shift) | (row << small) | count


def _split(
    keys: NDArray[np.uint64],
) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint64]]:
    shift, small = np.uint64(_ROW_BITS + _COUNT_BITS), np.uint64(_COUNT_BITS)
    row = (keys >> small) & np.uint64((1 << _ROW_BITS) - 1)
    return keys >> shift, row, keys & np.uint64((1 << _COUNT_BITS) - 1)


def _used(
    parts: Sequence[tuple[Segment, Alive]],
    table: Callable[[Segment], Sequence[str]],
    column: Callable[[Segment], NDArray[Any]],
) -> list[str]:
    """The names that living rows use: a name that was erased with its last row must not stay."""
    names: dict[str, None] = {}
    for segment, alive in parts:
        rows = column(segment) if alive is None else column(segment)[alive]
        names.update(dict.fromkeys(table(segment)[number] for number in np.unique(rows)))
    return list(names)


def _space_of_rows(segment: Segment) -> NDArray[np.int64]:
    return np.repeat(np.arange(len(segment.spaces)), np.diff(segment.starts))


def _renumber(old: Sequence[str], new: Sequence[str]) -> NDArray[np.int32]:
    """For every position in the old table, the position of the same name in the new one, or -1."""
    at = {name: number for number, name in enumerate(new)}
    return np.array([at.get(name, -1) for name in old], np.int32)

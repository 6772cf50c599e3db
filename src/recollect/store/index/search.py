"""Finding candidates in a snapshot: by words, by meaning, by time, by id, and beside what is found.

Rare words choose which rows are looked at; frequent ones only help to order them. So a search
touches a bounded number of postings, however large the space.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.store.index import places, vectors
from recollect.store.index.ask import Ask
from recollect.store.index.pool import CONTEXT, DIRECT, LINK, NEIGHBOUR, Pool, Stats
from recollect.store.index.segment import Alive, Segment
from recollect.store.index.slices import Floats, Rows, Slice

DRIVING = 8_000
"""Postings that may choose rows; words beyond this only order them (the rarest always chooses)."""
FAINT = 0.5
"""Terms of less weight choose no rows where weightier ones do."""
SATURATION, LENGTH = np.float32(0.8), np.float32(0.75)

Picked = tuple[Rows, NDArray[np.uint8]]


def search(parts: Sequence[tuple[Segment, Alive]], ask: Ask) -> tuple[Pool, Stats]:
    """The pool of candidates with their context, and the statistics of the view."""
    terms = np.array([places.term_digest(term) for term in ask.terms], np.uint64)
    slices = [
        part
        for space in dict.fromkeys(ask.spaces)
        for segment, alive in parts
        if len(part := Slice(segment, alive, space, ask.only, terms))
    ]
    stats = _stats(slices, len(terms))
    linked = [_by_id(part, ask.items) for part in slices]
    ways = (
        _by_words(slices, ask, stats),
        _by_meaning(slices, ask),
        _by_time(slices, ask),
    )
    direct = [np.concatenate(found) for found in zip(*ways, strict=True)]
    picked = _with_neighbours(slices, direct, linked, ask.reach)
    return _pool(slices, picked, len(terms), ask.vector), stats


def _stats(slices: Sequence[Slice], terms: int) -> Stats:
    """Counts over the living rows of all slices."""
    sizes = [part.size() for part in slices]
    items = sum(items for items, _ in sizes)
    length = sum(length for _, length in sizes)
    having = tuple(sum(part.holding(term) for part in slices) for term in range(terms))
    return Stats(items, length / max(items, 1), having)


def _by_id(part: Slice, items: Sequence[tuple[str, str]]) -> Rows:
    """The rows of named items, in this slice and allowed."""
    if not items:
        return np.empty(0, np.int64)
    digests = np.array([places.item_digest(kind, name) for kind, name in items], np.uint64)
    rows = part.segment.find(digests)
    rows = rows[(rows >= part.first) & (rows < part.end)] - part.first
    return rows if part.able is None else rows[part.able[rows]]


def _by_words(slices: Sequence[Slice], ask: Ask, stats: Stats) -> list[Rows]:
    """The rows with the best BM25 of their own words."""
    having = np.array(stats.having, np.float32)
    rarity = np.log1p((stats.items - having + 0.5) / (having + 0.5))
    worth = rarity * np.array(ask.weights, np.float32)
    known = [int(i) for i in np.argsort(having, kind="stable") if having[i] > 0]
    strong = [i for i in known if ask.weights[i] >= FAINT] or known
    budget = np.cumsum(having[strong])
    driving = [i for n, i in enumerate(strong) if n == 0 or budget[n] <= DRIVING]
    relative = LENGTH / np.float32(max(stats.average_length, 1.0))
    scored = []
    for part in slices:
        lengths = part.column("lengths")
        total = np.zeros(len(part), np.float32)
        holding = []
        for i in driving:
            rows, counts = part.postings(i)
            own = counts / (1 - LENGTH + relative * lengths[rows])
            total[rows] += worth[i] * own / (own + SATURATION)
            holding.append(rows)
        touched = _distinct(holding)
        if part.able is not None:
            touched = touched[part.able[touched]]
        values = total[touched]
        for i in known:
            if i not in driving:
                own = part.counts(i, touched) / (1 - LENGTH + relative * lengths[touched])
                values += worth[i] * own / (own + SATURATION)
        scored.append((touched, values))
    return _best(scored, ask.by_words)


def _by_meaning(slices: Sequence[Slice], ask: Ask) -> list[Rows]:
    """The rows whose vectors are nearest to the query's."""
    if ask.vector is None or not ask.vector.any():
        return [np.empty(0, np.int64) for _ in slices]
    scored = []
    everything = sum(map(len, slices))
    for part in slices:
        if len(part) >= vectors.CODED_FROM:
            planes = part.segment["codes"][:, part.first : part.end]
            wanted = max(ask.by_meaning, ask.by_meaning * vectors.RECHECK * len(part) // everything)
            mean = part.segment["mean"]
            near = vectors.nearest_codes(planes, mean, ask.vector, wanted, part.able)
        else:
            near = np.arange(len(part)) if part.able is None else np.flatnonzero(part.able)
        near = near[part.column("scales")[near] > 0]
        cosine = part.cosine(near, ask.vector)
        scored.append((near[cosine > 0], cosine[cosine > 0]))
    return _best(scored, ask.by_meaning)


def _by_time(slices: Sequence[Slice], ask: Ask) -> list[Rows]:
    """The newest rows inside the spans that the query names."""
    if not ask.spans:
        return [np.empty(0, np.int64) for _ in slices]
    scored = []
    for part in slices:
        at = part.column("at")
        inside = np.zeros(len(part), bool)
        for start, end in ask.spans:
            inside |= (at >= start) & (at < end)
        if part.able is not None:
            inside &= part.able
        rows = np.flatnonzero(inside)
        scored.append((rows, at[rows].astype(np.float64)))
    return _best(scored, ask.by_time)


def _best(scored: Sequence[tuple[Rows, NDArray[np.floating]]], limit: int) -> list[Rows]:
    """Of all slices together the best rows, given back slice by slice."""
    values = np.concatenate([values for _, values in scored] or [np.empty(0)])
    if len(values) <= limit:
        return [rows for rows, _ in scored]
    least = np.partition(values, len(values) - limit)[len(values) - limit]
    return [rows[part >= least][: 2 * limit] for rows, part in scored]


def _distinct(found: Sequence[Rows]) -> Rows:
    """All rows that were found, in order and once; sorting is faster here than numpy's unique."""
    rows = np.sort(np.concatenate([*found, np.empty(0, np.int64)]))
    first = np.ones(len(rows), bool)
    np.not_equal(rows[1:], rows[:-1], out=first[1:])
    return rows[first]


def _with_neighbours(
    slices: Sequence[Slice], direct: Sequence[Rows], linked: Sequence[Rows], reach: int
) -> list[Picked]:
    """Found rows, the rows beside them, and beside those the rows that only lend context."""
    home = [
        part.column("place")[rows]
        for part, found in zip(slices, zip(direct, linked, strict=True), strict=True)
        for rows in found
    ]
    around = np.sort(np.concatenate([*home, np.empty(0, np.uint64)]))
    near, further = _around(around, 0, reach), _around(around, reach, 2 * reach)
    picked = []
    for part, own, named in zip(slices, direct, linked, strict=True):
        mark = np.zeros(len(part), np.uint8)
        beside = part.at(further), part.at(near)
        for rows, why in zip(beside, (CONTEXT, NEIGHBOUR), strict=True):
            mark[rows if part.alive is None else rows[part.alive[rows]]] = CONTEXT + 1
            mark[rows if part.able is None else rows[part.able[rows]]] = why + 1
        mark[named] = LINK + 1
        mark[own] = DIRECT + 1
        rows = _distinct((*beside, own, named))
        rows = rows[mark[rows] > 0]
        picked.append((rows, mark[rows] - np.uint8(1)))
    return picked


def _around(home: NDArray[np.uint64], beyond: int, reach: int) -> NDArray[np.uint64]:
    """The places further than `beyond` and within `reach` of some, maybe repeated."""
    steps = np.array([*range(-reach, -beyond), *range(beyond + 1, reach + 1)], np.int64)
    return np.add.outer(home, steps.astype(np.uint64)).ravel()


def _pool(slices: Sequence[Slice], picked: Sequence[Picked], terms: int, vector: Floats | None) -> Pool:
    """The columns of the picked rows of all slices, in order of place."""
    gathered: dict[str, list[NDArray[Any]]] = {name: [start] for name, start in _EMPTY.items()}
    gathered["counts"] = [np.empty((0, terms), np.float32)]
    speakers: dict[str, int] = {}
    statuses: dict[str, int] = {}
    for part, (rows, why) in zip(slices, picked, strict=True):
        columns = {name: part.column(name)[rows] for name in _COPIED}
        columns["speaker"] = _numbered(columns["speaker"], part.segment.speakers, speakers)
        columns["status"] = _numbered(columns["status"], part.segment.statuses, statuses)
        columns["why"] = why
        columns["counts"] = np.empty((len(rows), terms), np.float32)
        for term in range(terms):
            columns["counts"][:, term] = part.counts(term, rows)
        columns["cosine"] = np.full(len(rows), np.nan, np.float32)
        if vector is not None:
            compared = why != CONTEXT
            columns["cosine"][compared] = part.cosine(rows[compared], vector)
        for name, column in columns.items():
            gathered[name].append(column)
    joined = {name: np.concatenate(columns) for name, columns in gathered.items()}
    order = np.argsort(joined["place"], kind="stable")
    ordered = {name: column[order] for name, column in joined.items()}
    return Pool(**ordered, speakers=tuple(speakers), statuses=tuple(statuses))


_COPIED = ("ids", "place", "kind", "speaker", "status", "at", "importance", "lengths")
_EMPTY: dict[str, NDArray[Any]] = {
    "ids": np.empty(0, "S1"),
    "place": np.empty(0, np.uint64),
    "kind": np.empty(0, np.uint8),
    "speaker": np.empty(0, np.int32),
    "status": np.empty(0, np.int32),
    "at": np.empty(0, np.int64),
    "importance": np.empty(0, np.float32),
    "lengths": np.empty(0, np.float32),
    "why": np.empty(0, np.uint8),
    "cosine": np.empty(0, np.float32),
}


def _numbered(column: NDArray[np.int32], table: Sequence[str], known: dict[str, int]) -> NDArray[np.int32]:
    """A column of one segment's numbers as numbers of a table that grows over all segments."""
    used = np.flatnonzero(np.bincount(column)).tolist()
    new = np.zeros(len(table), np.int32)
    new[used] = [known.setdefault(table[number], len(known)) for number in used]
    return new[column]

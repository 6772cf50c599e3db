"""Proposed rows with their raw features, column by column: all that scoring needs to know.

The index makes pools from its arrays; PostgreSQL's candidates become one through `pool_of`. Both
are then scored by the same function.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recollect.store.index import places
from recollect.store.index.feed import KINDS, Change
from recollect.text.terms import terms

CONTEXT, NEIGHBOUR, LINK, DIRECT = 0, 1, 2, 3
"""Why a row is in the pool: only as context of others, beside a hit, named by id, or by itself."""


@dataclass(frozen=True, slots=True)
class Stats:
    """What BM25 must know of the whole view: how many items, how long, how many hold each term."""

    items: int
    average_length: float
    having: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Pool:
    """Rows in order of place. `counts[i, j]` is how often row i holds term j of the query.

    `cosine` is NaN where an item has no vector yet. `speaker` and `status` are positions in
    `speakers` and `statuses`; `kind` is a position in KINDS.
    """

    ids: NDArray[np.bytes_]
    place: NDArray[np.uint64]
    why: NDArray[np.uint8]
    kind: NDArray[np.uint8]
    speaker: NDArray[np.int32]
    speakers: tuple[str, ...]
    status: NDArray[np.int32]
    statuses: tuple[str, ...]
    at: NDArray[np.int64]
    importance: NDArray[np.float32]
    lengths: NDArray[np.float32]
    counts: NDArray[np.float32]
    cosine: NDArray[np.float32]
    uses: NDArray[np.float32] | None = None

    def __len__(self) -> int:
        return len(self.ids)


def item_terms(change: Change) -> list[str]:
    """The terms an item is found by: its text's and its speaker's."""
    return terms(f"{change.speaker} {change.text}" if change.speaker else change.text)


def pool_of(
    changes: Sequence[Change],
    query_terms: Sequence[str],
    cosines: Sequence[float | None],
    why: Sequence[int],
    lengths: Sequence[int] | None = None,
) -> Pool:
    """A pool of rows that some other engine proposed, with their texts and cosines.

    `lengths` stand in for texts that were not read because they hold none of the terms.
    """
    order = sorted((places.place(change), i) for i, change in enumerate(changes))
    rows = [changes[i] for _, i in order]
    counts = np.zeros((len(rows), len(query_terms)), np.float32)
    long = np.array([0 if lengths is None else lengths[i] for _, i in order], np.float32)
    for number, row in enumerate(rows):
        if row.text:
            bag = item_terms(row)
            long[number] = len(bag)
            counts[number] = [bag.count(term) for term in query_terms]
    speakers = {name: n for n, name in enumerate(dict.fromkeys(row.speaker or "" for row in rows))}
    statuses = {name: n for n, name in enumerate(dict.fromkeys(row.status for row in rows))}
    cosine = [cosines[i] for _, i in order]
    return Pool(
        ids=np.array([row.id.encode() for row in rows], np.bytes_),
        place=np.array([place for place, _ in order], np.uint64),
        why=np.array([why[i] for _, i in order], np.uint8),
        kind=np.array([KINDS.index(row.kind) for row in rows], np.uint8),
        speaker=np.array([speakers[row.speaker or ""] for row in rows], np.int32),
        speakers=tuple(speakers),
        status=np.array([statuses[row.status] for row in rows], np.int32),
        statuses=tuple(statuses),
        at=np.array([row.at for row in rows], np.int64),
        importance=np.array([row.importance for row in rows], np.float32),
        lengths=long,
        counts=counts,
        cosine=np.array([np.nan if c is None else c for c in cosine], np.float32),
    )

"""Proposed rows with their raw features, column by column: all that scoring needs to know.

The index makes pools from its arrays; PostgreSQL's candidates become one through `pool_of`. Both
are then scored by the same function.
"""

from __future__ import annotations

from collections import Counter
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
) -> Pool:
    """A pool of rows that some other engine proposed, with their texts and cosines."""
    order = sorted(range(len(changes)), key=lambda i: places.place(changes[i]))
    rows = [changes[i] for i in order]
    bags = [item_terms(row) for row in rows]
    counts = np.zeros((len(rows), len(query_terms)), np.float32)
    for i, bag in enumerate(bags):
        have = Counter(bag)
        counts[i] = [have[term] for term in query_terms]
    speakers = tuple(dict.fromkeys(row.speaker or "" for row in rows))
    statuses = tuple(dict.fromkeys(row.status for row in rows))
    cosine = [cosines[i] for i in order]
    return Pool(
        ids=np.array([row.id.encode() for row in rows], np.bytes_),
        place=np.array([places.place(row) for row in rows], np.uint64),
        why=np.array([why[i] for i in order], np.uint8),
        kind=np.array([KINDS.index(row.kind) for row in rows], np.uint8),
        speaker=np.array([speakers.index(row.speaker or "") for row in rows], np.int32),
        speakers=speakers,
        status=np.array([statuses.index(row.status) for row in rows], np.int32),
        statuses=statuses,
        at=np.array([row.at for row in rows], np.int64),
        importance=np.array([row.importance for row in rows], np.float32),
        lengths=np.array([len(bag) for bag in bags], np.float32),
        counts=counts,
        cosine=np.array([np.nan if c is None else c for c in cosine], np.float32),
    )

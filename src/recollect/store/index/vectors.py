"""Vectors small enough to keep by the million: int8 rows, and sign codes to find near ones fast.

Int8 with one scale per row changes a cosine by less than 0.01. Above a few thousand rows a scan
first compares codes, one bit per dimension of the centred and rotated vector, and only the
nearest are compared as vectors. Products are made by `np.dot`: unlike `@` it does not warn of the stray
floating-point flags that BLAS kernels leave behind now and then.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

CODED_FROM = 1024
"""Below this many rows every vector is compared; above, codes choose which."""
RECHECK = 16
"""For each vector wanted, this many of the nearest codes are compared as vectors."""
BLOCK = 1 << 16
SAMPLE = 4
SCAN = 1 << 14
"""Codes compared at a time: what they need stays in the processor's cache."""


@lru_cache(maxsize=4)
def _rotation(dim: int) -> NDArray[np.float32]:
    """A fixed rotation that spreads what vectors differ in over all dimensions.

    Hadamard blocks over shuffled dimensions with random signs: as good as a random rotation for this, and
    made in a millisecond, which a process that answers one question notices.
    """
    rng = np.random.default_rng(dim)
    turned = np.zeros((dim, dim), np.float32)
    start = 0
    for size in (1 << bit for bit in reversed(range(dim.bit_length())) if dim >> bit & 1):
        block = np.ones((1, 1), np.float32)
        while len(block) < size:
            block = np.block([[block, block], [block, -block]])
        turned[start : start + size, start : start + size] = block / np.sqrt(size)
        start += size
    turned *= rng.choice(np.array((-1, 1), np.float32), dim)[:, None]
    return turned[rng.permutation(dim)]


def pack(vectors: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Rows as int8 and their scales; a row of zeros has scale 0 and counts as no vector."""
    largest = np.abs(vectors).max(axis=1, initial=0.0)
    scales = (largest / 127).astype(np.float32)
    safe = np.where(scales > 0, scales, np.float32(1))
    return np.rint(vectors / safe[:, None]).astype(np.int8), scales


def code(
    rows: NDArray[np.int8], scales: NDArray[np.float32]
) -> tuple[NDArray[np.uint64], NDArray[np.float32]]:
    """The sign codes of rows, one plane of 64 bits after the other, and the mean they turn on."""
    mean = np.zeros(rows.shape[1], np.float32)
    for block, share in _blocks(rows, scales):
        mean += np.dot(share, block)
    mean /= max(len(rows), 1)
    words = -(-rows.shape[1] // 64)
    planes = np.empty((words, len(rows)), np.uint64)
    start = 0
    for block, share in _blocks(rows, scales):
        planes[:, start : start + len(block)] = _signs(block * share[:, None], mean, words)
        start += len(block)
    return planes, mean


def _blocks(
    rows: NDArray[np.int8], scales: NDArray[np.float32]
) -> Iterator[tuple[NDArray[np.float32], NDArray[np.float32]]]:
    for start in range(0, len(rows), BLOCK):
        yield rows[start : start + BLOCK].astype(np.float32), scales[start : start + BLOCK]


def _signs(block: NDArray[np.float32], mean: NDArray[np.float32], words: int) -> NDArray[np.uint64]:
    bits = np.dot(block - mean, _rotation(block.shape[1])) > 0
    bits[:, 255:256] = False  # so that four planes differ by at most 255, which fits a byte
    bytes_ = np.zeros((len(block), words * 8), np.uint8)
    packed = np.packbits(bits, axis=1)
    bytes_[:, : packed.shape[1]] = packed
    return bytes_.view(np.uint64).T


def nearest_codes(
    planes: NDArray[np.uint64],
    mean: NDArray[np.float32],
    query: NDArray[np.float32],
    wanted: int,
    able: NDArray[np.bool_] | None,
) -> NDArray[np.intp]:
    """About as many as wanted of the rows that are able, those whose codes differ least from the query's.

    How near is near enough is read off every `SAMPLE`-th row.
    """
    if able is not None and np.count_nonzero(able) <= wanted:
        return np.flatnonzero(able)
    words, count = planes.shape
    asked = _signs(query[None, :], mean, words)[:, 0]
    distance = np.empty(count, np.uint16 if words > 4 else np.uint8)
    differing = np.empty(SCAN, np.uint64)
    bits = np.empty(SCAN, np.uint8)
    for start in range(0, count, SCAN):
        part = distance[start : start + SCAN]
        size = len(part)
        part.fill(0)
        for plane in range(words):
            block = planes[plane, start : start + SCAN]
            np.bitwise_xor(block, asked[plane], out=differing[:size])
            np.bitwise_count(differing[:size], out=bits[:size])
            np.add(part, bits[:size], out=part)
    sample = distance[::SAMPLE] if able is None else distance[::SAMPLE][able[::SAMPLE]]
    seen = np.cumsum(np.bincount(sample, minlength=64 * words + 1))
    near = distance <= np.searchsorted(seen, min(wanted / SAMPLE, int(seen[-1])))
    return np.flatnonzero(near if able is None else near & able)

"""Neighbours: which memories are worth comparing, without comparing all with all.

Words: minhash signatures of the telling words, cut into bands. Meaning: signs of the vectors on random
planes, a few times over. Either way memories are sorted by such a code and compared with the few that
come next, so the work grows with n log n. Everything is seeded: the same memories have the same
neighbours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

from recollect.model.record import Record
from recollect.text.sameness import Reading, reading

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BANDS, ROWS = 8, 3
"""Two statements that share 80 % of their words meet in some band with 99.7 %."""
TABLES = 8
WINDOW = 4
"""So many of the next ones in a sorted order are compared."""
MOST_READ = 600
"""Characters of a memory that its words are taken from; longer texts are never "the same again"."""

Pair = tuple[str, str]


@dataclass(slots=True)
class Near:
    """What memories say, and which of them are near each other, by words and by meaning."""

    readings: dict[str, Reading]
    by_words: list[Pair]
    by_meaning: dict[Pair, float]
    _rows: Mapping[str, int]
    _matrix: NDArray[np.float32] | None

    def cosine(self, a: str, b: str) -> float:
        """The cosine of two memories' vectors; 0 where one of them has none."""
        i, j = self._rows.get(a), self._rows.get(b)
        if i is None or j is None or self._matrix is None:
            return 0.0
        return float(self._matrix[i] @ self._matrix[j])


def near(records: Sequence[Record], vectors: Mapping[str, bytes]) -> Near:
    """Find the neighbours among some memories."""
    readings = {r.id: reading(r.text[:MOST_READ]) for r in records}
    told = [id for id, read in readings.items() if read.telling]
    seen = [r.id for r in records if r.id in vectors]
    matrix = _matrix([vectors[id] for id in seen])
    rows = {id: i for i, id in enumerate(seen)} if matrix is not None else {}
    by_words = list(
        dict.fromkeys([*_equal(records), *_pairs(told, _bands([readings[id].content for id in told]))])
    )
    by_meaning = {} if matrix is None else _alike(seen, matrix)
    return Near(readings, by_words, by_meaning, rows, matrix)


def _equal(records: Sequence[Record]) -> Iterator[Pair]:
    """Memories with the very same text, each with the one before it: no window is too small for them."""
    last: dict[str, str] = {}
    for record in records:
        if record.text in last:
            yield last[record.text], record.id
        last[record.text] = record.id


def _pairs(ids: Sequence[str], codes: Iterator[NDArray[np.uint64]]) -> Iterator[Pair]:
    """Pairs with an equal code, each once, the later id last."""
    import numpy as np

    known: set[int] = set()
    for code in codes:
        order = np.argsort(code, kind="stable")
        sorted_ = code[order]
        for step in range(1, WINDOW + 1):
            same = np.flatnonzero(sorted_[step:] == sorted_[:-step])
            for i, j in zip(order[same].tolist(), order[same + step].tolist(), strict=True):
                key = min(i, j) * len(ids) + max(i, j)
                if key not in known:
                    known.add(key)
                    yield ids[min(i, j)], ids[max(i, j)]


def _bands(contents: Sequence[frozenset[str]]) -> Iterator[NDArray[np.uint64]]:
    """One code a band for every set of words: the smallest of its hashed words, three times."""
    import numpy as np

    if not contents:
        return
    hashed = {word: _number(word) for content in contents for word in content}
    flat = np.array([hashed[word] for content in contents for word in sorted(content)], np.uint64)
    starts = np.cumsum([0, *(len(content) for content in contents[:-1])])
    rng = np.random.default_rng(92)
    for _ in range(BANDS):
        code = np.zeros(len(contents), np.uint64)
        for _ in range(ROWS):
            odd = np.uint64(int(rng.integers(1, 2**62)) * 2 + 1)
            turned = flat * odd
            turned ^= turned >> np.uint64(29)
            least = np.minimum.reduceat(turned * odd, starts)
            code = (code ^ least) * np.uint64(0x9E3779B97F4A7C15)
        yield code


def _number(word: str) -> int:
    return int.from_bytes(blake2b(word.encode(), digest_size=8).digest())


def _matrix(held: Sequence[bytes]) -> NDArray[np.float32] | None:
    """The vectors as unit rows; None where there are too few or they are of different lengths."""
    import numpy as np

    if len(held) < 2 or len({len(one) for one in held}) != 1:
        return None
    rows = np.frombuffer(b"".join(held), "<f2").reshape(len(held), -1).astype(np.float32)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    rows /= np.where(norms > 0, norms, np.float32(1))
    return rows


def _alike(ids: Sequence[str], matrix: NDArray[np.float32]) -> dict[Pair, float]:
    """Pairs whose vectors fall on the same side of most random planes, with their cosine."""
    import numpy as np

    rng = np.random.default_rng(7)
    centred = matrix - matrix.mean(axis=0)
    found: dict[Pair, float] = {}
    for _ in range(TABLES):
        planes = rng.standard_normal((matrix.shape[1], 64)).astype(np.float32)
        code = np.packbits(centred @ planes > 0, axis=1).view(">u8")[:, 0]
        order = np.argsort(code, kind="stable")
        for step in range(1, min(WINDOW + 1, len(ids))):
            first, second = order[:-step], order[step:]
            cosine = np.concatenate(
                [
                    np.einsum("ij,ij->i", matrix[first[s : s + 8192]], matrix[second[s : s + 8192]])
                    for s in range(0, len(first), 8192)
                ]
            )
            for k in np.flatnonzero(cosine >= MEANT).tolist():
                i, j = sorted((int(first[k]), int(second[k])))
                found[ids[i], ids[j]] = float(cosine[k])
    return found


MEANT = 0.6
"""Below this cosine two memories have nothing to do with each other, whatever the embedder."""

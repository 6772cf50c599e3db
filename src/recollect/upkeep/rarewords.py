"""Neighbours by rare words in one pass: which of the memories seen before a memory resembles.

A stand-in for the search index when everything is compared: each memory is filed under its rarest words
and under its key, only the newest few of each are looked at, so the cost is the same for every memory.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Sequence

from recollect.model.record import Record
from recollect.text.similarity import content

FILED = 6
"""Under so many words, the rarest so far, a memory is filed."""
KEPT = 40
"""So many memories are kept under a word, the newest."""
SHARED = 0.5
"""The share of the smaller memory's words that both must have to be neighbours."""


class Neighbours:
    """Memories seen so far, by word and by key."""

    def __init__(self, nearest: int) -> None:
        self._nearest = nearest
        self._having: Counter[str] = Counter()
        self._filed: dict[str, deque[str]] = defaultdict(lambda: deque(maxlen=KEPT))
        self._words: dict[str, frozenset[str]] = {}

    def add(self, record: Record) -> Sequence[str]:
        """File a memory, and give the nearest of those filed before it."""
        own = content(f"{record.text} {record.subject or ''} {record.value or ''}")
        rare = sorted(own, key=lambda word: (self._having[word], word))[:FILED]
        names = [f"word {word}" for word in rare]
        if record.key is not None:
            names.append(f"key {record.key} {(record.subject or '').casefold()}")
        met = {id for name in names for id in self._filed[name]}
        shared = [(len(own & self._words[id]), id) for id in met]
        near = [pair for pair in shared if pair[0] >= SHARED * min(len(own), len(self._words[pair[1]]))]
        keyed = set(self._filed[names[-1]]) if record.key is not None else set()
        for name in names:
            self._filed[name].append(record.id)
        self._having.update(own)
        self._words[record.id] = own
        best = [id for _, id in sorted(near, reverse=True)[: self._nearest]]
        return list(dict.fromkeys([*best, *sorted(keyed)]))

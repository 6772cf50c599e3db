"""Systems to measure beside recollect: BM25, plain dense and plain RRF.

A system is anything with `add` and `search`; peers can be measured through the same two calls.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

import numpy as np

from recollect.models.ports import Embedder
from recollect.recall.texts import model_text
from recollect.text.terms import query_terms, terms


@dataclass(frozen=True, slots=True)
class Turn:
    """One thing that was said."""

    id: str
    conversation: str
    number: int
    speaker: str
    at: datetime
    text: str


@dataclass(frozen=True, slots=True)
class Found:
    """One answer of a system, best first in its list."""

    id: str
    score: float


class System(Protocol):
    """What a benchmark asks of a memory: take turns in, and find some of them again."""

    name: str

    def add(self, space: str, turns: Sequence[Turn]) -> None:
        """Remember turns in a space of their own."""
        ...

    def search(self, space: str, query: str, at: datetime, limit: int) -> list[Found]:
        """The best turns of that space for a query asked at some time."""
        ...


class Bm25:
    """Plain BM25 (k1 1.2, b 0.75) over stemmed turns with their speaker; no structure, no model."""

    name = "BM25"

    def __init__(self) -> None:
        self._spaces: dict[str, tuple[list[Turn], list[Counter[str]], dict[str, int], float]] = {}

    def add(self, space: str, turns: Sequence[Turn]) -> None:
        """Count terms."""
        bags = [Counter(terms(f"{turn.speaker} {turn.text}")) for turn in turns]
        having: dict[str, int] = defaultdict(int)
        for bag in bags:
            for term in bag:
                having[term] += 1
        average = sum(bag.total() for bag in bags) / max(len(bags), 1)
        self._spaces[space] = list(turns), bags, having, average

    def search(self, space: str, query: str, at: datetime, limit: int) -> list[Found]:  # noqa: ARG002
        """Score every turn."""
        turns, bags, having, average = self._spaces[space]
        asked = [term for term in query_terms(query) if term in having]
        scored = []
        for turn, bag in zip(turns, bags, strict=True):
            norm = 1.2 * (0.25 + 0.75 * bag.total() / average)
            score = sum(
                math.log1p((len(bags) - having[t] + 0.5) / (having[t] + 0.5))
                * bag[t] * 2.2 / (bag[t] + norm)
                for t in asked
                if t in bag
            )  # fmt: skip
            if score > 0:
                scored.append(Found(turn.id, score))
        return sorted(scored, key=lambda found: -found.score)[:limit]


class Dense:
    """Plain nearest vectors of the bare turns."""

    def __init__(self, embedder: Embedder) -> None:
        self.name = "dense"
        self._embedder = embedder
        self._known: dict[str, np.ndarray] = {}
        self._spaces: dict[str, tuple[list[Turn], np.ndarray]] = {}

    def add(self, space: str, turns: Sequence[Turn]) -> None:
        """Embed turns; a text that was embedded before is not embedded again."""
        texts = [model_text(turn.text) for turn in turns]
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, self._embedder.embed(new), strict=True))
        self._spaces[space] = list(turns), np.stack([self._known[text] for text in texts])

    def search(self, space: str, query: str, at: datetime, limit: int) -> list[Found]:  # noqa: ARG002
        """Compare every turn."""
        turns, rows = self._spaces[space]
        cosine = rows @ self._embedder.embed([query], query=True)[0]
        best = np.argsort(-cosine, kind="stable")[:limit]
        return [Found(turns[i].id, float(cosine[i])) for i in best]


class Rrf:
    """Reciprocal rank fusion (k 60) of two systems' first hundred."""

    name = "RRF"

    def __init__(self, *systems: System) -> None:
        self._systems = systems

    def add(self, space: str, turns: Sequence[Turn]) -> None:
        """Nothing: the two systems are filled by themselves."""

    def search(self, space: str, query: str, at: datetime, limit: int) -> list[Found]:
        """Fuse the two rankings."""
        score: dict[str, float] = defaultdict(float)
        for system in self._systems:
            for place, found in enumerate(system.search(space, query, at, 100)):
                score[found.id] += 1 / (61 + place)
        ranked = sorted(score.items(), key=lambda item: -item[1])[:limit]
        return [Found(name, value) for name, value in ranked]

"""Systems to measure: recollect's own engine, and BM25, plain dense and plain RRF as baselines.

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

from recollect.models.ports import Embedder, Reranker
from recollect.recall.hits import Hit
from recollect.recall.query import parse
from recollect.recall.recipes import Recipe
from recollect.recall.rerank import Reader, read
from recollect.recall.score import rank
from recollect.recall.texts import model_text
from recollect.store.index.ask import Ask
from recollect.store.index.feed import Change
from recollect.store.index.index import Index
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


class MemoryFeed:
    """Changes kept in a list: a feed without a database."""

    def __init__(self) -> None:
        self._changes: list[Change] = []

    def head(self) -> int:
        """How many changes there are."""
        return len(self._changes)

    def changes(self, after: int, limit: int) -> Sequence[Change]:
        """The changes after a number."""
        return self._changes[after : after + limit]

    def append(self, change: Change) -> None:
        """Add a change, numbered next."""
        self._changes.append(change)


class Engine:
    """recollect's ranking over its own index, without a database."""

    def __init__(self, recipe: Recipe, embedder: Embedder, reranker: Reranker | None = None) -> None:
        self.name = f"recollect ({recipe.name})"
        self._recipe, self._embedder, self._reranker = recipe, embedder, reranker
        self._vectors: dict[str, bytes] = {}
        self._indexes: dict[str, Index] = {}
        self._turns: dict[str, list[Turn]] = {}

    def add(self, space: str, turns: Sequence[Turn]) -> None:
        """Index turns with their vectors; a text that was embedded before is not embedded again."""
        feed = MemoryFeed()
        texts = [model_text(turn.text, at=turn.at, speaker=turn.speaker) for turn in turns]
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if new:
            rows = self._embedder.embed(new).astype(np.float16)
            self._vectors.update((text, row.tobytes()) for text, row in zip(new, rows, strict=True))
        for turn, text in zip(turns, texts, strict=True):
            feed.append(_change(feed.head() + 1, space, turn, self._vectors[text]))
        self._indexes[space] = Index(feed, dim=self._embedder.dim)
        self._turns[space] = list(turns)

    def search(self, space: str, query: str, at: datetime, limit: int) -> list[Found]:
        """Ask the index, score, and rerank where there is a reranker."""
        asked = parse(query, now=at)
        vector = self._embedder.embed([query], query=True)[0]
        ask = Ask(
            spaces=(space,),
            terms=asked.terms,
            weights=asked.weights,
            vector=vector,
            spans=asked.spans,
            reach=self._recipe.reach,
        )
        pool, stats = self._indexes[space].search(ask)
        depth = max(limit, self._recipe.depth)
        hits = rank(pool, asked, stats, self._recipe, now=at, limit=depth)
        if self._reranker is not None:
            hits = read(query, hits, self._reader(space), self._reranker, self._recipe)
        return [Found(hit.id, hit.score) for hit in hits[:limit]]

    def _reader(self, space: str) -> Reader:
        """Gives the reranker what it reads: a turn with its speaker, or two turns."""
        turns = self._turns[space]
        at = {turn.id: number for number, turn in enumerate(turns)}

        def text(number: int) -> str:
            return model_text(turns[number].text, speaker=turns[number].speaker)

        def reader(hits: Sequence[Hit], *, in_context: bool) -> list[str]:
            texts = []
            for number in (at[hit.id] for hit in hits):
                first = in_context and turns[number].number > 0
                texts.append(f"{text(number - 1)}\n{text(number)}" if first else text(number))
            return texts

        return reader


def _change(seq: int, space: str, turn: Turn, vector: bytes | None) -> Change:
    return Change(
        seq=seq,
        kind="message",
        id=turn.id,
        space=space,
        text=turn.text,
        conversation=turn.conversation,
        turn=turn.number,
        speaker=turn.speaker,
        at=round(turn.at.timestamp() * 1_000_000),
        vector=vector,
    )


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

"""Reranking: a cross-encoder reads the best hits, and its judgement becomes one more part of them.

It is blended with the other parts, never put in their place: it reads one turn at a time and does
not know who spoke, when, or what was asked a turn before. A neighbour's judgement rubs off a
little, because an answer alone ("Contemporary!") says nothing without its question.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from recollect.recall.hits import Hit
from recollect.recall.recipes import Recipe

if TYPE_CHECKING:
    from recollect.models.ports import Reranker

RUB_OFF = {-1: 0.2, 1: 0.16, -2: 0.1, 2: 0.08}
"""How much of the judgement of the turn before (-1), after (1) and so on an answer takes on."""
_LOWEST, _HIGHEST = -12.0, 10.0
"""Where a cross-encoder's logits lie."""


class Pace:
    """How fast a reranker reads here, measured as it works, in characters a second."""

    OVERHEAD = 150
    LONGEST = 1_200

    def __init__(self, rate: float = 12_000.0, timer: Callable[[], float] = time.perf_counter) -> None:
        self._rate = rate
        self._timer = timer

    @property
    def rate(self) -> float:
        """Characters a second, the latest measurements counting most."""
        return self._rate

    def affordable(self, texts: Sequence[str], budget_ms: float) -> int:
        """How many of the texts, from the first on, can be read in the time."""
        left = self._rate * budget_ms / 1000
        for count, text in enumerate(texts):
            left -= self._cost(text)
            if left < 0:
                return count
        return len(texts)

    def measured(self, reranker: Reranker, query: str, texts: Sequence[str]) -> list[float]:
        """The reranker's scores; the time they took goes into the rate."""
        started = self._timer()
        scores = reranker.score(query, texts)
        seconds = self._timer() - started
        if texts and seconds > 0:
            seen = sum(map(self._cost, texts)) / seconds
            self._rate += 0.3 * (seen - self._rate)
        return scores

    def _cost(self, text: str) -> int:
        return self.OVERHEAD + min(len(text), self.LONGEST)


class Reader(Protocol):
    """Gives the texts of hits, with the turn before each where it is asked for."""

    def __call__(self, hits: Sequence[Hit], *, in_context: bool) -> Sequence[str]:
        """One text a hit."""
        ...


def read(
    query: str,
    hits: Sequence[Hit],
    reader: Reader,
    reranker: Reranker,
    recipe: Recipe,
    *,
    pace: Pace | None = None,
    budget_ms: float = math.inf,
) -> list[Hit]:
    """Have the reranker read the best hits, then the best of those in context, within the time."""
    pace = pace or Pace()
    texts = reader(hits[: recipe.depth], in_context=False)
    count = len(texts) if budget_ms == math.inf else pace.affordable(texts, budget_ms * 0.7)
    judged = dict(
        zip(
            (hit.id for hit in hits[:count]),
            pace.measured(reranker, query, texts[:count]) if count else (),
            strict=True,
        )
    )
    found = rerank(hits, list(judged.values()), recipe)
    again = found[: min(recipe.reread, count)]
    texts = reader(again, in_context=True)
    if budget_ms != math.inf:
        texts = texts[: pace.affordable(texts, budget_ms * 0.3)]
    if texts:
        second = pace.measured(reranker, query, texts)
        for hit, score in zip(again[: len(texts)], second, strict=True):
            judged[hit.id] = _between(judged[hit.id], score)
        found = rerank(hits, list(judged.values()), recipe)
    return found


def rerank(hits: Sequence[Hit], judged: Sequence[float], recipe: Recipe) -> list[Hit]:
    """The hits, the first of which were judged (0 to 1 each), in their new order.

    Hits that were not judged follow in their old order and never score above one that was.
    """
    if not judged:
        return list(hits)
    first, rest = hits[: len(judged)], hits[len(judged) :]
    spread = [_spread(score) for score in judged]
    at = {hit.place: number for number, hit in enumerate(first)}
    fused = []
    for hit, own in zip(first, spread, strict=True):
        around = (
            share * spread[at[hit.place + step]] for step, share in RUB_OFF.items() if hit.place + step in at
        )
        value = round(min(own + sum(around), 1.0), 6)
        score = (hit.score * hit.weight + recipe.rerank * value) / (hit.weight + recipe.rerank)
        fused.append(replace(hit, score=round(score, 6), scores={**hit.scores, "rerank": value}))
    fused.sort(key=lambda hit: -hit.score)
    least = fused[-1].score
    for hit in rest:
        score = hit.score * hit.weight / (hit.weight + recipe.rerank)
        fused.append(replace(hit, score=min(round(score, 6), least)))
    return fused


def _spread(score: float) -> float:
    """A judgement on an even scale: probabilities crowd at 0 and 1, their logits do not."""
    return min(max((_logit(score) - _LOWEST) / (_HIGHEST - _LOWEST), 0.0), 1.0)


def _between(one: float, other: float) -> float:
    """The judgement between two, evenly."""
    return 1 / (1 + math.exp(-(_logit(one) + _logit(other)) / 2))


def _logit(score: float) -> float:
    return math.log(max(score, 1e-9) / max(1 - score, 1e-9))

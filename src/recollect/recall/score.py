"""Scoring: proposed rows become hits, each explained. Pure; the same for every database.

Every part of a score is absolute, 0 to 1, so that scores compare across queries, spaces and
databases and a threshold means something: the keyword part is BM25 as a share of the most a text
could reach, the semantic part is cosine above the embedder's floor.
"""

from __future__ import annotations

from datetime import datetime
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from recollect.recall.decay import access_boost, freshness
from recollect.recall.hits import Hit
from recollect.recall.query import Query
from recollect.recall.recipes import Recipe
from recollect.store.index.feed import KINDS
from recollect.store.index.pool import CONTEXT, DIRECT, LINK, Pool, Stats
from recollect.text.terms import words

DAY = 86_400_000_000
SHORT = 12
"""Of a question of more terms a good text may hold few: it has no threshold."""
MANY = 500
"""From so many texts on it is known which words are rare."""
_PATHS = {DIRECT: "direct", LINK: "link"}
_ROLES = {"user": frozenset({"user", "human"}), "assistant": frozenset({"assistant", "ai", "bot"})}

Floats = NDArray[np.float32]
Lent = tuple[NDArray[np.intp], NDArray[np.intp], Floats]


def rank(pool: Pool, query: Query, stats: Stats, recipe: Recipe, *, now: datetime, limit: int) -> list[Hit]:
    """The best `limit` hits above the recipe's threshold, best first; ties by newest, then id."""
    if not len(pool) or limit < 1:
        return []
    lent = _lent(pool, recipe)
    parts = _parts(pool, query, stats, recipe, lent, now)
    total = _total(parts)
    if not query.wants_history and "superseded" in pool.statuses:
        total[pool.status == pool.statuses.index("superseded")] *= recipe.stale
    able = np.flatnonzero((pool.why != CONTEXT) & (total > _least(recipe, query, stats)))
    short = (1 - pool.lengths / recipe.telling).clip(0) * (pool.kind == KINDS.index("message"))
    brevity = 1 - recipe.brevity * short
    total *= brevity
    best = able[np.argsort(-total[able], kind="stable")[: 4 * limit]]
    best = best[np.lexsort((pool.ids[best], -pool.at[best], -total[best].round(6)))][:limit]
    return _hits(pool, query, best, total, parts, lent, brevity[best].tolist())


def _least(recipe: Recipe, query: Query, stats: Stats) -> float:
    """The threshold, where scores can tell: not of a long question, less before it is known what is rare."""
    if len(query.terms) > SHORT:
        return 0.0
    return max(recipe.threshold, 0.0) * min(1.0, stats.items / MANY)


def _lent(pool: Pool, recipe: Recipe) -> list[Lent]:
    """For every step to a neighbour: the rows that have one, the rows of those, how much they lend."""
    borrow = recipe.lean / (recipe.lean + pool.lengths)
    lent: list[Lent] = []
    for distance in range(1, recipe.reach + 1):
        for sign, share in ((-1, 1.0), (1, recipe.ahead)):
            wanted = pool.place + np.uint64(sign * distance % (1 << 64))
            found = np.searchsorted(pool.place, wanted)
            found[found == len(pool)] = 0
            having = np.flatnonzero(pool.place[found] == wanted)
            if share > 0 and len(having):
                lent.append((having, found[having], share * recipe.fade**distance * borrow[having]))
    return lent


def _keyword(
    pool: Pool,
    query: Query,
    stats: Stats,
    recipe: Recipe,
    lent: list[Lent],
) -> Floats:
    """BM25 over a text and what its neighbours lend it, as a share of the most it could be."""
    having = np.array(stats.having, np.float32)
    rarity = np.log1p((stats.items - having + 0.5) / (having + 0.5)).clip(0)
    worth = rarity * np.array(query.weights, np.float32)
    if not len(worth) or worth.sum() <= 0:
        return np.zeros(len(pool), np.float32)
    relative = pool.lengths / max(stats.average_length, 1.0)
    own = pool.counts / (1 - recipe.length + recipe.length * relative)[:, None]
    both = own.copy()
    for rows, lenders, shares in lent:
        both[rows] += own[lenders] * shares[:, None]
    share: Floats = np.dot(both / (both + recipe.saturation), worth / worth.sum())
    return share


def _parts(
    pool: Pool,
    query: Query,
    stats: Stats,
    recipe: Recipe,
    lent: list[Lent],
    now: datetime,
) -> dict[str, tuple[float, Floats]]:
    """Each part's weight and values; a part the query cannot use is left out."""
    parts: dict[str, tuple[float, Floats]] = {}
    if query.terms:
        parts["keyword"] = recipe.keyword, _keyword(pool, query, stats, recipe, lent)
    if not np.isnan(pool.cosine).all():
        above = (np.nan_to_num(pool.cosine) - recipe.floor) / (1 - recipe.floor)
        parts["semantic"] = recipe.semantic, above.clip(0, 1)
    speaker = _speaker(pool, query)
    if speaker is not None:
        parts["speaker"] = recipe.speaker, speaker
    if query.spans:
        parts["time"] = recipe.time, _time(pool, query)
    moment = round(now.timestamp() * 1_000_000)
    latest = recipe.latest if query.wants_latest else 0.0
    fresh = freshness((moment - pool.at) / DAY, recipe.half_life_days)
    parts["recency"] = max(recipe.recency, latest), fresh.astype(np.float32)
    parts["importance"] = recipe.importance, pool.importance
    if pool.uses is not None:
        parts["access"] = recipe.access, (2 * access_boost(pool.uses)).astype(np.float32)
    return {name: part for name, part in parts.items() if part[0] > 0}


def _total(parts: dict[str, tuple[float, Floats]]) -> Floats:
    """The weighted mean; freshness and importance alone never make a hit."""
    weights = sum(weight for weight, _ in parts.values())
    found = [values > 0 for name, (_, values) in parts.items() if name in _FINDING]
    total = sum((weight * values for weight, values in parts.values()), np.float32(0)) / weights
    alive = np.logical_or.reduce(found) if found else np.zeros_like(total, bool)
    return np.where(alive, total, np.float32(0)).astype(np.float32)


_FINDING = frozenset({"keyword", "semantic", "time"})


def _speaker(pool: Pool, query: Query) -> Floats | None:
    """1 for words of a speaker the query names, or of the role it asks for; None: no preference.

    Items without a speaker (facts, chunks) are not held back.
    """
    named = [not name or not query.names.isdisjoint(words(name)) for name in pool.speakers]
    if not any(match and name for match, name in zip(named, pool.speakers, strict=True)):
        roles = _ROLES.get(query.role or "", frozenset())
        named = [not name or name.lower() in roles for name in pool.speakers]
        if not any(match and name for match, name in zip(named, pool.speakers, strict=True)):
            return None
    return np.array(named, np.float32)[pool.speaker]


def _time(pool: Pool, query: Query) -> Floats:
    """1 inside a span the query names, fading outside by half the span, but at least three days."""
    near = np.zeros(len(pool), np.float32)
    for start, end in query.spans:
        away = np.maximum(np.maximum(start - pool.at, pool.at - end + 1), 0)
        near = np.maximum(near, np.exp(-away / max(3 * DAY, (end - start) / 2)))
    return near.astype(np.float32)


def _hits(
    pool: Pool,
    query: Query,
    best: NDArray[np.intp],
    total: Floats,
    parts: dict[str, tuple[float, Floats]],
    lent: list[Lent],
    brevity: list[float],
) -> list[Hit]:
    """The best rows as values, with their explanations."""
    own = pool.counts[best] > 0
    near = np.zeros(pool.counts.shape, bool)
    for rows, lenders, _ in lent:
        near[rows] |= pool.counts[lenders] > 0
    matched = own | near[best]
    weight = sum(weight for weight, _ in parts.values())
    columns = {name: values[best].tolist() for name, (_, values) in parts.items()}
    factors = [{"brevity": round(factor, 6)} if factor < 1 else {} for factor in brevity]
    return [
        Hit(
            id=name.decode(),
            kind=KINDS[kind],
            score=round(score, 6),
            scores={part: round(values[number], 6) for part, values in columns.items()} | factors[number],
            terms=tuple(compress(query.terms, matched[number])),
            path=_PATHS.get(why, "direct" if own[number].any() else "neighbour"),
            place=place,
            weight=weight,
        )
        for number, (name, kind, score, why, place) in enumerate(
            zip(
                pool.ids[best].tolist(),
                pool.kind[best].tolist(),
                total[best].tolist(),
                pool.why[best].tolist(),
                pool.place[best].tolist(),
                strict=True,
            )
        )
    ]

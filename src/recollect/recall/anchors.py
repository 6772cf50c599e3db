"""Anchors: "before the migration" becomes a stretch of time once the memory knows when that was."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from recollect.recall.query import Anchor, Query
from recollect.recall.recipes import Recipe
from recollect.recall.score import DAY, rank
from recollect.store.scope import Scope

if TYPE_CHECKING:
    from recollect.store.index.ask import Ask
    from recollect.store.index.pool import Pool, Stats

STRETCH = {
    "before": (-60 * DAY, 0),
    "until": (-60 * DAY, 0),
    "after": (1, 60 * DAY),
    "since": (0, 60 * DAY),
    "during": (-3 * DAY, 3 * DAY),
}
"""What each word makes of the moment of an event: from and to, in microseconds beside it."""


def dated(
    scope: Scope, anchor: Anchor, search: "Callable[[Ask], tuple[Pool, Stats]]", ask: "Ask", recipe: Recipe
) -> tuple[tuple[int, int], ...]:
    """The spans of time that an anchor stands for; none where no text tells of the event."""
    at = _moment(scope, anchor, search, ask, recipe)
    if at is None:
        return ()
    start, end = STRETCH[anchor.side]
    return ((at + start, at + end),)


def _moment(
    scope: Scope,
    anchor: Anchor,
    search: "Callable[[Ask], tuple[Pool, Stats]]",
    ask: "Ask",
    recipe: Recipe,
) -> int | None:
    """When the text that tells of the event best, with all its words, was said."""
    weights = tuple(1.0 for _ in anchor.terms)
    pool, stats = search(replace(ask, terms=anchor.terms, weights=weights, vector=None, spans=(), reach=0))
    named = Query(text=" ".join(anchor.terms), terms=anchor.terms, weights=weights, wants_history=True)
    hits = rank(pool, named, stats, replace(recipe, reach=0), now=scope.now(), limit=5)
    told = [hit for hit in hits if set(hit.terms) == set(anchor.terms)]
    if not told:
        return None
    return int(pool.at[pool.ids == told[0].id.encode()][0])

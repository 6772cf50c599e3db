"""PostgreSQL proposes candidates from its own tables: by words, by meaning (pgvector), by time, neighbours.

The pool it gives has the same shape as that of the index used with SQLite, and is scored by the same
function. A space is read exactly. Approximate search would return too few rows under a filter; and words
that row-level security watches over cannot be looked up by GIN, because `@@` is not leakproof, so they are
compared one by one unless the role bypasses it. Both grow with the space, not with the database.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from recollect.store import vectors
from recollect.store.candidates import Candidate, Item, any_of, beside, named
from recollect.store.database import Tx, row
from recollect.store.index.ask import Ask, Filter
from recollect.store.index.feed import Change
from recollect.store.index.pool import CONTEXT, DIRECT, NEIGHBOUR, Pool, Stats, pool_of
from recollect.store.index.vectors import pack
from recollect.store.narrow import Allowed, allowed

WITH_CONTEXT = 60
"""The neighbours of so many of the best by each way come too: they lend their words and may be hits."""


def propose(tx: Tx, ask: Ask, model: str) -> tuple[Pool, Stats]:
    """Candidates of the view for a question, with their context, and the statistics of the view."""
    able = allowed(ask.only)
    ways = _by_words(tx, ask, able), _by_meaning(tx, ask, model, able), _by_time(tx, ask, able)
    found = named(tx, ask, model, dict.fromkeys(item for way in ways for item in way))
    best = dict.fromkeys(item for way in ways for item in way[:WITH_CONTEXT])
    around = beside(tx, ask, model, [found[item] for item in best if item in found])
    candidates = list((around | found).values())
    rows = [c.item for c in candidates]
    why = [_why(c, ask, direct=(c.item.kind, c.item.id) in found) for c in candidates]
    lengths = [c.length for c in candidates]
    return pool_of(rows, ask.terms, _cosines(rows, ask.vector), why, lengths), _stats(tx, ask)


def _why(candidate: Candidate, ask: Ask, *, direct: bool) -> int:
    if ask.only is not None and not _passes(candidate.item, ask.only):
        return CONTEXT
    return DIRECT if direct else (NEIGHBOUR if candidate.away <= ask.reach else CONTEXT)


def _passes(change: Change, only: Filter) -> bool:
    """Whether a change may be a hit; the same rule as the index's."""
    return (
        (only.kinds is None or change.kind in only.kinds)
        and (only.statuses is None or change.status in only.statuses)
        and (only.speakers is None or (change.speaker or "") in only.speakers)
        and (only.since is None or change.at >= only.since)
        and (only.until is None or change.at < only.until)
        and change.importance >= only.min_importance
        and (only.conversation is None or change.conversation == only.conversation)
        and (only.recorded_since is None or change.recorded >= only.recorded_since)
        and (only.recorded_until is None or change.recorded < only.recorded_until)
        and all(group & set(change.facets) for group in only.facets)
    )


def _by_words(tx: Tx, ask: Ask, able: Allowed) -> list[Item]:
    """Texts with any of the terms, those with the most of them first."""
    if not ask.terms:
        return []
    found = tx.rows(
        "SELECT kind, id FROM texts WHERE tenant = :tenant AND space IN :spaces "
        f"AND terms @@ CAST(:query AS tsquery) {able.on('texts')} "
        "ORDER BY ts_rank(terms, CAST(:query AS tsquery)) DESC, id DESC LIMIT :limit",
        spaces=ask.spaces,
        query=any_of(ask.terms),
        limit=ask.by_words,
        **able.params,
    )
    return [(r["kind"], r["id"]) for r in found]


def _by_meaning(tx: Tx, ask: Ask, model: str, able: Allowed) -> list[Item]:
    """Texts with the nearest vectors."""
    if ask.vector is None:
        return []
    found = tx.rows(
        "SELECT kind, id, vector <#> CAST(:query AS halfvec) AS away FROM vectors "
        "WHERE tenant = :tenant AND model = :model AND space IN :spaces "
        f"AND facet = 'full' {able.on('vectors')} ORDER BY away, id DESC LIMIT :limit",
        model=model,
        spaces=ask.spaces,
        query=vectors.literal(ask.vector.astype("<f2").tobytes()),
        limit=ask.by_meaning,
        **able.params,
    )
    return [(r["kind"], r["id"]) for r in found if r["away"] < 0]


def _by_time(tx: Tx, ask: Ask, able: Allowed) -> list[Item]:
    """The newest messages and memories inside the spans that the query names."""
    items: list[Item] = []
    for start, end in ask.spans:
        for kind, table, column in (("message", "messages", "said_at"), ("memory", "memories", "valid_from")):
            found = tx.rows(
                f"SELECT id FROM {table} WHERE tenant = :tenant AND space IN :spaces "
                f"AND {column} >= :start AND {column} < :end {able.on(table)} "
                f"ORDER BY {column} DESC LIMIT :limit",
                spaces=ask.spaces,
                start=start,
                end=end,
                limit=ask.by_time,
                **able.params,
            )
            items += [(kind, r["id"]) for r in found]
    return items


def _cosines(rows: Sequence[Change], vector: Any) -> list[float | None]:
    """Cosines with the query, rounded as the index rounds them, so that both databases rank alike."""
    held = [(i, change.vector) for i, change in enumerate(rows) if change.vector is not None]
    found: list[float | None] = [None] * len(rows)
    if vector is None or not held:
        return found
    packed, scales = pack(np.stack([np.frombuffer(raw, "<f2").astype(np.float32) for _, raw in held]))
    cosines = np.dot(packed.astype(np.float32), vector) * scales
    for (i, _), cosine, scale in zip(held, cosines.tolist(), scales.tolist(), strict=True):
        found[i] = cosine if scale > 0 else None
    return found


def _stats(tx: Tx, ask: Ask) -> Stats:
    """What BM25 must know of the whole view, in one reading of its words."""
    places = range(len(ask.terms))
    having = "".join(
        f", count(*) FILTER (WHERE holds AND terms @@ CAST(:term_{i} AS tsquery)) AS having_{i}"
        for i in places
    )
    counted = row(
        tx,
        f"SELECT count(*) AS items, coalesce(avg(length), 0) AS average{having} FROM (SELECT length, terms, "
        "terms @@ CAST(:query AS tsquery) AS holds FROM texts WHERE tenant = :tenant AND space IN :spaces "
        "OFFSET 0) AS view",
        spaces=ask.spaces,
        query=any_of(ask.terms),
        **{f"term_{i}": f"'{term}'" for i, term in enumerate(ask.terms)},
    )
    assert counted is not None
    held = tuple(int(counted[f"having_{i}"]) for i in places)
    return Stats(int(counted["items"]), float(counted["average"]), held)

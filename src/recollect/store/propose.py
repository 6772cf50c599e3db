"""PostgreSQL proposes candidates with its own indexes: words by GIN, meaning by pgvector, time, neighbours.

The pool it gives has the same shape as that of the index used with SQLite, and is scored by the same
function. A space is scanned exactly: filtered approximate search returns too few rows for small tenants.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from recollect.store import vectors
from recollect.store.changes import changes_of
from recollect.store.database import Tx, row, value
from recollect.store.index.ask import Ask, Filter
from recollect.store.index.feed import Change
from recollect.store.index.pool import CONTEXT, DIRECT, NEIGHBOUR, Pool, Stats, pool_of
from recollect.store.index.vectors import pack
from recollect.store.narrow import Allowed, allowed

Item = tuple[str, str]
WITH_CONTEXT = 60
"""The neighbours of so many of the best by each way come too: they lend their words and may be hits."""


def propose(tx: Tx, ask: Ask, model: str) -> tuple[Pool, Stats]:
    """Candidates of the view for a question, with their context, and the statistics of the view."""
    able = allowed(ask.only)
    by_words, by_meaning = _by_words(tx, ask, able), _by_meaning(tx, ask, model, able)
    by_time = _by_time(tx, ask, able)
    direct = dict.fromkeys([*by_words, *by_meaning, *by_time])
    found = {(c.kind, c.id): c for c in changes_of(tx, model, list(direct))}
    best = {*by_words[:WITH_CONTEXT], *by_meaning[:WITH_CONTEXT], *by_time[:WITH_CONTEXT]}
    beside = _around(tx, [c for item, c in found.items() if item in best], 2 * ask.reach)
    close = [item for item, away in beside.items() if away <= ask.reach and item not in found]
    further = [item for item, away in beside.items() if away > ask.reach and item not in found]
    around = [*changes_of(tx, model, close), *changes_of(tx, None, further)]
    near = {(c.kind, c.id): c for c in around}
    rows, why = [], []
    for item, change in (found | near).items():
        rows.append(change)
        why.append(_why(change, item in found, beside.get(item, 0) <= ask.reach, ask.only))
    return pool_of(rows, ask.terms, _cosines(rows, ask.vector), why), _stats(tx, ask)


def _why(change: Change, direct: bool, close: bool, only: Filter | None) -> int:
    if only is not None and not _passes(change, only):
        return CONTEXT
    return DIRECT if direct else (NEIGHBOUR if close else CONTEXT)


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
        query=" | ".join(f"'{term}'" for term in ask.terms),
        limit=ask.by_words,
        **able.params,
    )
    return [(r["kind"], r["id"]) for r in found]


def _by_meaning(tx: Tx, ask: Ask, model: str, able: Allowed) -> list[Item]:
    """Texts with the nearest vectors."""
    if ask.vector is None:
        return []
    found = tx.rows(
        "SELECT kind, id FROM vectors WHERE tenant = :tenant AND model = :model AND space IN :spaces "
        f"AND facet = 'full' AND vector <#> CAST(:query AS halfvec) < 0 {able.on('vectors')} "
        "ORDER BY vector <#> CAST(:query AS halfvec), id DESC LIMIT :limit",
        model=model,
        spaces=ask.spaces,
        query=vectors.literal(ask.vector.astype("<f2").tobytes()),
        limit=ask.by_meaning,
        **able.params,
    )
    return [(r["kind"], r["id"]) for r in found]


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


def _around(tx: Tx, found: Sequence[Change], reach: int) -> dict[Item, int]:
    """Messages beside the found ones, each with how far it is from the nearest."""
    spoken = [c for c in found if c.kind == "message" and c.conversation and c.turn is not None]
    if not spoken or not reach:
        return {}
    wanted: dict[tuple[str, int], int] = {}
    for change in spoken:
        assert change.conversation is not None
        assert change.turn is not None
        for step in range(-reach, reach + 1):
            at = (change.conversation, change.turn + step)
            wanted[at] = min(abs(step), wanted.get(at, reach))
    rows = tx.rows(
        "SELECT m.id, m.conversation, m.turn FROM messages AS m JOIN "
        "unnest(CAST(:conversations AS uuid[]), CAST(:turns AS bigint[])) AS w (conversation, turn) "
        "ON m.conversation = w.conversation AND m.turn = w.turn WHERE m.tenant = :tenant",
        conversations=[conversation for conversation, _ in wanted],
        turns=[turn for _, turn in wanted],
    )
    return {("message", r["id"]): wanted[r["conversation"], r["turn"]] for r in rows}


def _cosines(rows: Sequence[Change], vector: Any) -> list[float | None]:
    """Cosines with the query, rounded as the index rounds them, so that both databases rank alike."""
    held = [(i, change.vector) for i, change in enumerate(rows) if change.vector is not None]
    found: list[float | None] = [None] * len(rows)
    if vector is None or not held:
        return found
    packed, scales = pack(np.stack([np.frombuffer(raw, "<f2").astype(np.float32) for _, raw in held]))
    cosines = packed.astype(np.float32) @ vector * scales
    for (i, _), cosine, scale in zip(held, cosines.tolist(), scales.tolist(), strict=True):
        found[i] = cosine if scale > 0 else None
    return found


def _stats(tx: Tx, ask: Ask) -> Stats:
    """What BM25 must know of the whole view."""
    counted = row(
        tx,
        "SELECT count(*) AS items, coalesce(avg(length), 0) AS average FROM texts "
        "WHERE tenant = :tenant AND space IN :spaces",
        spaces=ask.spaces,
    )
    assert counted is not None
    having = (
        value(
            tx,
            "SELECT count(*) AS value FROM texts WHERE tenant = :tenant AND space IN :spaces "
            "AND terms @@ CAST(:query AS tsquery)",
            spaces=ask.spaces,
            query=f"'{term}'",
        )
        for term in ask.terms
    )
    return Stats(int(counted["items"]), float(counted["average"]), tuple(map(int, having)))

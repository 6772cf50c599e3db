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
WIDEN = 4
"""So many times as many candidates are proposed: some are not believed any more, or rank lower here."""


def propose(tx: Tx, ask: Ask, model: str) -> tuple[Pool, Stats]:
    """Candidates of the view for a question, with their context, and the statistics of the view."""
    able = allowed(ask.only)
    direct = dict.fromkeys(
        [*_by_words(tx, ask, able), *_by_meaning(tx, ask, model, able), *_by_time(tx, ask, able)]
    )
    found = {(c.kind, c.id): c for c in changes_of(tx, model, list(direct))}
    beside = _around(tx, list(found.values()), 2 * ask.reach)
    near = {(c.kind, c.id): c for c in changes_of(tx, model, [b for b in beside if b not in found])}
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
        f"AND terms @@ CAST(:query AS tsquery) {able.sql} "
        "ORDER BY ts_rank(terms, CAST(:query AS tsquery)) DESC, id DESC LIMIT :limit",
        spaces=ask.spaces,
        query=" | ".join(f"'{term}'" for term in ask.terms),
        limit=ask.by_words * WIDEN,
        **able.params,
    )
    return [(r["kind"], r["id"]) for r in found]


def _by_meaning(tx: Tx, ask: Ask, model: str, able: Allowed) -> list[Item]:
    """Texts with the nearest vectors."""
    if ask.vector is None:
        return []
    found = tx.rows(
        "SELECT kind, id FROM vectors WHERE tenant = :tenant AND model = :model AND space IN :spaces "
        f"AND facet = 'full' AND vector <#> CAST(:query AS halfvec) < 0 {able.sql} "
        "ORDER BY vector <#> CAST(:query AS halfvec), id DESC LIMIT :limit",
        model=model,
        spaces=ask.spaces,
        query=vectors.literal(ask.vector.astype("<f2").tobytes()),
        limit=ask.by_meaning * WIDEN,
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
                f"AND {column} >= :start AND {column} < :end {able.sql} ORDER BY {column} DESC LIMIT :limit",
                spaces=ask.spaces,
                start=start,
                end=end,
                limit=ask.by_time * WIDEN,
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
    rows: list[Any] = []
    for conversation in {c.conversation for c in spoken}:
        turns = [turn for home, turn in wanted if home == conversation]
        rows += tx.rows(
            "SELECT id, conversation, turn FROM messages WHERE tenant = :tenant "
            "AND conversation = :conversation AND turn IN :turns",
            conversation=conversation,
            turns=turns,
        )
    return {("message", r["id"]): wanted[r["conversation"], r["turn"]] for r in rows}


def _cosines(rows: Sequence[Change], vector: Any) -> list[float | None]:
    """Cosines with the query, rounded as the index rounds them, so that both databases rank alike."""
    found: list[float | None] = []
    for change in rows:
        if vector is None or change.vector is None:
            found.append(None)
            continue
        packed, scale = pack(np.frombuffer(change.vector, "<f2").astype(np.float32)[None, :])
        found.append(float((packed.astype(np.float32) @ vector * scale)[0]) if scale[0] > 0 else None)
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

"""What scoring must know of PostgreSQL's candidates, read in few trips and no more than is needed.

The text of a candidate comes only where it holds a word of the query: of the others the number of their
words is enough, and a neighbour that merely lends its words needs no vector.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from recollect.store.changes import labels
from recollect.store.database import Row, Tx
from recollect.store.index.ask import Ask
from recollect.store.index.feed import Change
from recollect.store.memories import joined
from recollect.store.vectors import received

Item = tuple[str, str]

# Each row's words and vector are looked up one by one, whatever the planner knows of the tables: just after
# a bulk load it knows nothing, and would read a table as often as there are candidates.
_SHARED = "i.id, i.space, i.trust, i.recorded_at AS recorded, t.length"
_VECTOR = (
    "(SELECT halfvec_send(v.vector) FROM (SELECT model, facet, vector FROM vectors WHERE tenant = :tenant "
    "AND id = i.id OFFSET 0) AS v WHERE v.model = :model AND v.facet = 'full')"
)
_WORDS = (
    "CROSS JOIN LATERAL (SELECT length, terms FROM texts WHERE tenant = :tenant AND id = i.id OFFSET 0) AS t"
)
_HOLDING = "CASE WHEN t.terms @@ CAST(:query AS tsquery) THEN i.body END AS body"
_MESSAGE = (
    f"{_SHARED}, {_HOLDING}, i.conversation, i.turn, coalesce(i.speaker, i.role) AS speaker, i.said_at AS at"
)
_CHUNK = f"{_SHARED}, i.body, i.recorded_at AS at"
_MEMORY = (
    f"{_SHARED}, {_HOLDING}, i.subject, i.key, i.value, i.tags, i.kind, i.category, i.importance, i.status, "
    "i.valid_from AS at"
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """An item as it is now, how many words it has, and how many turns it stands from one that was found.

    Its text is empty where it holds none of the query's words.
    """

    item: Change
    length: int
    away: int = 0


def named(tx: Tx, ask: Ask, model: str, items: Iterable[Item]) -> dict[Item, Candidate]:
    """Candidates by kind and id, in the order given; those that are gone are left out."""
    asked = list(items)
    wanted = {kind: [id for k, id in asked if k == kind] for kind in _READERS}
    found: dict[Item, Candidate] = {}
    for kind, (select, read) in _READERS.items():
        if wanted[kind]:
            given = {"ids": wanted[kind], "spaces": ask.spaces, "model": model, "query": any_of(ask.terms)}
            rows = tx.rows(select, **given)
            found.update({(kind, r["id"]): read(r) for r in rows})
    return {item: found[item] for item in asked if item in found}


def beside(tx: Tx, ask: Ask, model: str, found: Sequence[Candidate]) -> dict[Item, Candidate]:
    """The messages around some, those within twice the reach that are not among them."""
    reach = 2 * ask.reach
    spoken = [(c.item.conversation, c.item.turn) for c in found if c.item.kind == "message"]
    wanted: dict[tuple[str, int], int] = {}
    for conversation, turn in spoken:
        assert conversation is not None
        assert turn is not None
        for step in range(-reach, reach + 1):
            at = (conversation, turn + step)
            wanted[at] = min(abs(step), wanted.get(at, reach))
    strange = {at: away for at, away in wanted.items() if away}
    if not strange:
        return {}
    rows = tx.rows(
        f"SELECT w.away, {_MESSAGE}, CASE WHEN w.away <= :reach THEN {_VECTOR} END AS vector "
        "FROM unnest(CAST(:conversations AS uuid[]), CAST(:turns AS bigint[]), CAST(:aways AS bigint[])) "
        "AS w (conversation, turn, away) CROSS JOIN LATERAL (SELECT * FROM messages WHERE tenant = :tenant "
        f"AND conversation = w.conversation AND turn = w.turn OFFSET 0) AS i {_WORDS}",
        conversations=[conversation for conversation, _ in strange],
        turns=[turn for _, turn in strange],
        aways=list(strange.values()),
        reach=ask.reach,
        model=model,
        query=any_of(ask.terms),
    )
    return {("message", r["id"]): _message(r, r["away"]) for r in rows}


def any_of(terms: Sequence[str]) -> str | None:
    """A query for texts with any of the terms."""
    return " | ".join(f"'{term}'" for term in terms) or None


def _message(r: Row, away: int = 0) -> Candidate:
    more = {"conversation": r["conversation"], "turn": r["turn"], "speaker": r["speaker"]}
    return _made(r, "message", r["body"], away, facets=labels(r["trust"]), **more)


def _chunk(r: Row) -> Candidate:
    return _made(r, "chunk", r["body"], facets=labels(r["trust"]))


def _memory(r: Row) -> Candidate:
    tags = tuple(json.loads(r["tags"]))
    text = r["body"] and joined(r["body"], r["subject"], r["key"], r["value"], *tags)
    facets = labels(r["trust"], r["kind"], r["category"], tags)
    return _made(r, "memory", text, importance=r["importance"], status=r["status"], facets=facets)


def _made(r: Row, kind: str, text: str | None, away: int = 0, **more: Any) -> Candidate:
    sent = r["vector"]
    change = Change(
        seq=0,
        kind=kind,
        id=r["id"],
        space=r["space"],
        text=text or "",
        at=r["at"],
        recorded=r["recorded"],
        vector=None if sent is None else received(sent),
        **more,
    )
    return Candidate(change, r["length"], away)


def _select(columns: str, table: str) -> str:
    return (
        f"SELECT {columns}, {_VECTOR} AS vector FROM {table} AS i {_WORDS} "
        "WHERE i.tenant = :tenant AND i.space IN :spaces AND i.id IN :ids"
    )


_READERS: dict[str, tuple[str, Callable[[Row], Candidate]]] = {
    "message": (_select(_MESSAGE, "messages"), _message),
    "chunk": (_select(_CHUNK, "chunks"), _chunk),
    "memory": (_select(_MEMORY, "memories"), _memory),
}

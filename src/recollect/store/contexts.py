"""Queries for contexts: what is always loaded, what was shown, and what stands beside a message."""

import json
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import combinations
from typing import Any, NamedTuple

from recollect.model.context import Shown, ShownItem
from recollect.model.conversation import Message
from recollect.model.filter import Filter
from recollect.model.ids import micros, moment
from recollect.model.record import Kind, Record
from recollect.store import codec, memories
from recollect.store.conditions import conditions
from recollect.store.database import Row, Tx, batches, row

KEPT_FOR = timedelta(days=30)
PAGE, LAST_ID = 50, "ffffffff-ffff-ffff-ffff-ffffffffffff"
MAX_STANDING = 200
STANDING_IMPORTANCE = 0.7
_STANDING = (
    ("kind IN ('instruction', 'identity') AND trust IN ('user', 'assistant')"),
    (f"kind = 'preference' AND trust IN ('user', 'assistant') AND importance >= {STANDING_IMPORTANCE}"),
    ("pinned = 1 AND trust IN ('user', 'assistant')"),
)


def standing(tx: Tx, spaces: Sequence[str]) -> list[Record]:
    """Instructions, identity, strong preferences and what is pinned: said by those we listen to."""
    return _chosen(tx, spaces, _STANDING, {})


def errors_since(tx: Tx, spaces: Sequence[str], since: datetime) -> list[Record]:
    """Errors that happened since a time."""
    return _chosen(tx, spaces, ("kind = 'error' AND valid_from >= :since",), {"since": micros(since)})


def newest(tx: Tx, spaces: Sequence[str], kinds: Sequence[Kind], limit: int) -> list[Record]:
    """The newest active memories of the view, or those of some kinds."""
    chosen = [str(r["id"]) for r in _newest(tx, "id", spaces, kinds, limit)]
    return list(memories.by_id(tx, chosen, spaces).values())


class Named(NamedTuple):
    """A memory as the index of a context needs it: what it may be called, and the text to name it from."""

    id: str
    kind: str
    importance: float
    valid_from: datetime
    names: tuple[str, ...]
    text: str


def named(tx: Tx, spaces: Sequence[str], kinds: Sequence[Kind], limit: int, chars: int) -> list[Named]:
    """The same by their names, with the beginning of their texts; no more of them is read."""
    columns = (
        f"id, kind, importance, valid_from, tags, category, key, tag, substr(body, 1, {chars:d}) AS body"
    )
    return [
        Named(str(r["id"]), r["kind"], r["importance"], moment(r["valid_from"]), codec.names(r), r["body"])
        for r in _newest(tx, columns, spaces, kinds, limit)
    ]


def _newest(tx: Tx, columns: str, spaces: Sequence[str], kinds: Sequence[Kind], limit: int) -> list[Row]:
    found: list[Row] = []
    for space in spaces:
        for kind in kinds or (None,):
            only = "" if kind is None else "AND kind = :kind "
            found += tx.rows(
                f"SELECT {columns} FROM memories WHERE tenant = :tenant AND space = :space "
                f"AND status = 'active' {only}AND retired_at IS NULL ORDER BY id DESC LIMIT :limit",
                space=space,
                limit=limit,
                **({} if kind is None else {"kind": kind}),
            )
    return sorted(found, key=lambda r: str(r["id"]), reverse=True)[:limit]


def keyed(tx: Tx, spaces: Sequence[str], wanted: Filter, limit: int) -> list[Record]:
    """The most important active memories with key and value that fit a filter; of equals the newest first."""
    where, params = conditions(tx, wanted, None)
    # SQLite does not know how few have a key
    by_key = "INDEXED BY memories_by_key" if tx.dialect == "sqlite" else ""
    found = tx.rows(
        f"SELECT id FROM memories {by_key} WHERE tenant = :tenant AND space IN :spaces AND key IS NOT NULL "
        f"AND value IS NOT NULL AND {' AND '.join(where)} ORDER BY importance DESC, id DESC LIMIT :limit",
        spaces=spaces,
        limit=limit,
        **params,
    )
    return list(memories.by_id(tx, [str(r["id"]) for r in found], spaces).values())


def about_file(tx: Tx, spaces: Sequence[str], ref: str) -> list[Record]:
    """Active memories that name a file as their artifact."""
    found = tx.rows(
        "SELECT memory FROM artifacts WHERE tenant = :tenant AND type = 'file' AND ref = :ref "
        "ORDER BY memory DESC LIMIT 50",
        ref=ref,
    )
    records = memories.by_id(tx, [str(r["memory"]) for r in found], spaces)
    return [record for _, record in sorted(records.items()) if record.status == "active"]


def _chosen(tx: Tx, spaces: Sequence[str], wheres: Sequence[str], params: dict[str, Any]) -> list[Record]:
    ids: dict[str, None] = {}
    for where in wheres:
        found = tx.rows(
            "SELECT id FROM memories WHERE tenant = :tenant AND space IN :spaces AND status = 'active' "
            f"AND retired_at IS NULL AND {where}",
            spaces=spaces,
            **params,
        )
        newest = sorted(
            (str(r["id"]) for r in found), reverse=True
        )  # sorting there would mislead the planner
        ids.update(dict.fromkeys(newest[:MAX_STANDING]))
    return sorted(memories.bare_by_id(tx, list(ids)), key=lambda record: record.id)


def turns(tx: Tx, places: Sequence[tuple[str, int]], spaces: Sequence[str]) -> dict[tuple[str, int], Message]:
    """The messages at some places (conversation and turn), those that the view holds."""
    found: dict[tuple[str, int], Message] = {}
    for some in batches(places, 100):
        pairs = " OR ".join(f"(conversation = :c{i} AND turn = :t{i})" for i in range(len(some)))
        named = {f"c{i}": c for i, (c, _) in enumerate(some)} | {f"t{i}": t for i, (_, t) in enumerate(some)}
        for r in tx.rows(
            f"SELECT * FROM messages WHERE tenant = :tenant AND space IN :spaces AND ({pairs})",
            spaces=spaces,
            **named,
        ):
            message = codec.message(r)
            found[message.conversation, message.turn] = message
    return found


def last_messages(tx: Tx, conversation: str, spaces: Sequence[str], limit: int) -> list[Message]:
    """The newest messages of a conversation, in the order they were said."""
    found = tx.rows(
        "SELECT * FROM messages WHERE tenant = :tenant AND conversation = :conversation "
        "AND space IN :spaces ORDER BY turn DESC LIMIT :limit",
        conversation=conversation,
        spaces=spaces,
        limit=limit,
    )
    return [codec.message(r) for r in reversed(found)]


def keep(tx: Tx, shown: Sequence[Shown]) -> None:
    """Remember contexts that were given out, once however often it is tried; a month later they go."""
    tx.run_many(
        "INSERT INTO contexts (tenant, id, space, made_at, asked, items) VALUES (?, ?, ?, ?, ?, ?) "
        "ON CONFLICT DO NOTHING",
        [(tx.tenant, s.id, s.space, micros(s.made_at), json.dumps(s.asked), _packed(s.items)) for s in shown],
    )
    if shown:
        cut = micros(max(s.made_at for s in shown) - KEPT_FOR)
        tx.run("DELETE FROM contexts WHERE tenant = :tenant AND made_at < :cut", cut=cut)


def get(tx: Tx, id: str, spaces: Sequence[str]) -> Shown | None:
    """One remembered context of the view."""
    found = row(
        tx,
        "SELECT * FROM contexts WHERE tenant = :tenant AND id = :id AND space IN :spaces",
        id=id,
        spaces=spaces,
    )
    return None if found is None else _shown(found)


def latest_with(tx: Tx, ref: str, spaces: Sequence[str]) -> Shown | None:
    """The newest context of the view that used a ref."""
    found = _newest_first(tx, spaces)
    return next((shown for shown in found if any(item.ref == ref for item in shown.items)), None)


def showing(tx: Tx, items: Collection[str]) -> list[str]:
    """The contexts that showed any of these."""
    wanted = frozenset(items)
    if not wanted:
        return []
    return [s.id for s in _newest_first(tx) if any(item.id in wanted for item in s.items)]


def shown_together(tx: Tx, space: str) -> dict[tuple[str, str], int]:
    """How often two cited memories of a space were shown in the same context, counted where it was twice."""
    cited = {
        str(r["memory"]) for r in tx.rows("SELECT memory FROM usage WHERE tenant = :tenant AND cited > 0")
    }
    pairs: Counter[tuple[str, str]] = Counter()
    for shown in _newest_first(tx, [space]) if cited else ():
        known = sorted({item.id for item in shown.items if not item.standing and item.id in cited})
        pairs.update(combinations(known, 2))
    return {pair: count for pair, count in pairs.items() if count > 1}


def _newest_first(tx: Tx, spaces: Sequence[str] | None = None) -> Iterator[Shown]:
    """The contexts of a tenant, or those of some spaces, a page at a time."""
    before = LAST_ID
    where = "" if spaces is None else "AND space IN :spaces "
    while page := tx.rows(
        f"SELECT * FROM contexts WHERE tenant = :tenant AND id < :before {where}ORDER BY id DESC LIMIT :page",
        before=before,
        page=PAGE,
        **({} if spaces is None else {"spaces": spaces}),
    ):
        yield from map(_shown, page)
        before = str(page[-1]["id"])


def _packed(items: Sequence[ShownItem]) -> str:
    return json.dumps([(i.ref, i.id, i.kind, int(i.standing)) for i in items], separators=(",", ":"))


def _shown(r: Row) -> Shown:
    items = json.loads(r["items"])
    return Shown(
        id=str(r["id"]),
        space=r["space"],
        made_at=moment(r["made_at"]),
        asked=tuple(json.loads(r["asked"])),
        items=tuple([ShownItem(ref, id, kind, bool(standing)) for ref, id, kind, standing in items]),
    )

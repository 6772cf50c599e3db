"""The change feed of one tenant, as the search index follows it: texts with the vectors of one model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from recollect.model.ids import micros
from recollect.model.record import Record
from recollect.store import chunks, conversations, feed, memories, vectors
from recollect.store.database import Database, Tx
from recollect.store.index.feed import KINDS, Change


@dataclass(frozen=True, slots=True)
class TenantFeed:
    """What was committed, in order; a text counts as changed again when it gets its vector."""

    database: Database
    tenant: str
    model: str

    def head(self) -> int:
        """The newest change number."""
        return self.database.read(self.tenant, feed.head)

    def changes(self, after: int, limit: int) -> Sequence[Change]:
        """Changes with a greater number, in order, each with the item as it is now."""
        return self.database.read(self.tenant, lambda tx: _changes(tx, self.model, after, limit))


Event = tuple[int, str, str]
"""A change number, and the kind and id of the item that changed."""


def _changes(tx: Tx, model: str, after: int, limit: int) -> list[Change]:
    """As many changes as asked for, or all there are."""
    kept: list[Event] = []
    while len(kept) < limit:
        page = _events(tx, model, after, limit)
        kept += _newest(tx, model, page)
        if len(page) < limit:
            break
        after = page[-1][0]
    kept = kept[:limit]
    made = {(kind, id): _maker({}, kind=kind, id=id, space="", erased=True) for _, kind, id in kept}
    made.update(_items(tx, model, kept))
    return [made[kind, id](seq) for seq, kind, id in kept]


def _events(tx: Tx, model: str, after: int, limit: int) -> list[Event]:
    """What was written, embedded by a model or erased after a number, in order."""
    events: list[Event] = []
    for kind, table in (("message", "messages"), ("chunk", "chunks"), ("memory", "memories")):
        written = _after(tx, f"SELECT seq, id FROM {table}", after, limit)
        events += [(r["seq"], kind, r["id"]) for r in written]
    made = tx.rows(
        "SELECT seq, kind, id FROM vectors WHERE tenant = :tenant AND model = :model AND seq > :after "
        "ORDER BY seq LIMIT :limit",
        model=model,
        after=after,
        limit=limit,
    )
    for r in (*made, *_after(tx, "SELECT seq, kind, id FROM erasures", after, limit)):
        events.append((r["seq"], r["kind"], r["id"]))
    return sorted(events)[:limit]


def _newest(tx: Tx, model: str, events: Sequence[Event]) -> list[Event]:
    """Without the events of items that come again when they get their vector."""
    later = vectors.numbers(tx, model, [id for _, _, id in events])
    return [event for event in events if later.get(event[2], 0) <= event[0]]


def _after(tx: Tx, select: str, after: int, limit: int) -> list[Any]:
    sql = f"{select} WHERE tenant = :tenant AND seq > :after ORDER BY seq LIMIT :limit"
    return tx.rows(sql, after=after, limit=limit)


def _items(tx: Tx, model: str, events: Sequence[Event]) -> dict[tuple[str, str], Any]:
    """Makers of changes for the items that are still there, by kind and id."""
    wanted = {kind: list({id for _, k, id in events if k == kind}) for kind in KINDS}
    held = vectors.of(tx, model, [id for ids in wanted.values() for id in ids])
    made: dict[tuple[str, str], Any] = {}
    for message in conversations.by_id(tx, wanted["message"]):
        made["message", message.id] = _maker(
            held,
            kind="message",
            id=message.id,
            space=message.space,
            text=message.text,
            conversation=message.conversation,
            turn=message.turn,
            speaker=message.speaker or str(message.role),
            at=micros(message.said_at),
            recorded=micros(message.recorded_at),
            facets=labels(message.trust),
        )
    for chunk in chunks.by_id(tx, wanted["chunk"]).values():
        made["chunk", chunk.id] = _maker(
            held,
            kind="chunk",
            id=chunk.id,
            space=chunk.space,
            text=chunk.summary,
            at=micros(chunk.recorded_at),
            recorded=micros(chunk.recorded_at),
            facets=labels(chunk.trust),
        )
    for record in memories.bare_by_id(tx, wanted["memory"]):
        made["memory", record.id] = _maker(
            held,
            kind="memory",
            id=record.id,
            space=record.space,
            text=memories.words_of(record),
            at=micros(record.valid_from),
            recorded=micros(record.recorded_at),
            importance=record.importance,
            status=str(record.status),
            facets=facets(record),
        )
    return made


def facets(record: Record) -> tuple[str, ...]:
    """The exact labels a memory can be filtered by."""
    return labels(record.trust, record.kind, record.category, record.tags)


def labels(
    trust: str, kind: str = "", category: str | None = "", tags: Sequence[str] = ()
) -> tuple[str, ...]:
    """The labels of an item by what it has."""
    named = (("trust", trust), ("kind", kind), ("category", category), *(("tag", tag) for tag in tags))
    return tuple(f"{name}:{given}" for name, given in named if given)


def _maker(held: dict[str, bytes], **fields: Any) -> Any:
    vector = held.get(fields["id"])
    return lambda seq: Change(seq=seq, vector=vector, **fields)

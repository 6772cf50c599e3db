"""Everything in some spaces, in the order an import needs it: parents before children."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from recollect.model.space import Space
from recollect.store import codec, contradictions, decisions, links, memories
from recollect.store.database import Row, Tx

PAGE = 2_000


def everything(tx: Tx, spaces: Sequence[Space]) -> Iterator[tuple[str, Any]]:
    """(type, value) of all that is stored in the spaces, each in a stable order."""
    for space in spaces:
        yield "space", space
    paths = [space.path for space in spaces]
    if not paths:
        return
    yield from _all(tx, "conversation", "conversations", "id", paths, codec.conversation)
    yield from _all(tx, "message", "messages", "seq", paths, codec.message)
    yield from _all(tx, "chunk", "chunks", "seq", paths, codec.chunk)
    for record in memories.every(tx, "memories", paths):
        yield "memory", record
    for record in memories.every(tx, "memory_versions", paths):
        yield "version", record
    for link in links.inside(tx, paths):
        yield "link", link
    for contradiction in contradictions.listed(tx, paths, only_open=False):
        yield "contradiction", contradiction
    for decision in decisions.in_spaces(tx, paths):
        yield "decision", decision


def _all(
    tx: Tx, name: str, table: str, order: str, paths: Sequence[str], made: Callable[[Row], Any]
) -> Iterator[tuple[str, Any]]:
    last: Any = 0 if order == "seq" else "00000000-0000-0000-0000-000000000000"
    while rows := tx.rows(
        f"SELECT * FROM {table} WHERE tenant = :tenant AND space IN :paths AND {order} > :last "
        f"ORDER BY {order} LIMIT {PAGE}",
        paths=paths,
        last=last,
    ):
        for row in rows:
            yield name, made(row)
        last = rows[-1][order]

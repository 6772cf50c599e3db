"""Queries on chunks."""

import json
from collections.abc import Sequence
from itertools import groupby

from recollect.model.conversation import Chunk
from recollect.model.ids import micros
from recollect.store import codec, texts
from recollect.store.database import Tx, batches, row, sequence


def insert(tx: Tx, chunks: Sequence[Chunk]) -> None:
    """Store new chunks with their terms."""
    if not chunks:
        return
    seq = sequence(tx, len(chunks))
    tx.run_many(
        "INSERT INTO chunks (tenant, id, space, conversation, level, first_turn, last_turn, body, topics, "
        "tokens, trust, parent, made_by, recorded_at, digest, seq) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                tx.tenant, c.id, c.space, c.conversation, c.level, c.first_turn, c.last_turn, c.summary,
                json.dumps(c.topics, ensure_ascii=False), c.tokens, c.trust, c.parent, c.made_by,
                micros(c.recorded_at), codec.chunk_digest(c), seq + i,
            )
            for i, c in enumerate(chunks)
        ],
    )  # fmt: skip
    for space, group in groupby(chunks, key=lambda c: c.space):
        texts.add(tx, "chunk", space, [(c.id, " ".join((c.summary, *c.topics))) for c in group])


def by_id(tx: Tx, ids: Sequence[str]) -> dict[str, Chunk]:
    """Those of the chunks that exist, by id and in the order given."""
    found: dict[str, Chunk] = {}
    for some in batches(ids):
        for r in tx.rows("SELECT * FROM chunks WHERE tenant = :tenant AND id IN :ids", ids=some):
            found[r["id"]] = codec.chunk(r)
    return {id: found[id] for id in ids if id in found}


def next_after(tx: Tx, conversation: str, turn: int) -> Chunk | None:
    """The first of the smallest chunks that begins after a turn."""
    found = row(
        tx,
        "SELECT * FROM chunks WHERE tenant = :tenant AND conversation = :conversation AND level = 0 "
        "AND first_turn > :turn ORDER BY first_turn LIMIT 1",
        conversation=conversation,
        turn=turn,
    )
    return None if found is None else codec.chunk(found)


def made_by(tx: Tx, conversation: str, maker: str) -> Chunk | None:
    """The oldest of the smallest chunks of a conversation that were made so."""
    found = row(
        tx,
        "SELECT * FROM chunks WHERE tenant = :tenant AND conversation = :conversation "
        "AND made_by = :maker ORDER BY level, first_turn LIMIT 1",
        conversation=conversation,
        maker=maker,
    )
    return None if found is None else codec.chunk(found)


def under(tx: Tx, parent: str) -> list[Chunk]:
    """The parts of a bigger chunk, in order."""
    found = tx.rows(
        "SELECT * FROM chunks WHERE tenant = :tenant AND parent = :parent ORDER BY first_turn", parent=parent
    )
    return [codec.chunk(r) for r in found]


def rewrite(tx: Tx, better: Chunk) -> None:
    """Tell a chunk anew, with its words; its vector is made again. Nothing if it was erased meanwhile."""
    touched = tx.run(
        "UPDATE chunks SET body = :body, topics = :topics, tokens = :tokens, made_by = :maker, "
        "digest = :digest, seq = :seq WHERE tenant = :tenant AND id = :id",
        id=better.id,
        body=better.summary,
        topics=json.dumps(better.topics, ensure_ascii=False),
        tokens=better.tokens,
        maker=better.made_by,
        digest=codec.chunk_digest(better),
        seq=sequence(tx, 1),
    )
    if touched:
        texts.remove(tx, [better.id])
        texts.add(tx, "chunk", better.space, [(better.id, " ".join((better.summary, *better.topics)))])
        tx.run("DELETE FROM vectors WHERE tenant = :tenant AND id = :id", id=better.id)


def put_under(tx: Tx, parent: str, children: Sequence[str]) -> None:
    """Make chunks part of a bigger one."""
    tx.run(
        "UPDATE chunks SET parent = :parent WHERE tenant = :tenant AND id IN :children",
        parent=parent,
        children=children,
    )


def of_conversation(tx: Tx, conversation: str, spaces: Sequence[str]) -> list[Chunk]:
    """The chunks of a conversation that are not part of a bigger one, in order."""
    found = tx.rows(
        "SELECT * FROM chunks WHERE tenant = :tenant AND conversation = :conversation "
        "AND space IN :spaces AND parent IS NULL ORDER BY first_turn",
        conversation=conversation,
        spaces=spaces,
    )
    return [codec.chunk(r) for r in found]

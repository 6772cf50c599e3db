"""Vectors beside the rows: half floats, each with the model that made it and its dimension."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from recollect.store.database import Tx, batches, sequence


@dataclass(frozen=True, slots=True)
class Vector:
    """One vector of one text, as little-endian half floats."""

    id: str
    kind: str
    space: str
    data: bytes
    facet: str = "full"


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many vectors an embedder has made in this tenant."""

    model: str
    dim: int
    count: int


def put(tx: Tx, model: str, dim: int, vectors: Sequence[Vector]) -> None:
    """Store the vectors of some texts, in place of all older ones of theirs by the same model."""
    if not vectors:
        return
    for some in batches([v.id for v in vectors]):
        tx.run(
            "DELETE FROM vectors WHERE tenant = :tenant AND model = :model AND id IN :ids",
            model=model,
            ids=some,
        )
    seq = sequence(tx, len(vectors))
    postgres = tx.dialect == "postgres"
    place = "CAST(? AS halfvec)" if postgres else "?"
    tx.run_many(
        "INSERT INTO vectors (tenant, model, id, facet, kind, space, dim, vector, seq) "
        f"VALUES (?, ?, ?, ?, ?, ?, ?, {place}, ?)",
        [
            (tx.tenant, model, v.id, v.facet, v.kind, v.space, dim, literal(v.data) if postgres else v.data,
             seq + i)
            for i, v in enumerate(vectors)
        ],
    )  # fmt: skip


def present(tx: Tx, model: str, ids: Sequence[str]) -> set[str]:
    """Those of the ids that have a vector by a model."""
    found = tx.rows(
        "SELECT id FROM vectors WHERE tenant = :tenant AND model = :model AND id IN :ids",
        model=model,
        ids=ids,
    )
    return {r["id"] for r in found}


def of(tx: Tx, model: str, ids: Sequence[str]) -> dict[str, bytes]:
    """The half floats of texts that have a vector by a model."""
    column = "halfvec_send(vector) AS sent" if tx.dialect == "postgres" else "vector"
    found: dict[str, bytes] = {}
    for some in batches(ids):
        rows = tx.rows(
            f"SELECT id, {column} FROM vectors WHERE tenant = :tenant AND model = :model AND id IN :ids "
            "AND facet = 'full'",
            model=model,
            ids=some,
        )
        if tx.dialect == "postgres":
            found.update({r["id"]: received(r["sent"]) for r in rows})
        else:
            found.update({r["id"]: r["vector"] for r in rows})
    return found


def numbers(tx: Tx, model: str, ids: Sequence[str]) -> dict[str, int]:
    """The change numbers of the vectors that texts have by a model."""
    found: dict[str, int] = {}
    for some in batches(ids):
        rows = tx.rows(
            "SELECT id, seq FROM vectors WHERE tenant = :tenant AND model = :model AND id IN :ids",
            model=model,
            ids=some,
        )
        found.update({r["id"]: r["seq"] for r in rows})
    return found


def coverage(tx: Tx) -> list[Coverage]:
    """Which embedders made the vectors of this tenant, most first."""
    found = tx.rows(
        "SELECT model, dim, count(*) AS count FROM vectors WHERE tenant = :tenant "
        "GROUP BY model, dim ORDER BY count DESC, model"
    )
    return [Coverage(r["model"], r["dim"], r["count"]) for r in found]


def models(tx: Tx) -> Iterator[str]:
    """The embedders that have vectors here, found without counting them."""
    last: str | None = ""
    while last is not None:
        found = tx.rows(
            "SELECT min(model) AS model FROM vectors WHERE tenant = :tenant AND model > :last", last=last
        )
        last = found[0]["model"]
        if last is not None:
            yield last


def received(sent: bytes) -> bytes:
    """The half floats that pgvector sends: after four bytes of length, in the order of the network."""
    import numpy as np

    return np.frombuffer(sent, ">f2", offset=4).astype("<f2").tobytes()


def literal(data: bytes) -> str:
    """Half floats as pgvector reads them."""
    import numpy as np

    return str(np.frombuffer(data, dtype="<f2").tolist())

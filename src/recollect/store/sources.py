"""Single sources and artifacts of memories: added if they are new, and taken away again."""

from recollect.model.record import Artifact, Source
from recollect.store.database import Tx


def add(tx: Tx, memory: str, source: Source) -> bool:
    """Say that a memory was drawn from a source too; whether that was new."""
    return bool(
        tx.run(
            "INSERT INTO provenance (tenant, memory, source_kind, source) "
            "VALUES (:tenant, :memory, :kind, :id) ON CONFLICT DO NOTHING",
            memory=memory,
            kind=source.kind,
            id=source.id,
        )
    )


def remove(tx: Tx, memory: str, source: Source) -> None:
    """Take a source away from a memory."""
    tx.run(
        "DELETE FROM provenance WHERE tenant = :tenant AND memory = :memory AND source_kind = :kind "
        "AND source = :id",
        memory=memory,
        kind=source.kind,
        id=source.id,
    )


def add_artifact(tx: Tx, memory: str, artifact: Artifact) -> bool:
    """Say that a memory is about an artifact too; whether that was new."""
    return bool(
        tx.run(
            "INSERT INTO artifacts (tenant, memory, type, ref) VALUES (:tenant, :memory, :type, :ref) "
            "ON CONFLICT DO NOTHING",
            memory=memory,
            type=artifact.type,
            ref=artifact.ref,
        )
    )


def remove_artifact(tx: Tx, memory: str, artifact: Artifact) -> None:
    """Take an artifact away from a memory."""
    tx.run(
        "DELETE FROM artifacts WHERE tenant = :tenant AND memory = :memory AND type = :type AND ref = :ref",
        memory=memory,
        type=artifact.type,
        ref=artifact.ref,
    )

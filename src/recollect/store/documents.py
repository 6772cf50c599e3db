"""Queries on documents, the files memories come from, and on the lines that stand for memories."""

from collections.abc import Sequence

from recollect.model.document import GONE, Document, LineRow, Owner
from recollect.model.ids import micros, moment
from recollect.store.database import Row, Tx, batches, row


def put(tx: Tx, d: Document) -> None:
    """Store a document, in place of what was known of its path."""
    tx.run(
        "INSERT INTO documents (tenant, id, space, path, digest, bytes, changed_at, recorded_at) "
        "VALUES (:tenant, :id, :space, :path, :digest, :bytes, :changed_at, :recorded_at) "
        "ON CONFLICT (tenant, space, path) DO UPDATE SET digest = excluded.digest, "
        "bytes = excluded.bytes, changed_at = excluded.changed_at",
        id=d.id,
        space=d.space,
        path=d.path,
        digest=d.digest,
        bytes=d.bytes,
        changed_at=micros(d.changed_at),
        recorded_at=micros(d.recorded_at),
    )


def by_path(tx: Tx, space: str, path: str) -> Document | None:
    """The document of a space at a path."""
    found = row(
        tx,
        "SELECT * FROM documents WHERE tenant = :tenant AND space = :space AND path = :path",
        space=space,
        path=path,
    )
    return None if found is None else _document(found)


def listed(tx: Tx, spaces: Sequence[str]) -> list[Document]:
    """The documents of the view that are there, by path."""
    found = tx.rows(
        "SELECT * FROM documents WHERE tenant = :tenant AND space IN :spaces AND digest <> :gone "
        "ORDER BY path, space",
        spaces=spaces,
        gone=GONE,
    )
    return [_document(r) for r in found]


def known(tx: Tx, space: str) -> dict[str, Document]:
    """Every document of a space by its path, vanished ones included."""
    found = tx.rows("SELECT * FROM documents WHERE tenant = :tenant AND space = :space", space=space)
    return {r["path"]: _document(r) for r in found}


def remove(tx: Tx, id: str) -> None:
    """Drop the row of a folder; its files keep theirs."""
    tx.run("DELETE FROM documents WHERE tenant = :tenant AND id = :id", id=id)


def lines(tx: Tx, document: str) -> dict[str, LineRow]:
    """What the lines of a document stood for when file and store last agreed, by ref."""
    found = tx.rows(
        "SELECT * FROM document_lines WHERE tenant = :tenant AND document = :document ORDER BY ref",
        document=document,
    )
    return {
        r["ref"]: LineRow(
            ref=r["ref"],
            memory=r["memory"],
            owner=Owner(r["owner"]),
            line_digest=r["line_digest"],
            memory_digest=r["memory_digest"],
        )
        for r in found
    }


def put_lines(tx: Tx, document: str, rows: Sequence[LineRow]) -> None:
    """Note what file and store agree on, in place of what was noted under the same refs."""
    drop_lines(tx, document, [r.ref for r in rows])
    tx.run_many(
        "INSERT INTO document_lines (tenant, document, ref, memory, owner, line_digest, memory_digest) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        [(tx.tenant, document, r.ref, r.memory, r.owner, r.line_digest, r.memory_digest) for r in rows],
    )


def drop_lines(tx: Tx, document: str, refs: Sequence[str]) -> None:
    """Forget about some lines of a document."""
    for some in batches(refs):
        tx.run(
            "DELETE FROM document_lines WHERE tenant = :tenant AND document = :document AND ref IN :refs",
            document=document,
            refs=some,
        )


def _document(r: Row) -> Document:
    return Document(
        id=r["id"],
        space=r["space"],
        path=r["path"],
        digest=r["digest"],
        bytes=r["bytes"],
        changed_at=moment(r["changed_at"]),
        recorded_at=moment(r["recorded_at"]),
    )

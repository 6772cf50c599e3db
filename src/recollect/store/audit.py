"""Queries on the audit log: what was done through a server, by whom and when."""

import json
from collections.abc import Sequence

from recollect.model.access import AuditEntry
from recollect.model.ids import micros, moment
from recollect.store.database import Tx


def put(tx: Tx, entries: Sequence[AuditEntry]) -> None:
    """Write entries down."""
    tx.run_many(
        "INSERT INTO audit (tenant, id, at, who, operation, space, ids) VALUES (?, ?, ?, ?, ?, ?, ?)",
        [(tx.tenant, e.id, micros(e.at), e.who, e.operation, e.space, json.dumps(e.ids)) for e in entries],
    )


def page(tx: Tx, before: str | None, limit: int) -> list[AuditEntry]:
    """Entries of the tenant, newest first."""
    older = "" if before is None else "AND id < :before "
    params = {} if before is None else {"before": before}
    found = tx.rows(
        f"SELECT * FROM audit WHERE tenant = :tenant {older}ORDER BY id DESC LIMIT :limit",
        limit=limit,
        **params,
    )
    return [
        AuditEntry(
            id=r["id"],
            at=moment(r["at"]),
            who=r["who"],
            operation=r["operation"],
            space=r["space"],
            ids=tuple(json.loads(r["ids"])),
        )
        for r in found
    ]

"""Queries on decisions: what became of every candidate."""

from collections.abc import Sequence

from recollect.model.decision import Decision, Outcome
from recollect.model.ids import micros, moment
from recollect.store.database import Row, Tx


def put(tx: Tx, decisions: Sequence[Decision]) -> int:
    """Store decisions, but for those that are already there; how many were new."""
    return sum(
        tx.run(
            "INSERT INTO decisions (tenant, id, space, message, memory, outcome, reason, rule, body, "
            "decided_at) VALUES (:tenant, :id, :space, :message, :memory, :outcome, :reason, :rule, :body, "
            ":decided_at) ON CONFLICT DO NOTHING",
            id=d.id,
            space=d.space,
            message=d.message,
            memory=d.memory,
            outcome=d.outcome,
            reason=d.reason,
            rule=d.rule,
            body=d.text,
            decided_at=micros(d.decided_at),
        )
        for d in decisions
    )


def exists(tx: Tx, id: str) -> bool:
    """Whether this was decided before."""
    return bool(tx.rows("SELECT id FROM decisions WHERE tenant = :tenant AND id = :id", id=id))


def of_message(tx: Tx, id: str) -> list[Decision]:
    """What was decided about the candidates of a message."""
    return _listed(tx, "message = :id", id=id)


def of_memory(tx: Tx, id: str) -> list[Decision]:
    """What made and changed a memory."""
    return _listed(tx, "memory = :id", id=id)


def in_spaces(tx: Tx, spaces: Sequence[str]) -> list[Decision]:
    """All decisions of some spaces."""
    return _listed(tx, "space IN :spaces", spaces=spaces)


def _listed(tx: Tx, where: str, **params: object) -> list[Decision]:
    found = tx.rows(
        f"SELECT * FROM decisions WHERE tenant = :tenant AND {where} ORDER BY decided_at, id", **params
    )
    return [_decision(r) for r in found]


def _decision(r: Row) -> Decision:
    return Decision(
        id=r["id"],
        space=r["space"],
        message=r["message"],
        memory=r["memory"],
        outcome=Outcome(r["outcome"]),
        reason=r["reason"],
        rule=r["rule"],
        text=r["body"],
        decided_at=moment(r["decided_at"]),
    )

"""Queries on kept answers: a write that is tried again under its key is not done again."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from recollect.model.ids import micros
from recollect.store.database import Tx, row

KEPT = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a write was answered with; `body` is None once an erasure emptied it."""

    fingerprint: str
    status: int
    body: str | None


def find(tx: Tx, who: str, key: str, now: datetime) -> Answer | None:
    """The answer that was given under a key, if it is young enough."""
    found = row(
        tx,
        "SELECT * FROM answers WHERE tenant = :tenant AND who = :who AND key = :key AND made_at > :since",
        who=who,
        key=key,
        since=micros(now - KEPT),
    )
    return None if found is None else Answer(found["fingerprint"], found["status"], found["body"])


def keep(tx: Tx, who: str, key: str, answer: Answer, now: datetime) -> None:
    """Keep an answer for a day, and drop those that are older."""
    tx.run("DELETE FROM answers WHERE tenant = :tenant AND made_at <= :since", since=micros(now - KEPT))
    tx.run(
        "INSERT INTO answers (tenant, who, key, fingerprint, status, body, made_at) "
        "VALUES (:tenant, :who, :key, :fingerprint, :status, :body, :made_at)",
        who=who,
        key=key,
        fingerprint=answer.fingerprint,
        status=answer.status,
        body=answer.body,
        made_at=micros(now),
    )


def empty(tx: Tx) -> None:
    """Forget what the answers said: they may repeat a text that is being erased."""
    tx.run("UPDATE answers SET body = NULL WHERE tenant = :tenant AND body IS NOT NULL")

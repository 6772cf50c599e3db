"""Queries on runs and their journal: what each run changed, in order, with how to put it back."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from recollect.model.ids import micros, moment
from recollect.model.upkeep import Run, RunKind, RunStatus
from recollect.store.codec import optional_micros, optional_moment
from recollect.store.database import Row, Tx, row, value


@dataclass(frozen=True, slots=True)
class Mark:
    """One change of a run: its kind, the memory, the other side if it has two, and what was there."""

    kind: str
    memory: str
    other: str | None
    detail: Mapping[str, Any]


def save(tx: Tx, run: Run) -> None:
    """Store a run as it stands."""
    tx.run(
        "INSERT INTO runs (tenant, id, kind, status, spaces, counts, reached, started_at, finished_at, "
        "undone_at) VALUES (:tenant, :id, :kind, :status, :spaces, :counts, :reached, :started_at, "
        ":finished_at, :undone_at) ON CONFLICT (tenant, id) DO UPDATE SET status = excluded.status, "
        "counts = excluded.counts, reached = excluded.reached, finished_at = excluded.finished_at, "
        "undone_at = excluded.undone_at",
        id=run.id,
        kind=run.kind,
        status=run.status,
        spaces=json.dumps(run.spaces),
        counts=json.dumps(dict(run.counts)),
        reached=run.reached,
        started_at=micros(run.started_at),
        finished_at=optional_micros(run.finished_at),
        undone_at=optional_micros(run.undone_at),
    )


def get(tx: Tx, id: str) -> Run | None:
    """One run of the tenant."""
    found = row(tx, "SELECT * FROM runs WHERE tenant = :tenant AND id = :id", id=id)
    return None if found is None else _run(found)


def listed(tx: Tx, limit: int) -> list[Run]:
    """The runs of the tenant, newest first."""
    found = tx.rows("SELECT * FROM runs WHERE tenant = :tenant ORDER BY id DESC LIMIT :limit", limit=limit)
    return [_run(r) for r in found]


def unfinished(tx: Tx) -> list[Run]:
    """Runs and undos that are under way, or were interrupted."""
    found = tx.rows(
        "SELECT * FROM runs WHERE tenant = :tenant AND status IN ('running', 'undoing') ORDER BY id"
    )
    return [_run(r) for r in found]


def settle(tx: Tx, before: datetime) -> None:
    """Let go of the journals of old runs: they can no longer be undone."""
    old = tx.rows(
        "SELECT id FROM runs WHERE tenant = :tenant AND status = 'done' AND finished_at < :before",
        before=micros(before),
    )
    for r in old:
        tx.run("DELETE FROM journal WHERE tenant = :tenant AND run = :run", run=r["id"])
        tx.run("UPDATE runs SET status = 'settled' WHERE tenant = :tenant AND id = :run", run=r["id"])


def note(tx: Tx, run: str, marks: Sequence[Mark]) -> None:
    """Write down what a run has just changed."""
    last = value(tx, "SELECT max(num) AS value FROM journal WHERE tenant = :tenant AND run = :run", run=run)
    tx.run_many(
        "INSERT INTO journal (tenant, run, num, kind, memory, other, detail) VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (tx.tenant, run, num, m.kind, m.memory, m.other, json.dumps(dict(m.detail)))
            for num, m in enumerate(marks, (last or 0) + 1)
        ],
    )


def latest(tx: Tx, run: str, limit: int) -> list[tuple[int, Mark]]:
    """The last changes of a run, the last one first, each with its number."""
    found = tx.rows(
        "SELECT * FROM journal WHERE tenant = :tenant AND run = :run ORDER BY num DESC LIMIT :limit",
        run=run,
        limit=limit,
    )
    return [(r["num"], Mark(r["kind"], r["memory"], r["other"], json.loads(r["detail"]))) for r in found]


def touched(tx: Tx, run: str) -> set[str]:
    """The memories of which a run has made versions."""
    found = tx.rows(
        "SELECT memory FROM journal WHERE tenant = :tenant AND run = :run AND kind = 'version'", run=run
    )
    return {r["memory"] for r in found}


def unnoted(tx: Tx, run: Run, spaces: Sequence[str]) -> list[Mark]:
    """What was written at the run's own moment and is not in its journal: others wrote it for the run."""
    known: dict[str, int] = {}
    for r in tx.rows(
        "SELECT memory, detail FROM journal WHERE tenant = :tenant AND run = :run AND kind = 'version'",
        run=run.id,
    ):
        known[r["memory"]] = max(known.get(r["memory"], 0), json.loads(r["detail"])["version"])
    at = micros(run.started_at)
    versions = tx.rows(
        "SELECT id, version FROM memories WHERE tenant = :tenant AND space IN :spaces "
        "AND recorded_at = :at AND version > 1 ORDER BY id",
        spaces=spaces,
        at=at,
    )
    marks = [
        Mark("version", r["id"], None, {"version": version})
        for r in versions
        for version in range(known.get(r["id"], r["version"] - 1) + 1, r["version"] + 1)
    ]
    for r in tx.rows(
        "SELECT l.* FROM links AS l JOIN memories AS m ON m.tenant = l.tenant AND m.id = l.source "
        "WHERE l.tenant = :tenant AND m.space IN :spaces AND l.type = 'contradicts' AND l.created_at = :at "
        "AND NOT EXISTS (SELECT 1 FROM journal AS j WHERE j.tenant = :tenant AND j.run = :run "
        "AND j.kind = 'link' AND j.memory = l.source AND j.other = l.target) ORDER BY l.source, l.target",
        spaces=spaces,
        at=at,
        run=run.id,
    ):
        detail = {"type": r["type"], "strength": r["strength"], "at": at}
        marks.append(Mark("link", r["source"], r["target"], detail))
    for r in tx.rows(
        "SELECT c.* FROM contradictions AS c WHERE c.tenant = :tenant AND c.space IN :spaces "
        "AND c.detected_at = :at AND NOT EXISTS (SELECT 1 FROM journal AS j WHERE j.tenant = :tenant "
        "AND j.run = :run AND j.kind = 'contradiction' AND j.memory = c.memory_a AND j.other = c.memory_b) "
        "ORDER BY c.id",
        spaces=spaces,
        at=at,
        run=run.id,
    ):
        marks.append(Mark("contradiction", r["memory_a"], r["memory_b"], {"id": r["id"]}))
    return marks


def drop_from(tx: Tx, run: str, num: int) -> None:
    """Forget the changes of a run from a number on: they are put back."""
    tx.run("DELETE FROM journal WHERE tenant = :tenant AND run = :run AND num >= :num", run=run, num=num)


def _run(r: Row) -> Run:
    return Run(
        id=r["id"],
        kind=RunKind(r["kind"]),
        status=RunStatus(r["status"]),
        spaces=tuple(json.loads(r["spaces"])),
        counts=json.loads(r["counts"]),
        reached=r["reached"],
        started_at=moment(r["started_at"]),
        finished_at=optional_moment(r["finished_at"]),
        undone_at=optional_moment(r["undone_at"]),
    )

"""The job table: enqueue, claim with a lease, heartbeat, finish, fail, retry.

A job is promised in the transaction of its cause. A worker holds it by a lease; when the worker dies,
the lease runs out and another takes over, so handlers must be idempotent. Of the jobs with one
(tenant, kind, key) at most one waits and at most one runs: both are unique indexes.
"""

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from recollect.errors import NotFound
from recollect.model.ids import micros, moment, new_id
from recollect.model.job import Job, JobStatus
from recollect.store.codec import optional_moment
from recollect.store.database import Row, Tx, row

LEASE = timedelta(seconds=60)
MAX_ATTEMPTS = 8
KEEP_DONE = timedelta(days=7)
_LONGEST_WAIT = timedelta(hours=1)
_MAX_ERROR = 4_000
_HELD = "tenant = :owner AND id = :id AND status = 'running' AND worker = :worker AND attempts = :attempts"
"""The condition that a job is still in our hands; its parameters are those of `_held`."""


def enqueue(
    tx: Tx,
    kind: str,
    now: datetime,
    *,
    key: str | None = None,
    payload: dict[str, Any] | None = None,
    run_at: datetime | None = None,
    priority: int = 0,
) -> None:
    """Promise a job in this transaction; one that already waits under the same key is enough.

    That one is locked, so that no worker takes it before it can see what this transaction writes.
    """
    tx.run(
        "INSERT INTO jobs (tenant, id, kind, key, status, payload, priority, max_attempts, run_at, "
        "created_at) VALUES (:tenant, :id, :kind, :key, 'ready', :payload, :priority, :max_attempts, "
        ":run_at, :created_at) ON CONFLICT (tenant, kind, key) WHERE status = 'ready' "
        "DO UPDATE SET priority = jobs.priority",
        id=new_id(now),
        kind=kind,
        key=key,
        payload=json.dumps(payload or {}),
        priority=priority,
        max_attempts=MAX_ATTEMPTS,
        run_at=micros(run_at or now),
        created_at=micros(now),
    )


def withdraw(tx: Tx, kind: str, key: str) -> None:
    """Take back a promise that has lost its point; a job that already runs is left alone."""
    tx.run(
        "DELETE FROM jobs WHERE tenant = :tenant AND kind = :kind AND key = :key AND status = 'ready'",
        kind=kind,
        key=key,
    )


def claim(tx: Tx, worker: str, kinds: Sequence[str], now: datetime, owner: str | None = None) -> Job | None:
    """Take the most urgent job that is due and whose key is not being worked on; of an owner, or of all."""
    own = "" if owner is None else "AND j.tenant = :owner "
    skip = "FOR UPDATE SKIP LOCKED" if tx.dialect == "postgres" else ""
    found = row(
        tx,
        "UPDATE jobs SET status = 'running', attempts = attempts + 1, worker = :worker, "
        "leased_until = :until WHERE (tenant, id) = (SELECT j.tenant, j.id FROM jobs AS j "
        "WHERE j.status = 'ready' AND j.run_at <= :now AND j.kind IN :kinds AND NOT EXISTS "
        "(SELECT 1 FROM jobs AS r WHERE r.status = 'running' AND r.tenant = j.tenant "
        "AND r.kind = j.kind AND r.key = j.key) "
        f"{own}ORDER BY j.priority DESC, j.run_at, j.id LIMIT 1 {skip}) RETURNING *",
        owner=owner,
        worker=worker,
        until=micros(now + LEASE),
        now=micros(now),
        kinds=kinds,
    )
    return None if found is None else _job(found)


def extend(tx: Tx, job: Job, now: datetime) -> bool:
    """Heartbeat: hold the job for another lease; False if it was taken from us."""
    touched = tx.run(
        f"UPDATE jobs SET leased_until = :until WHERE {_HELD}",
        until=micros(now + LEASE),
        **_held(job),
    )
    return touched == 1


def finish(tx: Tx, job: Job, now: datetime) -> None:
    """The job is done, unless another worker holds it by now."""
    tx.run(
        "UPDATE jobs SET status = 'done', leased_until = NULL, error = NULL, finished_at = :now "
        f"WHERE {_HELD}",
        now=micros(now),
        **_held(job),
    )


def fail(tx: Tx, job: Job, now: datetime, error: str) -> None:
    """Keep the error; wait longer each time, and give up after the last attempt."""
    if job.attempts >= job.max_attempts:
        bury(tx, job, now, error)
        return
    wait = min(timedelta(seconds=5 * 2 ** (job.attempts - 1)), _LONGEST_WAIT)
    _put_back(tx, job, now + wait, error)


def defer(tx: Tx, job: Job, until: datetime, reason: str) -> None:
    """Put a job off without counting the attempt: the work is not wrong, only not now."""
    _put_back(tx, job, until, reason, uncounted=1)


def bury(tx: Tx, job: Job, now: datetime, error: str) -> None:
    """Give a job up: it stays with its error until somebody retries it."""
    tx.run(
        "UPDATE jobs SET status = 'dead', leased_until = NULL, finished_at = :now, error = :error "
        f"WHERE {_HELD}",
        now=micros(now),
        error=error[:_MAX_ERROR],
        **_held(job),
    )


def any_due(tx: Tx, kinds: Sequence[str], now: datetime) -> bool:
    """Whether a look by `claim` would be worth its write lock."""
    found = tx.rows(
        "SELECT 1 AS due FROM jobs WHERE status = 'ready' AND run_at <= :now AND kind IN :kinds LIMIT 1",
        now=micros(now),
        kinds=kinds,
    )
    return bool(found)


def untidy(tx: Tx, now: datetime) -> bool:
    """Whether `tidy` has anything to do."""
    found = tx.rows(
        "SELECT 1 AS some FROM jobs WHERE (status = 'running' AND leased_until < :now) "
        "OR (status = 'done' AND finished_at < :before) LIMIT 1",
        now=micros(now),
        before=micros(now - KEEP_DONE),
    )
    return bool(found)


def tidy(tx: Tx, now: datetime) -> None:
    """Put back the jobs of workers that died, and drop the traces of jobs done long ago."""
    for found in tx.rows(
        "SELECT * FROM jobs WHERE status = 'running' AND leased_until < :now", now=micros(now)
    ):
        job = _job(found)
        fail(tx, job, now, f"worker {job.worker} stopped while it held this job")
    tx.run(
        "DELETE FROM jobs WHERE status = 'done' AND finished_at < :before",
        before=micros(now - KEEP_DONE),
    )


def listed(tx: Tx, statuses: Sequence[JobStatus], limit: int) -> list[Job]:
    """Jobs of the tenant in the given statuses, newest first."""
    found = tx.rows(
        "SELECT * FROM jobs WHERE tenant = :tenant AND status IN :statuses ORDER BY id DESC LIMIT :limit",
        statuses=statuses,
        limit=limit,
    )
    return [_job(r) for r in found]


def counts(tx: Tx) -> dict[str, int]:
    """How many jobs of the tenant are in each status."""
    found = tx.rows("SELECT status, count(*) AS n FROM jobs WHERE tenant = :tenant GROUP BY status")
    return {r["status"]: r["n"] for r in found}


def retry(tx: Tx, id: str, now: datetime) -> None:
    """Give a dead or waiting job a fresh start now."""
    found = row(tx, "SELECT * FROM jobs WHERE tenant = :tenant AND id = :id", id=id)
    if found is None or found["status"] not in (JobStatus.DEAD, JobStatus.READY):
        raise NotFound(f"no waiting or dead job {id}: see `recollect jobs list`")
    tx.run(
        "UPDATE jobs SET status = 'ready', attempts = 0, run_at = :now, finished_at = NULL "
        "WHERE tenant = :tenant AND id = :id AND NOT EXISTS (SELECT 1 FROM jobs AS w "
        "WHERE w.tenant = jobs.tenant AND w.kind = jobs.kind AND w.key = jobs.key "
        "AND w.status = 'ready' AND w.id <> jobs.id)",
        now=micros(now),
        id=id,
    )


def _put_back(tx: Tx, job: Job, run_at: datetime, error: str, uncounted: int = 0) -> None:
    """Back to waiting; where another job with its key waits already, that one will do.

    It is taken out and put in anew: an insert waits for whoever is just promising another one under the same
    key, where an update would fail.
    """
    if not tx.run(f"DELETE FROM jobs WHERE {_HELD}", **_held(job)):
        return
    tx.run(
        "INSERT INTO jobs (tenant, id, kind, key, status, payload, priority, attempts, max_attempts, run_at, "
        "created_at, error) VALUES (:owner, :id, :kind, :key, 'ready', :payload, :priority, :attempts, "
        ":max_attempts, :run_at, :created_at, :error) "
        "ON CONFLICT (tenant, kind, key) WHERE status = 'ready' DO NOTHING",
        owner=job.tenant,
        id=job.id,
        kind=job.kind,
        key=job.key,
        payload=json.dumps(job.payload),
        priority=job.priority,
        attempts=job.attempts - uncounted,
        max_attempts=job.max_attempts,
        run_at=micros(run_at),
        created_at=micros(job.created_at),
        error=error[:_MAX_ERROR],
    )


def _held(job: Job) -> dict[str, Any]:
    """What identifies our hold on a job; `attempts` tells it from a later hold by the same worker."""
    return {"owner": job.tenant, "id": job.id, "worker": job.worker, "attempts": job.attempts}


def _job(r: Row) -> Job:
    return Job(
        id=r["id"],
        tenant=r["tenant"],
        kind=r["kind"],
        status=JobStatus(r["status"]),
        run_at=moment(r["run_at"]),
        created_at=moment(r["created_at"]),
        payload=json.loads(r["payload"]),
        key=r["key"],
        priority=r["priority"],
        attempts=r["attempts"],
        max_attempts=r["max_attempts"],
        leased_until=optional_moment(r["leased_until"]),
        worker=r["worker"],
        error=r["error"],
        finished_at=optional_moment(r["finished_at"]),
    )

"""Schedules: jobs that come round by a cron expression, once however many workers look."""

import json
from datetime import datetime
from typing import Any

from recollect.jobs import queue
from recollect.jobs.cron import parsed
from recollect.model.ids import micros, moment
from recollect.model.job import Schedule
from recollect.store.codec import optional_moment
from recollect.store.database import Row, Tx


def put(tx: Tx, name: str, cron: str, kind: str, now: datetime, payload: dict[str, Any]) -> Schedule:
    """Set a schedule, in place of one with the same name."""
    schedule = Schedule(
        name=name, cron=cron, kind=kind, next_at=parsed(cron).next_after(now), payload=payload
    )
    tx.run(
        "INSERT INTO schedules (tenant, name, cron, kind, payload, next_at) "
        "VALUES (:tenant, :name, :cron, :kind, :payload, :next_at) ON CONFLICT (tenant, name) "
        "DO UPDATE SET cron = excluded.cron, kind = excluded.kind, payload = excluded.payload, "
        "next_at = excluded.next_at",
        name=name,
        cron=cron,
        kind=kind,
        payload=json.dumps(payload),
        next_at=micros(schedule.next_at),
    )
    return schedule


def remove(tx: Tx, name: str) -> bool:
    """Drop a schedule; whether it was there."""
    return bool(tx.run("DELETE FROM schedules WHERE tenant = :tenant AND name = :name", name=name))


def listed(tx: Tx) -> list[Schedule]:
    """The schedules of the tenant, by name."""
    found = tx.rows("SELECT * FROM schedules WHERE tenant = :tenant ORDER BY name")
    return [_schedule(r) for r in found]


def due(tx: Tx, now: datetime) -> list[tuple[str, str]]:
    """(tenant, name) of every schedule whose time has come."""
    found = tx.rows("SELECT tenant, name FROM schedules WHERE next_at <= :now", now=micros(now))
    return [(r["tenant"], r["name"]) for r in found]


def fire(tx: Tx, name: str, now: datetime) -> bool:
    """Enqueue the job of a due schedule and move it on; False if another worker already did."""
    found = tx.rows(
        "SELECT * FROM schedules WHERE tenant = :tenant AND name = :name AND next_at <= :now",
        name=name,
        now=micros(now),
    )
    if not found:
        return False
    schedule = _schedule(found[0])
    queue.enqueue(tx, schedule.kind, now, key=f"schedule:{name}", payload=schedule.payload)
    tx.run(
        "UPDATE schedules SET next_at = :next_at, last_at = :last_at WHERE tenant = :tenant AND name = :name",
        name=name,
        next_at=micros(parsed(schedule.cron).next_after(now)),
        last_at=micros(now),
    )
    return True


def _schedule(r: Row) -> Schedule:
    return Schedule(
        name=r["name"],
        cron=r["cron"],
        kind=r["kind"],
        next_at=moment(r["next_at"]),
        payload=json.loads(r["payload"]),
        last_at=optional_moment(r["last_at"]),
    )

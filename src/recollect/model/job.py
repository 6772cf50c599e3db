"""Job and Schedule: work that is promised in the same transaction as its cause."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


class JobStatus(StrEnum):
    """Where a job is: waiting, being worked on, finished, or given up with its error kept."""

    READY = "ready"
    RUNNING = "running"
    DONE = "done"
    DEAD = "dead"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One piece of work. Of the jobs with one key, at most one waits and at most one runs."""

    id: str
    tenant: str
    kind: str
    status: JobStatus
    run_at: datetime
    created_at: datetime
    payload: dict[str, Any] = field(default_factory=dict)
    key: str | None = None
    priority: int = 0
    attempts: int = 0
    max_attempts: int = 8
    leased_until: datetime | None = None
    worker: str | None = None
    error: str | None = None
    finished_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """A job that comes round by a cron expression (five fields, UTC)."""

    name: str
    cron: str
    kind: str
    next_at: datetime
    payload: dict[str, Any] = field(default_factory=dict)
    last_at: datetime | None = None

"""Routes on the follow-up work."""

from collections.abc import Iterator
from typing import Annotated, Any

from fastapi import Query
from starlette.responses import Response, StreamingResponse

from recollect.errors import Forbidden
from recollect.memory import Memory, engine_of, scope_of
from recollect.model.job import Job, JobStatus, Schedule
from recollect.surfaces.access import DISK_JOBS
from recollect.surfaces.rest.bodies import IdsBody, ScheduleBody
from recollect.surfaces.rest.call import Called, answer
from recollect.surfaces.rest.events import MEDIA_TYPE, event
from recollect.surfaces.rest.route import doc, router, streamed

routes = router("jobs")
WAITING = (JobStatus.READY, JobStatus.RUNNING)
EVERY_SECONDS = 0.5


@routes.get("/jobs", **doc("jobs.list", list[Job]))
def list_(
    call: Called,
    status: Annotated[list[JobStatus] | None, Query()] = None,
    limit: Annotated[int, Query(ge=1, le=10_000)] = 50,
) -> Response:
    """Jobs of the tenant, newest first; without the done ones unless asked."""
    chosen = status or (JobStatus.READY, JobStatus.RUNNING, JobStatus.DEAD)
    return answer(call.memory.jobs.list(chosen, limit=limit))


@routes.post("/jobs/run", **doc("jobs.run", dict[str, int]))
def run(call: Called) -> Response:
    """Do everything of the tenant that is due, here and now; how many jobs that was."""
    owner = scope_of(call.memory).tenant
    return call.work(lambda memory: {"done": engine_of(memory).worker.run_due(owner=owner)})


@routes.post("/jobs/retry", **doc("jobs.retry", dict[str, int], also=(404, 415)))
def retry(call: Called, body: IdsBody) -> Response:
    """Give dead or waiting jobs a fresh start; without ids, all dead ones."""
    return call.write(lambda memory: {"retried": memory.jobs.retry(*body.ids)})


@routes.get("/jobs/events", **streamed("jobs.list", MEDIA_TYPE))
def events(call: Called) -> Response:
    """Server-sent events: how many jobs are due and how many run, until there is nothing left to do now."""
    return StreamingResponse(_progress(call.memory, call.house.stopping), media_type=MEDIA_TYPE)


@routes.get("/schedules", **doc("jobs.schedules", list[Schedule]))
def schedules(call: Called) -> Response:
    """The schedules of the tenant."""
    return answer(call.memory.jobs.schedules())


@routes.put("/schedules/{name}", **doc("jobs.schedule", Schedule, also=(415,)))
def schedule(call: Called, name: str, body: ScheduleBody) -> Response:
    """Let a job come round by a cron expression, in UTC; not one that works on the server's files."""
    if body.kind in DISK_JOBS:
        raise Forbidden(f"{body.kind} works on files of the server: schedule it there, on its database")
    return call.write(lambda m: m.jobs.schedule(name, body.cron, body.kind, payload=body.payload))


@routes.delete("/schedules/{name}", **doc("jobs.unschedule", dict[str, str], also=(404,)))
def unschedule(call: Called, name: str) -> Response:
    """Drop a schedule."""

    def work(memory: Memory) -> dict[str, str]:
        memory.jobs.unschedule(name)
        return {"removed": name}

    return call.write(work)


def _progress(memory: Memory, stopping: Any) -> Iterator[bytes]:
    while True:
        now = scope_of(memory).now()
        found = [job for job in memory.jobs.list(WAITING, limit=10_000) if job.run_at <= now]
        running = sum(job.status == JobStatus.RUNNING for job in found)
        yield event("jobs", {"due": len(found) - running, "running": running})
        if not found or stopping.wait(EVERY_SECONDS):
            return

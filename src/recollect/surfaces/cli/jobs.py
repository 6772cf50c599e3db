"""Commands on the follow-up work: jobs, schedules and workers."""

import signal
from typing import Annotated, Any

import typer

from recollect.model.job import JobStatus
from recollect.surfaces.cli.output import Session

app = typer.Typer(help="Show, run, retry and schedule the follow-up work.", no_args_is_help=True)


@app.command("list")
def list_(
    context: typer.Context,
    status: Annotated[list[JobStatus] | None, typer.Option(help="Only this status; may be repeated.")] = None,
    limit: Annotated[int, typer.Option(help="At most this many.")] = 50,
) -> None:
    """List jobs that wait, run or gave up; newest first."""
    session: Session = context.obj
    with session.memory() as memory:
        chosen = status or [JobStatus.READY, JobStatus.RUNNING, JobStatus.DEAD]
        found = memory.jobs.list(chosen, limit=limit)
        columns = ("id", "kind", "status", "attempts", "run at", "error")
        rows = ((j.id, j.kind, j.status, j.attempts, j.run_at, j.error) for j in found)
        session.show_table(found, columns, rows)


@app.command()
def run(context: typer.Context) -> None:
    """Do everything that is due, then return."""
    session: Session = context.obj
    with session.memory() as memory:
        done = memory.jobs.run()
        session.show({"done": done}, f"worked on {done} jobs")


@app.command()
def retry(
    context: typer.Context,
    ids: Annotated[list[str] | None, typer.Argument(help="Jobs; else all that gave up.")] = None,
) -> None:
    """Give jobs a fresh start."""
    session: Session = context.obj
    with session.writing() as memory:
        again = memory.jobs.retry(*(ids or []))
        session.show({"retried": again}, f"retrying {again} jobs")


@app.command()
def schedule(
    context: typer.Context,
    name: Annotated[str | None, typer.Argument(help="The schedule; none lists them all.")] = None,
    cron: Annotated[str | None, typer.Option(help="Five fields in UTC, or @daily and the like.")] = None,
    kind: Annotated[str, typer.Option(help="The kind of job.")] = "embed",
    remove: Annotated[bool, typer.Option("--remove", help="Drop the schedule.")] = False,
) -> None:
    """List, set or remove schedules."""
    session: Session = context.obj
    with session.memory() as memory:
        if name is not None and remove:
            memory.jobs.unschedule(name)
        elif name is not None:
            memory.jobs.schedule(name, cron or "@daily", kind)
        found = memory.jobs.schedules()
        rows = ((s.name, s.cron, s.kind, s.next_at, s.last_at) for s in found)
        session.show_table(found, ("name", "cron", "kind", "next", "last"), rows)


def worker(context: typer.Context) -> None:
    """Do follow-up work until stopped (Ctrl-C or SIGTERM finish the job in hand)."""
    session: Session = context.obj
    with session.memory() as memory:

        def stop(_signal: int, _frame: Any) -> None:
            memory.jobs.stop()

        signal.signal(signal.SIGTERM, stop)
        signal.signal(signal.SIGINT, stop)
        session.show({"working": True}, "working; Ctrl-C stops")
        memory.jobs.work()

"""Commands on the follow-up work: jobs, schedules and workers."""

import signal
from argparse import Namespace
from typing import Any

from recollect.model.job import JobStatus
from recollect.surfaces.cli.command import Command, argument, flag, repeated
from recollect.surfaces.cli.logs import LOG, logged
from recollect.surfaces.cli.output import Session


def list_(session: Session, given: Namespace) -> None:
    """List jobs that wait, run or gave up; newest first."""
    with session.memory() as memory:
        chosen = given.status or (JobStatus.READY, JobStatus.RUNNING, JobStatus.DEAD)
        found = memory.jobs.list(chosen, limit=given.limit)
        rows = ((j.id, j.kind, j.status, j.attempts, j.run_at, j.error) for j in found)
        session.show_table(found, ("id", "kind", "status", "attempts", "run at", "error"), rows)


def run(session: Session, _: Namespace) -> None:
    """Do everything that is due, then return."""
    with session.memory() as memory:
        done = memory.jobs.run()
        session.show({"done": done}, f"worked on {done} jobs")


def retry(session: Session, given: Namespace) -> None:
    """Give jobs a fresh start."""
    with session.writing() as memory:
        again = memory.jobs.retry(*given.ids)
        session.show({"retried": again}, f"retrying {again} jobs")


def schedule(session: Session, given: Namespace) -> None:
    """List, set or remove schedules."""
    with session.memory() as memory:
        if given.name is not None and given.remove:
            memory.jobs.unschedule(given.name)
        elif given.name is not None:
            memory.jobs.schedule(given.name, given.cron, given.kind)
        found = memory.jobs.schedules()
        rows = ((s.name, s.cron, s.kind, s.next_at, s.last_at) for s in found)
        session.show_table(found, ("name", "cron", "kind", "next", "last"), rows)


def worker(session: Session, given: Namespace) -> None:
    """Do follow-up work until stopped."""
    with logged(given.log), session.memory() as memory:

        def stop(_signal: int, _frame: Any) -> None:
            memory.jobs.stop()

        signal.signal(signal.SIGTERM, stop)
        signal.signal(signal.SIGINT, stop)
        session.show({"working": True}, "working; Ctrl-C stops")
        memory.jobs.work()


COMMANDS = (
    Command("jobs", None, "Show, run, retry and schedule the follow-up work.", parts=(
        Command("list", list_, "List jobs that wait, run or gave up; newest first.", (
            repeated("--status", "only this status", choices=[str(status) for status in JobStatus]),
            argument("--limit", type=int, default=50, help="at most this many (50)"),
        )),
        Command("run", run, "Do everything that is due, then return."),
        Command("retry", retry, "Give jobs a fresh start.", (
            argument("ids", nargs="*", metavar="ID", help="jobs; else all that gave up"),
        )),
        Command("schedule", schedule, "List, set or remove schedules.", (
            argument("name", nargs="?", help="the schedule; none lists them all"),
            argument("--cron", default="@daily", help="five fields in UTC, or @daily and the like"),
            argument("--kind", default="embed", help="the kind of job"),
            flag("--remove", "drop the schedule"),
        )),
    )),
    Command("worker", worker, "Do follow-up work until stopped; Ctrl-C finishes the job in hand.", (LOG,)),
)  # fmt: skip

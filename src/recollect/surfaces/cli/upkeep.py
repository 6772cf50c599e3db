"""Commands of upkeep: run it, undo a run, list runs, let it come round every night."""

import shlex
from argparse import Namespace
from dataclasses import replace

from recollect.model.upkeep import UpkeepReport
from recollect.surfaces.cli.command import Command, argument, flag
from recollect.surfaces.cli.output import Session, step_progress

SCHEDULE = "upkeep"
NIGHTLY = "0 3 * * *"


def upkeep(session: Session, given: Namespace) -> None:
    """Keep the view in order."""
    with session.writing() as memory:
        with step_progress() as progress:
            report = memory.upkeep(dry_run=given.dry_run, progress=progress)
        session.show(report, told(report, session))


def undo(session: Session, given: Namespace) -> None:
    """Put back everything a run changed."""
    with session.writing() as memory:
        with step_progress() as progress:
            undone = memory.upkeep.undo(given.id, progress=progress)
        lines = [
            f"undone: {sum(undone.restored.values()) - undone.restored.get('left', 0):,} changes put back"
        ]
        lines += [f"left {left.id}: {left.why}" for left in undone.left]
        session.show(undone, "\n".join(lines))


def runs(session: Session, given: Namespace) -> None:
    """List runs, newest first."""
    with session.memory() as memory:
        found = memory.upkeep.runs(limit=given.limit)
        rows = ((r.id, r.kind, r.status, r.spaces, r.started_at, _counts(dict(r.counts))) for r in found)
        session.show_table(found, ("id", "kind", "status", "spaces", "started", "counts"), rows)


def schedule(session: Session, given: Namespace) -> None:
    """Let upkeep come round, or no longer."""
    with session.memory() as memory:
        if given.off:
            memory.jobs.unschedule(SCHEDULE)
            session.show({"scheduled": False}, "upkeep no longer comes round")
            return
        made = memory.jobs.schedule(SCHEDULE, given.cron, "upkeep")
        session.show(made, f"upkeep of every space, next at {made.next_at:%Y-%m-%d %H:%M} UTC (by a worker)")


def told(report: UpkeepReport, session: Session) -> str:
    """A report in words, with the command line that takes the run back if it did anything."""
    did = "would have" if report.dry_run else "resumed and" if report.resumed else "done:"
    parts = [f"{did} {_counts(dict(report.counts)) or 'nothing to do'}"]
    if report.skipped:
        parts.append(f"skipped {report.skipped:,} that somebody changed meanwhile")
    if report.run is not None and any(report.counts.values()):
        whole = replace(session, view=",".join(report.spaces))
        command = shlex.join(["recollect", "upkeep", "undo", report.run, *whole.options()])
        parts.append(f"undo with: {command}")
    return "\n".join(parts)


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{n:,} {name.replace('_', ' ')}" for name, n in counts.items() if n)


COMMANDS = (
    Command(
        "upkeep",
        upkeep,
        "Keep the memories of the view in order; each run can be undone as a whole.",
        (flag("--dry-run", "only say what would be done"),),
        parts=(
            Command("undo", undo, "Put back everything a run changed.", (argument("id", metavar="RUN"),)),
            Command("runs", runs, "List runs, newest first.", (
                argument("--limit", type=int, default=50, help="at most this many (50)"),
            )),
            Command("schedule", schedule, "Let upkeep of every space come round, nightly by default.", (
                argument("--cron", default=NIGHTLY, help=f"five fields in UTC ({NIGHTLY})"),
                flag("--off", "no longer"),
            )),
        ),
    ),
)  # fmt: skip

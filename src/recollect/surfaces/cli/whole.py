"""Commands on the whole memory: export, import, stats, doctor, demo."""

import sys
from argparse import Namespace
from pathlib import Path

from recollect.errors import InvalidInput
from recollect.surfaces.cli.command import Command, argument, flag, repeated
from recollect.surfaces.cli.output import Session, progress


def export(session: Session, given: Namespace) -> None:
    """Write everything as JSON Lines, or the view as a readable folder."""
    if given.folder and given.space:
        raise InvalidInput("--folder writes the spaces of the view: choose them with --view")
    with session.memory() as memory:
        if given.folder:
            moved = memory.transfers.export_folder(given.path)
        else:
            moved = memory.transfers.export(given.path, spaces=given.space or None)
        session.show(moved, f"exported to {given.path}: {_counts(moved.moved)}")


def import_(session: Session, given: Namespace) -> None:
    """Read an export or a readable folder: all of it, or nothing."""
    with session.writing() as memory:
        if Path(given.path).is_dir():
            moved = memory.transfers.load_folder(given.path)
        else:
            moved = memory.transfers.load(given.path, progress=progress("importing"))
        session.show(moved, f"imported {_counts(moved.moved)}; {moved.known} already known")


def stats(session: Session, _: Namespace) -> None:
    """Count what is in this memory."""
    with session.memory() as memory:
        session.show_fields(memory.stats())


def doctor(session: Session, _: Namespace) -> int:
    """Check whether this memory is sound; 1 if anything is not."""
    with session.memory() as memory:
        findings = memory.doctor()
        rows = (("ok" if f.ok else "BAD", f.check, f.detail) for f in findings)
        session.show_table(findings, ("", "check", "detail"), rows)
        return int(not all(f.ok for f in findings))


def demo(session: Session, _: Namespace) -> None:
    """Show recollect at work, in a temporary file."""
    from recollect.surfaces.demo import show

    show(sys.stdout, embedder=session.embedder)


def _counts(moved: dict[str, int]) -> str:
    return ", ".join(f"{n} {name}" for name, n in moved.items() if n) or "nothing"


COMMANDS = (
    Command("export", export, "Write everything as JSON Lines, or the view as a readable folder.", (
        argument("path", help="a .jsonl file, or a folder with --folder"),
        flag("--folder", "the readable JSON folder of this view (.project-memory/)"),
        repeated("--space", "only this space"),
    )),
    Command("import", import_, "Read an export or a readable folder: all of it, or nothing.", (
        argument("path", help="an export, or a .project-memory folder"),
    )),
    Command("stats", stats, "Count what is in this memory."),
    Command("doctor", doctor, "Check whether this memory is sound; exit code 1 if anything is not."),
    Command("demo", demo, "Show recollect at work, in a temporary file."),
)  # fmt: skip

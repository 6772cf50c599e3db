"""Commands on the whole memory: export, import, stats, doctor, demo."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from recollect.errors import InvalidInput
from recollect.surfaces.cli.output import Session, progress


def register(app: typer.Typer) -> None:
    """Add these commands to the program."""
    app.command()(export)
    app.command("import")(import_)
    app.command()(stats)
    app.command()(doctor)
    app.command()(demo)


def export(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(help="A .jsonl file, or a folder with --folder.")],
    folder: Annotated[
        bool, typer.Option("--folder", help="The readable JSON folder of this view (.project-memory/).")
    ] = False,
    space: Annotated[list[str] | None, typer.Option(help="Only this space; may be repeated.")] = None,
) -> None:
    """Write everything as JSON Lines, or the view as a readable folder."""
    session: Session = context.obj
    if folder and space:
        raise InvalidInput("--folder writes the spaces of the view: choose them with --view")
    with session.memory() as memory:
        moved = (
            memory.transfers.export_folder(path) if folder else memory.transfers.export(path, spaces=space)
        )
        session.show(moved, f"exported to {path}: " + _counts(moved.moved))


def import_(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(help="An export, or a .project-memory folder.")],
) -> None:
    """Read an export or a readable folder: all of it, or nothing."""
    session: Session = context.obj
    with session.writing() as memory:
        if path.is_dir():
            moved = memory.transfers.load_folder(path)
        else:
            moved = memory.transfers.load(path, progress=progress("importing"))
        session.show(moved, f"imported {_counts(moved.moved)}; {moved.known} already known")


def stats(context: typer.Context) -> None:
    """Count what is in this memory."""
    session: Session = context.obj
    with session.memory() as memory:
        found = memory.stats()
        session.show_fields(found, {name: _held(getattr(found, name)) for name in found.__dataclass_fields__})


def doctor(context: typer.Context) -> None:
    """Check whether this memory is sound; exit code 1 if anything is not."""
    session: Session = context.obj
    with session.memory() as memory:
        findings = memory.doctor()
        rows = (("ok" if f.ok else "BAD", f.check, f.detail) for f in findings)
        session.show_table(findings, ("", "check", "detail"), rows)
        if not all(f.ok for f in findings):
            raise typer.Exit(1)


def demo(context: typer.Context) -> None:
    """Show recollect at work, in a temporary file."""
    from recollect.surfaces.demo import show

    session: Session = context.obj
    show(sys.stdout, embedder=session.embedder)


def _counts(moved: dict[str, int]) -> str:
    return ", ".join(f"{n} {name}" for name, n in moved.items() if n) or "nothing"


def _held(value: object) -> object:
    if isinstance(value, dict):
        return ", ".join(f"{name} {n}" for name, n in value.items())
    return value

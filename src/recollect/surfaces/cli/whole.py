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
    """Read an export or a readable folder whole, or the chats of another program as far as they are new."""
    source, path = _source(given.source, given.what)
    with session.writing() as memory:
        if source is not None:
            told = progress("importing")
            moved = memory.transfers.load_chats(path, source, mine=given.mine, progress=told)
        elif given.mine:
            raise InvalidInput("--mine is for the chats of another program: import chatgpt PATH --mine")
        elif Path(path).is_dir():
            moved = memory.transfers.load_folder(path)
        else:
            moved = memory.transfers.load(path, progress=progress("importing"))
        session.warn(moved.unread)
        session.show(moved, f"imported {_counts(moved.moved)}; {moved.known} already known")


def _source(named: str | None, what: list[str]) -> tuple[str | None, str]:
    """`import --from SOURCE PATH`, `import SOURCE PATH`, or `import PATH` for an export of our own."""
    if named is None and len(what) == 2:
        named = what.pop(0)
    if len(what) != 1:
        raise InvalidInput("import what? Pass one path, with the program before it: import claude-code PATH")
    return named, what[0]


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
    return ", ".join(f"{n:,} {_noun(name, n)}" for name, n in moved.items() if n) or "nothing"


def _noun(name: str, count: int) -> str:
    return name if count == 1 else name.removesuffix("y") + "ies" if name.endswith("y") else f"{name}s"


_SOURCES = "claude-code, codex, gemini, cursor, chatgpt, claude, mem0, mcp-memory, jsonl or markdown"

COMMANDS = (
    Command("export", export, "Write everything as JSON Lines, or the view as a readable folder.", (
        argument("path", help="a .jsonl file, or a folder with --folder"),
        flag("--folder", "the readable JSON folder of this view (.project-memory/)"),
        repeated("--space", "only this space"),
    )),
    Command("import", import_, "Read an export, a readable folder, or the chats of another program.", (
        argument("--from", dest="source", metavar="SOURCE", help=f"the program they come from: {_SOURCES}"),
        argument("what", nargs="+", metavar="PATH", help="a file or folder; the source may stand before it"),
        flag("--mine", "these are my own chats: believe what I said in them as if I had said it here"),
    )),
    Command("stats", stats, "Count what is in this memory."),
    Command("doctor", doctor, "Check whether this memory is sound; exit code 1 if anything is not."),
    Command("demo", demo, "Show recollect at work, in a temporary file."),
)  # fmt: skip

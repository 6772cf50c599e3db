"""Commands on memory as files: the project's memory.md, folders of documents, the tiers."""

import signal
import threading
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from recollect.files.memory_md import Heading
from recollect.ingest.embedders import AUTO
from recollect.model.document import Tier
from recollect.model.folder import FolderReading
from recollect.model.reflection import Reflection
from recollect.surfaces.cli.command import Command, argument, flag
from recollect.surfaces.cli.output import Session, progress


def reflect(session: Session, given: Namespace) -> None:
    """Read and write the project's memory file."""
    with session.writing() as memory:
        if given.schedule is not None:
            made = memory.files.schedule_distill(given.schedule, path=given.file)
            session.show(made, f"{made.name}: next on {made.next_at:%Y-%m-%d %H:%M} UTC")
            return
        if not session.later:
            memory.jobs.run()
        found = memory.files.distill(given.user, given.agent, path=given.file, dry_run=given.dry_run)
        session.show(found, "\n".join(_reflected(found)))


def fact(session: Session, given: Namespace) -> None:
    """Remember a fact of the project, or write it into its memory file now."""
    with session.writing() as memory:
        if given.under is not None:
            written = memory.files.update_project_memory(
                [given.text], heading=given.under, significance=given.sig, path=given.file
            )
            session.show(written, "\n".join(_reflected(written)))
            return
        receipt = memory.files.record_fact(given.text, given.sig)
        session.show(receipt, "\n".join(f"{e.action} {e.id}" for e in receipt.entries))


def tier(session: Session, given: Namespace) -> None:
    """Show what a tier holds."""
    with session.memory() as memory:
        text = memory.files.get_context(given.name, path=given.file)
        session.show({"tier": given.name, "text": text}, text)


def add(session: Session, given: Namespace) -> None:
    """Keep a folder as passages, or bring it up to date."""
    with session.writing() as memory:
        done = memory.files.read_folder(given.path, given.space, progress=progress("files"))
        session.show(done, "\n".join(_read(done)))


def list_(session: Session, _: Namespace) -> None:
    """List the folders that are kept."""
    with session.memory() as memory:
        found = memory.files.folders()
        session.show_table(
            found, ("path", "space", "files", "bytes"), ((f.path, f.space, f.files, f.bytes) for f in found)
        )


def remove(session: Session, given: Namespace) -> None:
    """Keep a folder no longer."""
    with session.writing() as memory:
        done = memory.files.remove_folder(given.path, given.space)
        session.show(done, f"set aside {done.forgotten} passages of {done.vanished} files")


def watch(session: Session, given: Namespace) -> None:
    """Read a folder now and whenever it changes, until stopped."""
    stop = threading.Event()
    with session.memory() as memory:

        def each(done: FolderReading) -> None:
            session.show(done, "\n".join(_read(done)))
            if not session.later:
                memory.jobs.run()

        def halt(_signal: int, _frame: Any) -> None:
            stop.set()

        signal.signal(signal.SIGTERM, halt)
        signal.signal(signal.SIGINT, halt)
        memory.files.watch_folder(given.path, given.space, each=each, stop=stop)


def reembed(session: Session, given: Namespace) -> None:
    """Change the embedder, show how far a change is, or give it up; whatever the settings ask for."""
    with replace(session, embedder=AUTO).memory() as memory:
        if given.cancel:
            now = memory.vectors.cancel_reembed()
        elif given.to is None:
            now = memory.vectors.status()
        elif session.later:
            now = memory.vectors.begin_reembed(given.to)
        else:
            report = progress(f"vectors by {given.to}")
            now = memory.vectors.reembed(given.to, progress=lambda step: report(step.done))
        serves = f"{now.serving or 'no embedder'} serves"
        on_its_way = f"; {now.target} has {now.done:,} texts, {now.remaining:,} to go"
        session.show(now, serves + (on_its_way if now.target else f", {now.done:,} vectors"))


def _reflected(found: Reflection) -> Iterator[str]:
    if found.dry_run or not found.written:
        yield f"{found.path}: {'would change' if found.dry_run and found.diff else 'not changed'}"
    else:
        yield f"{found.path}: written"
    counts = ("added", "updated", "removed", "merged", "pruned")
    told = [f"{getattr(found, name)} {name}" for name in counts if getattr(found, name)]
    yield f"  lines: {', '.join(told) or 'as they were'}; {found.conversations} conversations read"
    for entry in found.read:
        yield f"  {entry.action} {entry.id}" + (f" ({entry.reason})" if entry.reason else "")
    if found.contradictions:
        yield f"  {found.contradictions} contradictions between file and store, both sides kept"
    for question in found.questions:
        yield f"  to decide: {question.line} ({question.reason})"
    for problem in found.problems:
        yield f"  problem: {problem}"
    if found.dry_run and found.diff:
        yield found.diff.rstrip("\n")


def _read(done: FolderReading) -> Iterator[str]:
    yield (
        f"{done.path} in {done.space}: {done.read} files read ({done.passages} passages), "
        f"{done.unchanged} unchanged, {done.vanished} gone"
    )
    if done.quarantined:
        yield f"  {done.quarantined} passages give orders: see `recollect review --quarantined`"
    for problem in done.problems:
        yield f"  problem: {problem}"


_FILE = argument("--file", help="the memory file; else the setting project_file")
_PATH = argument("path", metavar="PATH", help="the folder")
_SPACE = argument("--space", help="a space of the view; else system if the view sees it, else its first")

COMMANDS = (
    Command("reflect", reflect, "Write what was learnt into memory.md, and read a person's edits back.", (
        _FILE,
        flag("--dry-run", "change nothing, and show the difference it would make"),
        argument("--user", help="also what was learnt in this user's space of the view"),
        argument("--agent", help="also what was learnt in this agent's space of the view"),
        argument("--schedule", metavar="CRON", help="let it come round, such as @daily or '0 3 * * *'"),
    )),
    Command("fact", fact, "Remember a fact of the project; the next reflection gives it a line.", (
        argument("text", help="the fact"),
        argument("--sig", type=int, default=3, help="its significance, 1 to 5 (3); 4 and 5 stay for ever"),
        argument("--under", choices=[str(h) for h in Heading], help="write it now, under this heading"),
        _FILE,
    )),
    Command("tier", tier, "Show what a tier of memory holds, as an assistant reads it.", (
        argument("name", choices=[str(tier) for tier in Tier], help="the tier"),
        _FILE,
    )),
    Command("vault", None, "Keep folders of texts, Markdown and PDF as passages.", parts=(
        Command("add", add, "Keep a folder, or bring it up to date.", (_PATH, _SPACE)),
        Command("list", list_, "List the folders that are kept."),
        Command("remove", remove, "Keep a folder no longer; its passages are set aside.", (_PATH, _SPACE)),
        Command("watch", watch, "Read a folder now and whenever it changes; Ctrl-C stops.", (_PATH, _SPACE)),
    )),
    Command("reembed", reembed, "Change the embedder; the old vectors serve until the new are complete.", (
        argument("--to", metavar="EMBEDDER", help="the embedder as provider:name; else show how far it is"),
        flag("--cancel", "give up a change that has not come to its end"),
    )),
)  # fmt: skip

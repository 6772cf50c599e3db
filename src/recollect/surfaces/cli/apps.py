"""Commands on apps: what each keeps of its conversations."""

import json
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from recollect.apps.records import plain
from recollect.errors import InvalidInput
from recollect.model.app import App, AppMemory, Point
from recollect.surfaces.cli.command import Command, argument, flag
from recollect.surfaces.cli.output import Session


def register(session: Session, given: Namespace) -> None:
    """Make an app, or change it."""
    with session.writing() as memory:
        made = memory.apps.register(given.id, name=given.name, cap=given.cap, length=given.length)
        session.show(made, _told(made))


def list_(session: Session, given: Namespace) -> None:
    """List the apps."""
    with session.memory() as memory:
        found = memory.apps.list(uninstalled=given.all)
        rows = ((a.id, a.name, a.cap, a.length, "yes" if a.installed else "no") for a in found)
        session.show_table(found, ("id", "name", "cap", "length", "installed"), rows)


def show(session: Session, given: Namespace) -> None:
    """Show one app, or the app of a conversation."""
    with session.memory() as memory:
        if given.conversation:
            found = memory.apps.of_conversation(given.id)
            session.show(found, "no app" if found is None else _told(found))
            return
        session.show_fields(memory.apps.get(given.id))


def memories(session: Session, given: Namespace) -> None:
    """List what an app keeps."""
    with session.memory() as memory:
        _listed(session, memory.apps.memories(given.id, removed=given.removed))


def search(session: Session, given: Namespace) -> None:
    """Find memories of an app."""
    with session.memory() as memory:
        if not session.later:
            memory.jobs.run()
        _listed(session, memory.apps.search(given.id, given.query, limit=given.limit))


def context(session: Session, given: Namespace) -> None:
    """Print the dated list for a system message."""
    with session.memory() as memory:
        made = memory.apps.context(given.id, point=given.point, conversation=given.conversation)
        session.show(made, made.text)


def export(session: Session, given: Namespace) -> None:
    """Write what an app keeps as JSON."""
    with session.memory() as memory:
        found = memory.apps.export(given.id)
    text = json.dumps(found, ensure_ascii=False, indent=2)
    if given.path is None:
        print(text)
        return
    try:
        Path(given.path).write_text(text + "\n", "utf-8")
    except OSError as error:
        raise InvalidInput(f"{given.path} cannot be written: {error.strerror}") from error
    count = len(found["memories"])
    session.show({"path": given.path, "memories": count}, f"exported {count} memories to {given.path}")


def stats(session: Session, given: Namespace) -> None:
    """Show the figures of one app, or of all."""
    with session.memory() as memory:
        session.show_fields(memory.apps.stats(given.id))


def uninstall(session: Session, given: Namespace) -> None:
    """Uninstall an app."""
    with session.memory() as memory:
        gone = memory.apps.uninstall(given.id, purge=given.purge)
        session.show(gone, f"uninstalled {gone.id}; its memories {'are erased' if given.purge else 'stay'}")


def purge(session: Session, given: Namespace) -> None:
    """Erase all memories of an app for good."""
    with session.memory() as memory:
        done = memory.apps.purge(given.id)
        session.show(done, f"erased {done.deleted_count} memories of {done.app_id} ({done.erased} in all)")


def delete(session: Session, given: Namespace) -> None:
    """Erase one memory of an app for good."""
    with session.memory() as memory:
        memory.apps.delete(given.id, given.memory)
        session.show({"success": True}, f"erased {given.memory}")


def restore(session: Session, given: Namespace) -> None:
    """Bring back what compaction removed."""
    with session.writing() as memory:
        receipt = memory.apps.restore(given.id, *given.memories)
        lines = (f"{e.action} {e.id}" + (f" ({e.reason})" if e.reason else "") for e in receipt.entries)
        session.show(receipt, "\n".join(lines))


def energy(session: Session, _: Namespace) -> None:
    """Show what keeping memories costs."""
    with session.memory() as memory:
        session.show_fields(memory.apps.energy())


def _told(app: App) -> str:
    state = "" if app.installed else ", uninstalled"
    return f"app {app.id} ({app.name}): up to {app.cap} memories of about {app.length} characters{state}"


def _listed(session: Session, found: Sequence[AppMemory]) -> None:
    rows = ((m.id, m.created_at, m.importance, m.content, m.tags) for m in found)
    columns = ("id", "created", "importance", "content", "tags")
    session.show_table([plain(m) for m in found], columns, rows)


_ID = argument("id", help="the app, without 'app:'")

COMMANDS = (
    Command("apps", None, "Register apps, and see to what each keeps of its conversations.", parts=(
        Command("register", register, "Make an app, or change it.", (
            _ID,
            argument("--name", help="how it is called; else its id"),
            argument("--cap", type=int, help="how many memories it keeps (10)"),
            argument("--length", type=int, help="about how many characters each has (200)"),
        )),
        Command("list", list_, "List the apps.", (flag("--all", "also those that were uninstalled"),)),
        Command("show", show, "Show one app, or the app of a conversation.", (
            argument("id", help="the app, without 'app:'; or a conversation"),
            flag("--conversation", "it is a conversation"),
        )),
        Command("memories", memories, "List what an app keeps, the latest changed first.", (
            _ID,
            flag("--removed", "what compaction took out, which can be restored"),
        )),
        Command("search", search, "Find memories of an app.", (
            _ID,
            argument("query", help="a question, or words"),
            argument("--limit", type=int, default=10, help="at most this many (10)"),
        )),
        Command("context", context, "Print the dated list of an app for a system message.", (
            _ID,
            argument("--point", choices=[str(point) for point in Point], default=str(Point.UNANSWERED),
                     help="what it is for (unanswered)"),
            argument("--conversation", help="the conversation that it is for"),
        )),
        Command("export", export, "Write what an app keeps as JSON.", (
            _ID,
            argument("path", nargs="?", help="a file; else it is printed"),
        )),
        Command("stats", stats, "Show the figures of one app, or of all.", (
            argument("id", nargs="?", help="the app; else all that are installed"),
        )),
        Command("uninstall", uninstall, "Uninstall an app; its memories stay.", (
            _ID,
            flag("--purge", "erase its memories for good"),
        )),
        Command("purge", purge, "Erase all memories of an app for good; its conversations stay.", (_ID,)),
        Command("delete", delete, "Erase one memory of an app for good.", (
            _ID,
            argument("memory", help="the memory"),
        )),
        Command("restore", restore, "Bring back what compaction removed; something else makes room.", (
            _ID,
            argument("memories", nargs="+", metavar="MEMORY", help="memories"),
        )),
        Command("energy", energy, "Show what keeping memories cost since the last call, and will cost."),
    )),
)  # fmt: skip

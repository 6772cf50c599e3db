"""Commands on spaces and conversations."""

from argparse import Namespace

from recollect.model.conversation import Conversation
from recollect.model.record import Record
from recollect.surfaces.cli.command import Command, argument, flag, page
from recollect.surfaces.cli.output import Session, step_progress, time
from recollect.surfaces.cli.upkeep import told


def create_space(session: Session, given: Namespace) -> None:
    """Make a space."""
    with session.memory() as memory:
        made = memory.spaces.create(given.path)
        session.show(made, f"space {made.path}")


def list_spaces(session: Session, _: Namespace) -> None:
    """List the spaces of the tenant."""
    with session.memory() as memory:
        found = memory.spaces.list()
        session.show_table(found, ("path", "created"), ((s.path, s.created_at) for s in found))


def show_space(session: Session, given: Namespace) -> None:
    """Show one space."""
    with session.memory() as memory:
        session.show_fields(memory.spaces.get(given.path))


def merge_spaces(session: Session, given: Namespace) -> None:
    """Move the memories of one space into another."""
    with session.writing() as memory:
        with step_progress() as progress:
            report = memory.upkeep.merge(given.source, given.target, dry_run=given.dry_run, progress=progress)
        session.show(report, told(report, session))


def start(session: Session, given: Namespace) -> None:
    """Begin a conversation."""
    with session.memory() as memory:
        made = memory.conversations.start(given.title)
        session.show(made, made.id)


def pause(session: Session, given: Namespace) -> None:
    """Set a conversation aside."""
    with session.memory() as memory:
        _moved(session, memory.conversations.pause(given.id))


def resume(session: Session, given: Namespace) -> None:
    """Go on with a paused conversation."""
    with session.memory() as memory:
        _moved(session, memory.conversations.resume(given.id))


def end(session: Session, given: Namespace) -> None:
    """Close a conversation for good."""
    with session.writing() as memory:
        _moved(session, memory.conversations.end(given.id))


def list_(session: Session, given: Namespace) -> None:
    """List conversations, newest first."""
    with session.memory() as memory:
        found = memory.conversations.list(limit=given.limit, after=given.after)
        rows = ((c.id, c.space, c.status, c.turns, c.title, c.started_at) for c in found.items)
        session.show_page(found, ("id", "space", "status", "turns", "title", "started"), rows)


def get(session: Session, given: Namespace) -> None:
    """Show how a conversation stands."""
    with session.memory() as memory:
        session.show_fields(memory.conversations.get(given.id))


def said(session: Session, given: Namespace) -> None:
    """Show what was said in a period, whatever the conversation."""
    with session.memory() as memory:
        since, until = time(given.since, "--since"), time(given.until, "--until")
        found = memory.conversations.said(since=since, until=until, limit=given.limit)
        rows = ((m.said_at, m.speaker or m.role, m.text, m.conversation) for m in found)
        session.show_table(found, ("said", "who", "text", "conversation"), rows)


def summary(session: Session, given: Namespace) -> None:
    """Tell what a conversation was about."""
    with session.memory() as memory:
        session.catch_up(memory)
        text = memory.files.summarize_session(given.id)
        session.show({"summary": text}, text)


def show(session: Session, given: Namespace) -> None:
    """Show what was said."""
    with session.memory() as memory:
        said = memory.conversations.messages(given.id, after=given.after_turn, limit=given.limit)
        rows = ((m.turn, m.said_at, m.speaker or m.role, m.text) for m in said)
        session.show_table(said, ("turn", "said", "who", "text"), rows)


def recent(session: Session, given: Namespace) -> None:
    """Show what a context carries of a conversation."""
    with session.memory() as memory:
        found = memory.conversations.recent(given.id)
        old = (f"[{c.first_turn}-{c.last_turn}] {c.summary}" for c in found.chunks)
        new = (f"{m.turn}. {m.speaker or m.role}: {m.text}" for m in found.messages)
        session.show(found, "\n".join((*old, *new)))


def narrative(session: Session, given: Namespace) -> None:
    """Tell the arc of a conversation."""
    with session.memory() as memory:
        arc = memory.conversations.narrative(given.id)
        lines = []
        for part in ("beginning", "middle", "end", "key_moments"):
            lines.append(f"{part.replace('_', ' ')}:")
            lines += [f"  {r.importance:.2f} {_title(r)}" for r in getattr(arc, part)]
        session.show(arc, "\n".join(lines))


def _title(r: Record) -> str:
    told = r.episode
    return r.text if told is None else f"{told.title} (turns {told.first_turn}-{told.last_turn})"


def _moved(session: Session, conversation: Conversation) -> None:
    session.show(conversation, f"{conversation.status} {conversation.id}")


_ID = argument("id", help="the conversation")

COMMANDS = (
    Command("space", None, "Create, list, show and merge spaces.", parts=(
        Command("create", create_space, "Make a space.", (argument("path", help="such as project:phoenix"),)),
        Command("list", list_spaces, "List the spaces of the tenant."),
        Command("show", show_space, "Show one space.", (argument("path", help="such as project:phoenix"),)),
        Command("merge", merge_spaces, "Move the memories of one space into another; can be undone.", (
            argument("source", help="the space to empty"),
            argument("target", help="the space that takes its memories"),
            flag("--dry-run", "only say what would be done"),
        )),
    )),
    Command("conversation", None, "Start, pause, resume, end, show and retell conversations.", parts=(
        Command("start", start, "Begin a conversation.", (argument("title", nargs="?", help="its title"),)),
        Command("pause", pause, "Set a conversation aside; adding to it resumes it.", (_ID,)),
        Command("resume", resume, "Go on with a paused conversation.", (_ID,)),
        Command("end", end, "Close a conversation for good.", (_ID,)),
        Command("list", list_, "List conversations, newest first.", page()),
        Command("get", get, "Show how it stands: its title, turns, times and summary.", (_ID,)),
        Command("said", said, "Show the last things said in a period, in any conversation.", (
            argument("--since", help="only from this time on"),
            argument("--until", help="only until this time"),
            argument("--limit", type=int, default=100, help="at most this many, the last (100)"),
        )),
        Command("summary", summary, "Tell what it was about; the open one is told so far.", (
            argument("id", nargs="?", help="the conversation; else the open one"),
        )),
        Command("recent", recent, "Show what a context carries of it: summaries, then messages.", (_ID,)),
        Command("narrative", narrative, "Tell its arc: beginning, middle, end and key moments.", (_ID,)),
        Command("show", show, "Show what was said.", (
            _ID,
            argument("--after-turn", type=int, default=0, help="only after this turn"),
            argument("--limit", type=int, default=1000, help="at most this many (1000)"),
        )),
    )),
)  # fmt: skip

"""Commands on spaces and conversations."""

from argparse import Namespace

from recollect.model.conversation import Conversation
from recollect.surfaces.cli.command import Command, argument, page
from recollect.surfaces.cli.output import Session


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


def show(session: Session, given: Namespace) -> None:
    """Show what was said."""
    with session.memory() as memory:
        said = memory.conversations.messages(given.id, after=given.after_turn, limit=given.limit)
        rows = ((m.turn, m.said_at, m.speaker or m.role, m.text) for m in said)
        session.show_table(said, ("turn", "said", "who", "text"), rows)


def _moved(session: Session, conversation: Conversation) -> None:
    session.show(conversation, f"{conversation.status} {conversation.id}")


_ID = argument("id", help="the conversation")

COMMANDS = (
    Command("space", None, "Create and list spaces.", parts=(
        Command("create", create_space, "Make a space.", (argument("path", help="such as project:phoenix"),)),
        Command("list", list_spaces, "List the spaces of the tenant."),
    )),
    Command("conversation", None, "Start, pause, resume, end and show conversations.", parts=(
        Command("start", start, "Begin a conversation.", (argument("title", nargs="?", help="its title"),)),
        Command("pause", pause, "Set a conversation aside; adding to it resumes it.", (_ID,)),
        Command("resume", resume, "Go on with a paused conversation.", (_ID,)),
        Command("end", end, "Close a conversation for good.", (_ID,)),
        Command("list", list_, "List conversations, newest first.", page()),
        Command("show", show, "Show what was said.", (
            _ID,
            argument("--after-turn", type=int, default=0, help="only after this turn"),
            argument("--limit", type=int, default=1000, help="at most this many (1000)"),
        )),
    )),
)  # fmt: skip

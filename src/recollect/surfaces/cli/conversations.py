"""Commands on spaces and conversations."""

from typing import Annotated

import typer

from recollect.surfaces.cli.output import Session

app = typer.Typer(help="Start, pause, resume, end and show conversations.", no_args_is_help=True)
space = typer.Typer(help="Create and list spaces.", no_args_is_help=True)

Id = Annotated[str, typer.Argument(help="The conversation.")]


@space.command("create")
def create_space(
    context: typer.Context, path: Annotated[str, typer.Argument(help="Such as project:phoenix.")]
) -> None:
    """Make a space."""
    session: Session = context.obj
    with session.memory() as memory:
        made = memory.spaces.create(path)
        session.show(made, f"space {made.path}")


@space.command("list")
def list_spaces(context: typer.Context) -> None:
    """List the spaces of the tenant."""
    session: Session = context.obj
    with session.memory() as memory:
        found = memory.spaces.list()
        session.show_table(found, ("path", "created"), ((s.path, s.created_at) for s in found))


@app.command()
def start(
    context: typer.Context, title: Annotated[str | None, typer.Argument(help="Its title.")] = None
) -> None:
    """Begin a conversation."""
    session: Session = context.obj
    with session.memory() as memory:
        made = memory.conversations.start(title)
        session.show(made, made.id)


@app.command()
def pause(context: typer.Context, id: Id) -> None:
    """Set a conversation aside; adding to it resumes it."""
    session: Session = context.obj
    with session.memory() as memory:
        moved = memory.conversations.pause(id)
        session.show(moved, f"{moved.status} {moved.id}")


@app.command()
def resume(context: typer.Context, id: Id) -> None:
    """Go on with a paused conversation."""
    session: Session = context.obj
    with session.memory() as memory:
        moved = memory.conversations.resume(id)
        session.show(moved, f"{moved.status} {moved.id}")


@app.command()
def end(context: typer.Context, id: Id) -> None:
    """Close a conversation for good."""
    session: Session = context.obj
    with session.writing() as memory:
        moved = memory.conversations.end(id)
        session.show(moved, f"{moved.status} {moved.id}")


@app.command("list")
def list_(
    context: typer.Context,
    limit: Annotated[int, typer.Option(help="At most this many.")] = 50,
    after: Annotated[str | None, typer.Option(help="Go on after this id.")] = None,
) -> None:
    """List conversations, newest first."""
    session: Session = context.obj
    with session.memory() as memory:
        page = memory.conversations.list(limit=limit, after=after)
        columns = ("id", "space", "status", "turns", "title", "started")
        rows = ((c.id, c.space, c.status, c.turns, c.title, c.started_at) for c in page.items)
        session.show_table(page.items, columns, rows)


@app.command()
def show(
    context: typer.Context,
    id: Id,
    after: Annotated[int, typer.Option(help="Only after this turn.")] = 0,
    limit: Annotated[int, typer.Option(help="At most this many.")] = 1000,
) -> None:
    """Show what was said."""
    session: Session = context.obj
    with session.memory() as memory:
        said = memory.conversations.messages(id, after=after, limit=limit)
        rows = ((m.turn, m.said_at, m.speaker or m.role, m.text) for m in said)
        session.show_table(said, ("turn", "said", "who", "text"), rows)

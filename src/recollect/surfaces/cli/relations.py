"""Commands on links between memories."""

from typing import Annotated

import typer

from recollect.model.relation import LinkType
from recollect.surfaces.cli.output import Session

Source = Annotated[str, typer.Argument(help="The memory it leads from.")]
Target = Annotated[str, typer.Argument(help="The memory it leads to.")]


def register(app: typer.Typer) -> None:
    """Add these commands to the program."""
    for command in (link, unlink, links):
        app.command()(command)


def link(
    context: typer.Context,
    source: Source,
    target: Target,
    type: Annotated[LinkType, typer.Option(help="How they relate.")] = LinkType.RELATED_TO,
    strength: Annotated[float, typer.Option(help="0 to 1.")] = 1.0,
) -> None:
    """Link one memory to another."""
    session: Session = context.obj
    with session.memory() as memory:
        made = memory.links.add(source, target, type, strength=strength)
        session.show(made, f"{made.source} {made.type} {made.target}")


def unlink(
    context: typer.Context,
    source: Source,
    target: Target,
    type: Annotated[LinkType | None, typer.Option(help="Only links of this type.")] = None,
) -> None:
    """Remove the links from one memory to another."""
    session: Session = context.obj
    with session.memory() as memory:
        removed = memory.links.remove(source, target, type)
        session.show({"removed": removed}, f"removed {removed}")


def links(
    context: typer.Context,
    id: Annotated[str, typer.Argument(help="Where to start.")],
    type: Annotated[list[LinkType] | None, typer.Option(help="Only this type; may be repeated.")] = None,
    depth: Annotated[int, typer.Option(help="How many steps.")] = 1,
) -> None:
    """Walk along the links of a memory, nearest first."""
    session: Session = context.obj
    with session.memory() as memory:
        steps = memory.links.walk(id, types=type or (), depth=depth)
        rows = ((s.depth, s.via.source, s.via.type, s.via.target, s.via.strength) for s in steps)
        session.show_table(steps, ("depth", "from", "type", "to", "strength"), rows)

"""Commands on links between memories, and on memories as a graph."""

from argparse import Namespace

from recollect.model.relation import LinkType
from recollect.surfaces.cli.command import Command, argument, repeated
from recollect.surfaces.cli.output import Session


def link(session: Session, given: Namespace) -> None:
    """Link one memory to another."""
    with session.memory() as memory:
        made = memory.links.add(given.source, given.target, given.type, strength=given.strength)
        session.show(made, f"{made.source} {made.type} {made.target}")


def unlink(session: Session, given: Namespace) -> None:
    """Remove the links from one memory to another."""
    with session.memory() as memory:
        removed = memory.links.remove(given.source, given.target, given.type)
        session.show({"removed": removed}, f"removed {removed}")


def links(session: Session, given: Namespace) -> None:
    """Walk along the links of a memory, nearest first."""
    with session.memory() as memory:
        steps = memory.links.walk(given.id, types=given.type, depth=given.depth)
        rows = ((s.depth, s.via.source, s.via.type, s.via.target, s.via.strength) for s in steps)
        session.show_table(steps, ("depth", "from", "type", "to", "strength"), rows)


def graph(session: Session, given: Namespace) -> None:
    """Show memories as entities with observations, and their relations."""
    with session.memory() as memory:
        found = memory.graph.read(names=given.name or None, query=given.query)
        lines = [f"{e.name} ({e.type}): {'; '.join(e.observations)}" for e in found.entities]
        lines += [f"{r.source} {r.type} {r.target}" for r in found.relations]
        session.show(found, "\n".join(lines))


_TYPES = [str(type) for type in LinkType]
_ENDS = (
    argument("source", help="the memory it leads from"),
    argument("target", help="the memory it leads to"),
)

COMMANDS = (
    Command("link", link, "Link one memory to another.", (
        *_ENDS,
        argument("--type", choices=_TYPES, default="related_to", help="how they relate"),
        argument("--strength", type=float, default=1.0, help="0 to 1"),
    )),
    Command("unlink", unlink, "Remove the links from one memory to another.", (
        *_ENDS,
        argument("--type", choices=_TYPES, help="only links of this type"),
    )),
    Command("graph", graph, "Show memories as a graph: entities with observations, and their relations.", (
        argument("query", nargs="?", help="only entities that this text occurs in"),
        repeated("--name", "only the entity of this name"),
    )),
    Command("links", links, "Walk along the links of a memory, nearest first.", (
        argument("id", help="where to start"),
        repeated("--type", "only this type", choices=_TYPES),
        argument("--depth", type=int, default=1, help="how many steps"),
    )),
)  # fmt: skip

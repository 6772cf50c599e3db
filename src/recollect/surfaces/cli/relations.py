"""Commands on links between memories, and on memories as a graph."""

from argparse import Namespace

from recollect.model.graph import Entity, Graph, Relation
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
        _show(session, memory.graph.read(names=given.name or None, query=given.query))


def add_entity(session: Session, given: Namespace) -> None:
    """Make an entity, or add to what was observed about it."""
    with session.writing() as memory:
        if given.type is not None:
            memory.graph.add([Entity(name=given.name, type=given.type)])
        if given.observed:
            memory.graph.observe([(given.name, given.observed)])
        _show(session, memory.graph.read(names=[given.name]))


def relate(session: Session, given: Namespace) -> None:
    """Say how one entity relates to another."""
    with session.writing() as memory:
        memory.graph.add(relations=[_relation(given)])
        _show(session, memory.graph.read(names=[given.source, given.target]))


def forget(session: Session, given: Namespace) -> None:
    """Set an entity aside, or some of what was observed about it."""
    with session.memory() as memory:
        if given.observed:
            gone = memory.graph.forget_observations([(given.name, given.observed)])
        else:
            gone = memory.graph.forget(given.name)
        session.show({"forgotten": gone}, f"set aside: {gone}")


def unrelate(session: Session, given: Namespace) -> None:
    """Set a relation aside."""
    with session.memory() as memory:
        gone = memory.graph.forget_relations([_relation(given)])
        session.show({"forgotten": gone}, f"set aside: {gone}")


def _relation(given: Namespace) -> Relation:
    return Relation(source=given.source, type=given.relation, target=given.target)


def _show(session: Session, found: Graph) -> None:
    lines = [f"{e.name} ({e.type}): {'; '.join(e.observations)}".removesuffix(": ") for e in found.entities]
    lines += [f"{r.source} {r.type} {r.target}" for r in found.relations]
    session.show(found, "\n".join(lines))


_TYPES = [str(type) for type in LinkType]
_ENDS = (
    argument("source", help="the memory it leads from"),
    argument("target", help="the memory it leads to"),
)

_NAME = argument("name", help="the entity")
_RELATION = (
    argument("source", help="the entity it is told of"),
    argument("relation", help="in the active voice, such as 'works at'"),
    argument("target", help="the other entity"),
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
        argument("--query", help="only entities that this text occurs in"),
        repeated("--name", "only the entity of this name"),
    ), parts=(
        Command("add", add_entity, "Make an entity, or add to what was observed about it.", (
            _NAME,
            argument("--type", help="what it is, such as person; needed to make it"),
            repeated("--observed", "something about it, as a sentence"),
        )),
        Command("relate", relate, "Say how one entity relates to another.", _RELATION),
        Command("forget", forget, "Set an entity aside with all about it, or only some observations.", (
            _NAME,
            repeated("--observed", "only this observation"),
        )),
        Command("unrelate", unrelate, "Set a relation aside.", _RELATION),
    )),
    Command("links", links, "Walk along the links of a memory, nearest first.", (
        argument("id", help="where to start"),
        repeated("--type", "only this type", choices=_TYPES),
        argument("--depth", type=int, default=1, help="how many steps"),
    )),
)  # fmt: skip

"""Entity, Relation and Graph: memories as a knowledge graph of named things."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """A named thing of a type, with what was observed about it."""

    name: str
    type: str
    observations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """How one thing relates to another, in the active voice: source `works at` target."""

    source: str
    target: str
    type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """Entities in the order they were made, and the relations that touch them."""

    entities: tuple[Entity, ...] = ()
    relations: tuple[Relation, ...] = ()

"""The nine tools of the MCP reference memory server, with its shapes, over our store.

A client that was set up for that server works unchanged. What is deleted is set aside and can be restored.
"""

import json
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from recollect.memory import Memory
from recollect.model.conversation import Trust
from recollect.model.graph import Entity, Graph, Relation
from recollect.surfaces.mcp.tools import Tool
from recollect.surfaces.mcp.values import Answer, Value


class EntityShape(Value):
    """An entity as that server writes it."""

    name: str = Field(description="The name of the entity")
    entityType: str = Field(description="The type of the entity")
    observations: list[str] = Field(description="An array of observation contents associated with the entity")


class RelationShape(Value):
    """A relation as that server writes it."""

    source: str = Field(alias="from", description="The name of the entity where the relation starts")
    to: str = Field(description="The name of the entity where the relation ends")
    relationType: str = Field(description="The type of the relation")


class AddShape(Value):
    """Observations to add."""

    entityName: str = Field(description="The name of the entity to add the observations to")
    contents: list[str] = Field(description="An array of observation contents to add")


class DeleteShape(Value):
    """Observations to delete."""

    entityName: str = Field(description="The name of the entity containing the observations")
    observations: list[str] = Field(description="An array of observations to delete")


class AddedShape(Value):
    """Observations that were new."""

    entityName: str
    addedObservations: list[str]


class Entities(Value):
    """Entities that were new."""

    entities: list[EntityShape]


class Relations(Value):
    """Relations that were new."""

    relations: list[RelationShape]


class Added(Value):
    """Observations that were new, by entity."""

    results: list[AddedShape]


class GraphShape(Value):
    """A graph."""

    entities: list[EntityShape]
    relations: list[RelationShape]


class Success(Value):
    """That it was done."""

    success: bool
    message: str


def create_entities(memory: Memory, entities: list[EntityShape]) -> Answer:
    """Create multiple new entities in the knowledge graph."""
    given = [Entity(name=e.name, type=e.entityType, observations=tuple(e.observations)) for e in entities]
    made = _shown(memory.graph.add(given, trust=Trust.ASSISTANT))
    return _told(made.entities, Entities(entities=made.entities))


def create_relations(memory: Memory, relations: list[RelationShape]) -> Answer:
    """Create multiple new relations between entities in the knowledge graph.

    Relations should be in active voice.
    """
    made = _shown(memory.graph.add((), _relations(relations), trust=Trust.ASSISTANT))
    return _told(made.relations, Relations(relations=made.relations))


def add_observations(memory: Memory, observations: list[AddShape]) -> Answer:
    """Add new observations to existing entities in the knowledge graph."""
    added = memory.graph.observe([(o.entityName, o.contents) for o in observations], trust=Trust.ASSISTANT)
    results = [AddedShape(entityName=name, addedObservations=texts) for name, texts in added]
    return _told(results, Added(results=results))


def delete_entities(
    memory: Memory,
    entityNames: Annotated[list[str], Field(description="An array of entity names to delete")],
) -> Answer:
    """Delete multiple entities and their associated relations from the knowledge graph."""
    memory.graph.forget(*entityNames)
    return _done("Entities deleted successfully")


def delete_observations(memory: Memory, deletions: list[DeleteShape]) -> Answer:
    """Delete specific observations from entities in the knowledge graph."""
    memory.graph.forget_observations([(d.entityName, d.observations) for d in deletions])
    return _done("Observations deleted successfully")


def delete_relations(
    memory: Memory,
    relations: Annotated[list[RelationShape], Field(description="An array of relations to delete")],
) -> Answer:
    """Delete multiple relations from the knowledge graph."""
    memory.graph.forget_relations(_relations(relations))
    return _done("Relations deleted successfully")


def read_graph(memory: Memory) -> Answer:
    """Read the entire knowledge graph."""
    return _graph(memory.graph.read())


def search_nodes(
    memory: Memory,
    query: Annotated[
        str,
        Field(description="The search query to match against entity names, types, and observation content"),
    ],
) -> Answer:
    """Search for nodes in the knowledge graph based on a query."""
    return _graph(memory.graph.read(query=query))


def open_nodes(
    memory: Memory, names: Annotated[list[str], Field(description="An array of entity names to retrieve")]
) -> Answer:
    """Open specific nodes in the knowledge graph by their names."""
    return _graph(memory.graph.read(names=names))


def _relations(given: Sequence[RelationShape]) -> list[Relation]:
    return [Relation(source=r.source, target=r.to, type=r.relationType) for r in given]


def _shown(graph: Graph) -> GraphShape:
    return GraphShape(
        entities=[
            EntityShape(name=e.name, entityType=e.type, observations=list(e.observations))
            for e in graph.entities
        ],
        relations=[_relation(r) for r in graph.relations],
    )


def _relation(relation: Relation) -> RelationShape:
    ends = {"from": relation.source, "to": relation.target, "relationType": relation.type}
    return RelationShape.model_validate(ends)


def _graph(graph: Graph) -> Answer:
    shown = _shown(graph)
    return Answer(_json(shown.model_dump(by_alias=True)), shown)


def _told(parts: Sequence[Value], value: Value) -> Answer:
    return Answer(_json([part.model_dump(by_alias=True) for part in parts]), value)


def _done(message: str) -> Answer:
    return Answer(message, Success(success=True, message=message))


def _json(held: Any) -> str:
    return json.dumps(held, ensure_ascii=False, indent=2)


REFERENCE = (
    Tool(run=create_entities, gives=Entities, title="Create Entities", operation="graph.add", writes=True),
    Tool(run=create_relations, gives=Relations, title="Create Relations", operation="graph.add", writes=True),
    Tool(run=add_observations, gives=Added, title="Add Observations", operation="graph.observe", writes=True),
    Tool(run=delete_entities, gives=Success, title="Delete Entities", operation="graph.forget", writes=True,
         destroys=True),
    Tool(run=delete_observations, gives=Success, title="Delete Observations",
         operation="graph.forget_observations", writes=True, destroys=True),
    Tool(run=delete_relations, gives=Success, title="Delete Relations", operation="graph.forget_relations",
         writes=True, destroys=True),
    Tool(run=read_graph, gives=GraphShape, title="Read Graph", operation="graph.read"),
    Tool(run=search_nodes, gives=GraphShape, title="Search Nodes", operation="graph.read"),
    Tool(run=open_nodes, gives=GraphShape, title="Open Nodes", operation="graph.read"),
)  # fmt: skip

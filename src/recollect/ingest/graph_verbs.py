"""The verbs on the memories of a view as a graph: `memory.graph.read()` and so on."""

from collections.abc import Sequence

from recollect.ingest import gate
from recollect.model.conversation import Trust
from recollect.model.graph import Entity, Graph, Relation
from recollect.store.scope import Scope

Observations = Sequence[tuple[str, Sequence[str]]]


class Graphs:
    """Memories as a knowledge graph: named entities, what was observed about them, how they relate."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    def read(self, *, names: Sequence[str] | None = None, query: str | None = None) -> Graph:
        """All of it, or the entities of some names, or those that a text occurs in, with their relations."""
        from recollect.ingest import graph

        return graph.read(self._scope, names, query)

    def add(
        self,
        entities: Sequence[Entity] = (),
        relations: Sequence[Relation] = (),
        *,
        trust: Trust | str = Trust.USER,
    ) -> Graph:
        """Add entities and relations that are not there yet; what was new. All of it, or nothing."""
        from recollect.ingest import graph

        return graph.add(self._scope, entities, relations, gate.choice(trust, Trust, "trust"))

    def observe(
        self, observations: Observations, *, trust: Trust | str = Trust.USER
    ) -> Sequence[tuple[str, list[str]]]:
        """Add observations to entities by name; which were new. All of it, or nothing."""
        from recollect.ingest import graph

        return graph.observe(self._scope, observations, gate.choice(trust, Trust, "trust"))

    def forget(self, *names: str) -> int:
        """Set entities aside with their observations and relations; how many memories that was."""
        from recollect.ingest import graph

        return graph.forget(self._scope, names)

    def forget_observations(self, observations: Observations) -> int:
        """Set some observations of entities aside; how many there were."""
        from recollect.ingest import graph

        return graph.forget_observations(self._scope, observations)

    def forget_relations(self, relations: Sequence[Relation]) -> int:
        """Set relations aside; how many there were."""
        from recollect.ingest import graph

        return graph.forget_relations(self._scope, relations)

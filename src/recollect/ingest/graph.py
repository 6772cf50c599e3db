"""The memories of a view as a graph: entities, what was observed about them, and how they relate.

An entity is a memory of kind entity whose subject is its name; every other believed memory with that
subject is an observation of it; a relation is a memory that tells it in words, with a link between the two.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from recollect.errors import NotFound
from recollect.ingest import gate
from recollect.ingest.remember import levelled, set_status
from recollect.jobs import queue
from recollect.model.conversation import Trust
from recollect.model.graph import Entity, Graph, Relation
from recollect.model.ids import new_id
from recollect.model.record import DEFAULT_IMPORTANCE, Kind, Record, Status
from recollect.model.relation import Link, LinkType
from recollect.model.space import Space
from recollect.store import graph, links, memories, spaces
from recollect.store.database import Tx
from recollect.store.scope import Scope

RELATION = "relation"
"""The category of memories that tell a relation."""


@dataclass(slots=True)
class Known:
    """The memories of a view that make up its graph, by what they stand for."""

    entities: dict[str, Record] = field(default_factory=dict)
    observed: dict[str, dict[str, Record]] = field(default_factory=lambda: defaultdict(dict))
    relations: dict[Relation, Record] = field(default_factory=dict)

    def drawn(self, names: Iterable[str] | None = None) -> Graph:
        """All of it, or some entities and every relation that touches them."""
        chosen = (
            self.entities
            if names is None
            else {n: self.entities[n] for n in self.entities if n in set(names)}
        )
        return Graph(
            entities=tuple(self._entity(record) for record in chosen.values()),
            relations=tuple(
                r for r in self.relations if names is None or {r.source, r.target} & chosen.keys()
            ),
        )

    def _entity(self, record: Record) -> Entity:
        name = _name(record)
        return Entity(name=name, type=record.category or "", observations=tuple(self.observed[name]))


def read(scope: Scope, names: Sequence[str] | None, query: str | None) -> Graph:
    """The graph, the entities of some names, or those that a text occurs in."""
    known = scope.read(lambda tx: _known(tx, scope))
    if query is not None:
        wanted = query.lower()
        found = (e for e in known.drawn().entities if _mentions(e, wanted))
        return known.drawn([e.name for e in found])
    return known.drawn(names)


def add(scope: Scope, entities: Sequence[Entity], relations: Sequence[Relation], trust: Trust) -> Graph:
    """Store what is not there yet, all at once, and say what that was."""
    for entity in entities:
        gate.text(entity.name, "the name of an entity", gate.MAX_NAME)
        gate.text(entity.type, "the type of an entity", gate.MAX_NAME)
        for text in entity.observations:
            gate.text(text, "an observation")
    for relation in relations:
        for part in (relation.source, relation.target, relation.type):
            gate.text(part, "a part of a relation", gate.MAX_NAME)

    def work(tx: Tx) -> Graph:
        writer = Writer(tx, scope, _known(tx, scope), trust)
        made = tuple(e for e in entities if writer.entity(e))
        drawn = tuple(r for r in relations if writer.relation(r))
        writer.store()
        return Graph(entities=made, relations=drawn)

    return scope.write(work)


def observe(
    scope: Scope, observations: Sequence[tuple[str, Sequence[str]]], trust: Trust
) -> list[tuple[str, list[str]]]:
    """Add observations to entities that are there: all of them, or none; which were new."""
    for _, texts in observations:
        for text in texts:
            gate.text(text, "an observation")

    def work(tx: Tx) -> list[tuple[str, list[str]]]:
        writer = Writer(tx, scope, _known(tx, scope), trust)
        for name, _ in observations:
            if name not in writer.known.entities:
                raise NotFound(f"Entity with name {name} not found")
        added = [(name, [t for t in texts if writer.observation(name, t)]) for name, texts in observations]
        writer.store()
        return added

    return scope.write(work)


def forget(scope: Scope, names: Sequence[str]) -> int:
    """Set entities aside with their observations and relations; how many memories that was."""

    def work(tx: Tx) -> int:
        known = _known(tx, scope)
        gone = [known.entities[name] for name in names if name in known.entities]
        gone += [r for name in names if name in known.entities for r in known.observed[name].values()]
        touched = [r for r in known.relations if r.source in names or r.target in names]
        gone += [known.relations[r] for r in touched]
        _unlink(tx, known, touched)
        return _set_aside(tx, scope, gone)

    return scope.write(work)


def forget_observations(scope: Scope, observations: Sequence[tuple[str, Sequence[str]]]) -> int:
    """Set observations aside; what is not there is left alone."""

    def work(tx: Tx) -> int:
        known = _known(tx, scope)
        gone = [known.observed[n][t] for n, texts in observations for t in texts if t in known.observed[n]]
        return _set_aside(tx, scope, gone)

    return scope.write(work)


def forget_relations(scope: Scope, relations: Sequence[Relation]) -> int:
    """Set relations aside; what is not there is left alone."""

    def work(tx: Tx) -> int:
        known = _known(tx, scope)
        there = [r for r in dict.fromkeys(relations) if r in known.relations]
        _unlink(tx, known, there)
        return _set_aside(tx, scope, [known.relations[r] for r in there])

    return scope.write(work)


class Writer:
    """New memories of a graph, gathered and then stored together."""

    def __init__(self, tx: Tx, scope: Scope, known: Known, trust: Trust) -> None:
        self.known = known
        self._tx = tx
        self._scope = scope
        self._trust = trust
        self._new: list[Record] = []
        self._links: list[Link] = []

    def entity(self, entity: Entity) -> bool:
        """An entity with its observations, unless one of that name is there."""
        if entity.name in self.known.entities:
            return False
        text = f"{entity.name} ({entity.type})"
        made = self._made(Kind.ENTITY, text, subject=entity.name, category=entity.type)
        self.known.entities[entity.name] = made
        for observed in entity.observations:
            self.observation(entity.name, observed)
        return True

    def observation(self, name: str, text: str) -> bool:
        """Something observed about an entity, unless it is known."""
        if text in self.known.observed[name]:
            return False
        self.known.observed[name][text] = self._made(Kind.NOTE, text, subject=name)
        return True

    def relation(self, relation: Relation) -> bool:
        """A relation in words, and as a link where both ends are there, unless it is known."""
        if relation in self.known.relations:
            return False
        text = f"{relation.source} {relation.type} {relation.target}"
        ends = {"from": relation.source, "to": relation.target, "type": relation.type}
        made = self._made(Kind.NOTE, text, category=RELATION, metadata={RELATION: ends})
        self.known.relations[relation] = made
        source, target = (self.known.entities.get(name) for name in (relation.source, relation.target))
        if source is not None and target is not None and source.id != target.id:
            at = made.recorded_at
            self._links.append(
                Link(source=source.id, target=target.id, type=LinkType.RELATED_TO, created_at=at)
            )
        return True

    def store(self) -> None:
        """Write it all."""
        if self._new:
            now = self._new[0].recorded_at
            spaces.create(self._tx, Space(path=self._scope.view.home, created_at=now))
            memories.insert(self._tx, self._new)
            links.put(self._tx, self._links)
            queue.enqueue(self._tx, "embed", now, key="embed")

    def _made(
        self,
        kind: Kind,
        text: str,
        *,
        subject: str | None = None,
        category: str | None = None,
        metadata: Mapping[str, object] | None = None,
    ) -> Record:
        now: datetime = self._scope.now()
        record = Record(
            id=new_id(now),
            space=self._scope.view.home,
            kind=kind,
            text=gate.redacted(text)[0],
            subject=subject,
            category=category,
            trust=self._trust,
            recorded_at=now,
            valid_from=now,
            importance=DEFAULT_IMPORTANCE[kind],
            metadata=gate.metadata(metadata),
        )
        self._new.append(levelled(record))
        return self._new[-1]


def _known(tx: Tx, scope: Scope) -> Known:
    known = Known()
    for record in graph.named(tx, scope.view.spaces, RELATION):
        ends = record.metadata.get(RELATION)
        if record.category == RELATION and isinstance(ends, dict):
            relation = Relation(source=ends["from"], target=ends["to"], type=ends["type"])
            known.relations.setdefault(relation, record)
        elif record.kind == Kind.ENTITY:
            known.entities.setdefault(_name(record), record)
        elif record.subject:
            known.observed[record.subject].setdefault(record.text, record)
    return known


def _name(record: Record) -> str:
    return record.subject or record.text


def _mentions(entity: Entity, wanted: str) -> bool:
    return any(wanted in text.lower() for text in (entity.name, entity.type, *entity.observations))


def _unlink(tx: Tx, known: Known, gone: Sequence[Relation]) -> None:
    """Remove the links of relations, unless another relation still joins the same two."""
    left = {(r.source, r.target) for r in known.relations if r not in set(gone)}
    for pair in {(r.source, r.target) for r in gone} - left:
        source, target = (known.entities.get(name) for name in pair)
        if source is not None and target is not None:
            links.remove(tx, source.id, target.id, LinkType.RELATED_TO)


def _set_aside(tx: Tx, scope: Scope, records: Iterable[Record]) -> int:
    unique = {record.id: record for record in records}
    for record in unique.values():
        set_status(tx, record, Status.FORGOTTEN, scope.now())
    return len(unique)

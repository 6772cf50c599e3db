"""The file of the MCP reference memory server: JSON Lines of entities and relations."""

from collections.abc import Iterator, Mapping
from typing import Any

from recollect.files.importers.talk import Drawn, Read, Unread, clean, objects
from recollect.model.graph import Entity, Relation


def parse(text: str, name: str) -> Iterator[Read]:  # noqa: ARG001 - every parser takes both
    """The whole graph."""
    entities: list[Entity] = []
    relations: list[Relation] = []
    unread: list[Unread] = []
    for number, line in objects(text, unread):
        made = _read(line)
        if isinstance(made, Entity):
            entities.append(made)
        elif made is not None:
            relations.append(made)
        else:
            unread.append(Unread(f"line {number} is neither an entity nor a relation"))
    yield from unread
    if entities or relations:
        yield Drawn(entities=tuple(entities), relations=tuple(relations))


def _read(line: Mapping[str, Any]) -> Entity | Relation | None:
    if line.get("type") == "entity":
        name, kind = clean(line.get("name"), 190), clean(line.get("entityType"), 190)
        seen = line.get("observations")
        texts = [text for one in (seen if isinstance(seen, list) else []) if (text := clean(one))]
        return Entity(name=name, type=kind or "thing", observations=tuple(texts)) if name else None
    if line.get("type") == "relation":
        source, target, kind = (clean(line.get(part), 190) for part in ("from", "to", "relationType"))
        return Relation(source=source, target=target, type=kind) if source and target and kind else None
    return None

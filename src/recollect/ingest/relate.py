"""Links between memories: make them, remove them, walk along them."""

from collections.abc import Iterable

from recollect.errors import InvalidInput, NotFound
from recollect.ingest import gate
from recollect.ingest.remember import existing
from recollect.model.ids import checked_id
from recollect.model.relation import Link, LinkType, Step
from recollect.store import links as table
from recollect.store.database import Tx
from recollect.store.scope import Scope

MAX_DEPTH = 8
MAX_STEPS = 1_000


def link(scope: Scope, source: str, target: str, type: LinkType | str, strength: float) -> Link:
    """Say how one memory relates to another."""
    made = Link(
        source=checked_id(source, "the memory id"),
        target=checked_id(target, "the memory id"),
        type=gate.choice(type, LinkType, "link type"),
        strength=gate.share(strength, "strength"),
        created_at=scope.now(),
    )
    if made.source == made.target:
        raise InvalidInput("a memory cannot be linked to itself")

    def work(tx: Tx) -> None:
        existing(tx, scope, made.source)
        existing(tx, scope, made.target)
        table.put(tx, [made])

    scope.write(work)
    return made


def unlink(scope: Scope, source: str, target: str, type: LinkType | str | None) -> int:
    """Remove the links from one memory to another; how many there were."""
    source, target = checked_id(source, "the memory id"), checked_id(target, "the memory id")
    only = None if type is None else gate.choice(type, LinkType, "link type")

    def work(tx: Tx) -> int:
        existing(tx, scope, source)
        existing(tx, scope, target)
        removed = table.remove(tx, source, target, only)
        if not removed:
            raise NotFound(f"no such link from {source} to {target}")
        return removed

    return scope.write(work)


def walk(scope: Scope, start: str, types: Iterable[LinkType | str], depth: int) -> list[Step]:
    """The memories reached from one by links in either direction, nearest first."""
    start = checked_id(start, "the memory id")
    chosen = gate.choices(types, LinkType, "link type")
    depth = gate.count(depth, "depth", 1, MAX_DEPTH)

    def work(tx: Tx) -> list[Step]:
        existing(tx, scope, start)
        seen, edge, steps = {start}, [start], list[Step]()
        for distance in range(1, depth + 1):
            reached: list[str] = []
            for via in table.touching(tx, edge, chosen, scope.view.spaces):
                for end in (via.source, via.target):
                    if end not in seen and len(steps) < MAX_STEPS:
                        seen.add(end)
                        reached.append(end)
                        steps.append(Step(id=end, depth=distance, via=via))
            edge = reached
        return steps

    return scope.read(work)

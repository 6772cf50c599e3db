"""Merge: the memories of one space move into another, as one run that can be undone.

Everything moves, also what is superseded or asleep, each as a new version with its id, sources, links and
uses. Then what says the same is joined, and what cannot both be true becomes a contradiction.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from recollect.errors import InvalidInput, NotFound
from recollect.ingest.rules.reconcile import same_value
from recollect.model.ids import derived_id
from recollect.model.record import Record, Status
from recollect.model.relation import Contradiction, Link, LinkType
from recollect.model.upkeep import RunKind, UpkeepReport
from recollect.store import memories, runs, spaces
from recollect.store.scope import Scope
from recollect.text.clash import SURE
from recollect.upkeep.absorb import absorb, united
from recollect.upkeep.claims import is_claim
from recollect.upkeep.contradictions import each_against_earlier
from recollect.upkeep.dedupe import dedupe
from recollect.upkeep.deeds import Deed, Revision
from recollect.upkeep.options import UpkeepOptions
from recollect.upkeep.run import Progress, Work, begun, counter, finish
from recollect.upkeep.shelf import KEPT, Shelf, read_shelf

ORIGIN = "from_space"
"""In the metadata of a memory that was moved: where it came from."""


def merge(
    scope: Scope, pair: tuple[str, str], options: UpkeepOptions, *, dry_run: bool, progress: Progress
) -> UpkeepReport:
    """Move the memories of the first space into the second, join and compare them there."""
    source, target = pair
    if source == target:
        raise InvalidInput(f"{source} cannot be merged into itself")
    for path in pair:
        if scope.read(lambda tx, path=path: spaces.get(tx, path)) is None:  # type: ignore[misc]
            raise NotFound(f"no space {path}: see `recollect space list`")
    fresh = begun(scope, RunKind.MERGE, pair, keep=not dry_run)
    work = Work(scope, fresh, progress, dry=dry_run)
    at, tokens = fresh.started_at, counter()
    before = scope.read(lambda tx: runs.touched(tx, fresh.id))
    leaving = scope.read(lambda tx: list(memories.every(tx, "memories", [source])))
    shelf = scope.read(lambda tx: read_shelf(tx, target, at, tokens))
    other = scope.read(lambda tx: read_shelf(tx, source, at, tokens))
    moved = [replace(r, space=target, metadata=r.metadata | {ORIGIN: source}) for r in leaving]
    planned = [
        Deed(count="moved", revisions=(Revision(old, new),)) for old, new in zip(leaving, moved, strict=True)
    ]
    work.do("move", planned)
    _arrive(shelf, other, moved)
    arrived = before | {r.id for r in moved}
    for name, step in (("join", _join), ("dedupe", _dedupe), ("conflicts", _conflicts)):
        work.do(name, list(shelf.do(list(step(shelf, options, arrived)))))
    if not dry_run:
        scope.write(lambda tx: finish(tx, scope, work.run))
    return work.report(resumed=bool(fresh.counts))


def _arrive(shelf: Shelf, other: Shelf, moved: Sequence[Record]) -> None:
    """Put what was moved on the shelf of the target, with its links and vectors."""
    shelf.records.update(
        {
            r.id: replace(r, version=r.version + 1, recorded_at=max(shelf.now, r.recorded_at))
            for r in moved
            if r.status in KEPT
        }
    )
    shelf.links.update(other.links)
    shelf.vectors = dict(shelf.vectors) | dict(other.vectors)


def _join(shelf: Shelf, _: UpkeepOptions, arrived: set[str]) -> Iterator[Deed]:
    """Keyed facts of the same value are one fact, whatever words they are told in."""
    for group in _by_key(shelf).values():
        waiting = sorted(group, key=lambda r: (not r.pinned, -r.trust.rank, r.id in arrived, r.id))
        while len(waiting) > 1:
            survivor, *rest = waiting
            others = [r for r in rest if (r.id in arrived) != (survivor.id in arrived)]
            others = [r for r in others if same_value(r.value or "", survivor.value or "")]
            waiting = [r for r in rest if r not in others]
            if others:
                yield absorb(shelf, survivor, others, united(survivor, others), "deduped")


def _dedupe(shelf: Shelf, options: UpkeepOptions, arrived: set[str]) -> Iterator[Deed]:
    return dedupe(shelf, options, among=arrived)


def _conflicts(shelf: Shelf, _: UpkeepOptions, arrived: set[str]) -> Iterator[Deed]:
    """What cannot both be true: a person decides; of keyed facts the less trusted one waits for that."""
    told: set[frozenset[str]] = set()
    for group in _by_key(shelf).values():
        here = [r for r in group if r.id not in arrived]
        for new in (r for r in group if r.id in arrived):
            for old in here:
                if not (new.metadata.get("many") or old.metadata.get("many")):
                    told.add(frozenset((old.id, new.id)))
                    reason = f"{old.key} is {old.value!r} here and {new.value!r} in what was merged"
                    yield _contradiction(shelf, old, new, reason, held=_held(old, new))
    claims = filter(is_claim, shelf.of(Status.ACTIVE))
    for found in chain.from_iterable(each_against_earlier(claims)):
        met = (found.a.id in arrived) != (found.b.id in arrived)
        if met and found.clash.confidence >= SURE and frozenset((found.a.id, found.b.id)) not in told:
            yield _contradiction(shelf, found.a, found.b, found.clash.reason)


def _held(old: Record, new: Record) -> tuple[Revision, ...]:
    """The newcomer waits where it is trusted less."""
    if new.trust.rank >= old.trust.rank:
        return ()
    return (Revision(new, replace(new, status=Status.PENDING, metadata=new.metadata | {"held": True})),)


def _contradiction(shelf: Shelf, a: Record, b: Record, reason: str, held: tuple[Revision, ...] = ()) -> Deed:
    clash = Contradiction(
        id=derived_id(shelf.now, shelf.space, a.id, b.id),
        space=shelf.space,
        memory_a=a.id,
        memory_b=b.id,
        reason=reason,
        detected_at=shelf.now,
    )
    link = Link(source=b.id, target=a.id, type=LinkType.CONTRADICTS, created_at=shelf.now)
    return Deed(count="contradictions_found", revisions=held, links=(link,), contradictions=(clash,))


def _by_key(shelf: Shelf) -> dict[tuple[str, str, str], list[Record]]:
    """Believed keyed facts by category, subject and key."""
    found: dict[tuple[str, str, str], list[Record]] = defaultdict(list)
    for record in shelf.of(Status.ACTIVE):
        if record.key is not None:
            subject = (record.subject or "").casefold()
            found[record.category or "", subject, record.key].append(record)
    return found

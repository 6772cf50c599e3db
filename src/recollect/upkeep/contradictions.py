"""The contradiction scanner: finds memories that cannot both be true.

The `scan` job follows the change sequence, so whatever writes a memory is followed by one look at its
nearest neighbours and at its key. Reading happens between transactions; what was found and how far the
scan came are written together, and ids follow from the pair, so a repeat changes nothing. Pairs that the
rules find doubtful wait for a judge, where there is one.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from recollect.jobs import queue
from recollect.model.record import Record
from recollect.store import contradictions, feed, judgements, memories
from recollect.store.database import Tx
from recollect.store.scope import Scope
from recollect.text.clash import SURE, Clash, clash
from recollect.upkeep.claims import at_one_time, claim_of, is_claim
from recollect.upkeep.rarewords import Neighbours

NEAREST = 20
BATCH = 100
MANY = 500
"""From so many changed memories on, the whole space is compared at once: cheaper than one by one."""
CURSOR = "scan"
Near = Callable[[Scope, Record], Sequence[str]]
"""The memories nearest in meaning to one, where vectors are there."""


@dataclass(frozen=True, slots=True)
class Suspicion:
    """Two memories, the older first, and what they clash on."""

    a: Record
    b: Record
    clash: Clash


def scan_pending(scope: Scope, near: Near | None = None, *, judged: bool = False) -> int:
    """Look at every memory that changed since the last scan; how many contradictions were found."""
    found = 0
    after = scope.read(lambda tx: feed.cursor(tx, CURSOR))
    while changed := scope.read(partial(feed.memories_after, after=after, limit=MANY)):
        if len(changed) == MANY:
            wanted, after = scope.read(partial(_changed_spaces, after=after))
            found += sum(_scan_space(scope, space, None, judged=judged) for space in wanted)
            scope.write(partial(feed.advance, name=CURSOR, seq=after))
            continue
        for start in range(0, len(changed), BATCH):
            some = changed[start : start + BATCH]
            suspects = _around(scope, [r for _, r in some if is_claim(r)], near)
            after = some[-1][0]
            found += scope.write(partial(_keep, scope=scope, found=suspects, judged=judged, cursor=after))
    return found


def scan_all(
    scope: Scope,
    progress: Callable[[int], None] | None = None,
    dry_run: bool = False,
    *,
    judged: bool = False,
) -> int:
    """Compare everything in the view with its neighbours; how many contradictions are new.

    The neighbours come from one pass over each space, so the cost grows with the number of memories.
    Findings are committed batch by batch: a scan that was stopped finds them known when it is repeated.
    """
    done = 0

    def tell(count: int) -> None:
        nonlocal done
        done += count
        if progress is not None:
            progress(done)

    return sum(_scan_space(scope, space, tell, dry_run=dry_run, judged=judged) for space in scope.view.spaces)


def _changed_spaces(tx: Tx, after: int) -> tuple[list[str], int]:
    """Where memories changed after a number, and the newest number."""
    return feed.spaces_after(tx, after), feed.head(tx)


def _scan_space(
    scope: Scope,
    space: str,
    tell: Callable[[int], None] | None,
    *,
    dry_run: bool = False,
    judged: bool = False,
) -> int:
    """One pass over a space: each memory against the nearest before it."""
    found, read = 0, 0
    waiting: list[Suspicion] = []
    for read, suspicions in enumerate(each_against_earlier(_stated(scope, space)), 1):
        waiting += suspicions
        if read % BATCH == 0:
            found += _kept(scope, waiting, dry_run=dry_run, judged=judged)
            waiting = []
            if tell is not None:
                tell(BATCH)
    found += _kept(scope, waiting, dry_run=dry_run, judged=judged)
    if tell is not None:
        tell(read % BATCH)
    return found


def each_against_earlier(records: Iterable[Record]) -> Iterator[list[Suspicion]]:
    """For each memory in turn, what it clashes on with the nearest before it."""
    near = Neighbours(NEAREST)
    seen: dict[str, Record] = {}
    for record in records:
        yield _suspicions(record, [seen[id] for id in near.add(record)])
        seen[record.id] = record


def _stated(scope: Scope, space: str) -> Iterable[Record]:
    """The believed statements of a space in the order they were written, read a page at a time."""
    after = 0
    while page := scope.read(partial(feed.memories_after, after=after, limit=2_000, space=space)):
        after = page[-1][0]
        yield from (record for _, record in page if is_claim(record))


def _kept(scope: Scope, found: Sequence[Suspicion], *, dry_run: bool, judged: bool) -> int:
    if not found:
        return 0
    if dry_run:
        return scope.read(lambda tx: sum(_is_news(tx, s) for s in found if s.clash.confidence >= SURE))
    return scope.write(partial(_keep, scope=scope, found=found, judged=judged, cursor=None))


def _around(scope: Scope, changed: Sequence[Record], near: Near | None) -> list[Suspicion]:
    """Each memory against its nearest and against its key."""
    found: list[Suspicion] = []
    for record in changed:
        alike = near(scope, record) if near is not None else ()
        others = scope.read(partial(_nearest, record=record, alike=alike))
        found += _suspicions(record, others)
    return found


def _nearest(tx: Tx, record: Record, alike: Sequence[str]) -> list[Record]:
    """What shares the most telling words, the key, or the meaning.

    Of a key that holds many values at once only what is alike can clash: they are not all compared.
    """
    found = {r.id: r for r in memories.alike(tx, record.space, memories.words_of(record), NEAREST)}
    if record.key is not None and not record.metadata.get("many"):
        found |= {r.id: r for r in memories.about(tx, record.space, record.key, record.subject)}
    found |= memories.by_id(tx, [id for id in alike if id not in found], [record.space])
    return [other for other in found.values() if other.id != record.id and is_claim(other)]


def _suspicions(record: Record, others: Sequence[Record]) -> list[Suspicion]:
    """What a memory clashes on with some others."""
    found = []
    for other in others:
        a, b = sorted((record, other), key=lambda r: (r.valid_from, r.id))
        if at_one_time(a, b) and (how := clash(claim_of(a), claim_of(b))) is not None:
            found.append(Suspicion(a, b, how))
    return found


def _keep(tx: Tx, scope: Scope, found: Sequence[Suspicion], judged: bool, cursor: int | None) -> int:
    """Write what was found and how far the scan came, but for what has changed meanwhile."""
    stored, doubtful = 0, 0
    for suspicion in found:
        if not _is_news(tx, suspicion):
            continue
        if suspicion.clash.confidence >= SURE:
            contradictions.record(tx, suspicion.a, suspicion.b, suspicion.clash.reason, scope.now())
            stored += 1
        elif judged:
            doubtful += judgements.note(tx, judgements.pair_of(suspicion.a, suspicion.b), scope.now())
    if doubtful:
        queue.enqueue(tx, "judge", scope.now(), key="judge", priority=-2)
    if cursor is not None:
        feed.advance(tx, CURSOR, cursor)
    return stored


def _is_news(tx: Tx, s: Suspicion) -> bool:
    """Whether both sides still stand as they were read, and nobody has told of them yet."""
    now = memories.by_id(tx, [s.a.id, s.b.id], [s.a.space])
    stands = all(r.id in now and now[r.id].version == r.version for r in (s.a, s.b))
    return stands and s.b.id not in contradictions.rivals(tx, s.a.id)

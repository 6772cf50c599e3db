"""Committing deeds: inside one transaction, with the journal that can put everything back.

What a step planned is compared with what is there now: a deed whose memory was changed or erased in the
meantime is skipped whole, so that upkeep never overwrites what somebody else wrote.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from recollect.jobs import queue
from recollect.model.ids import micros
from recollect.model.record import Level, Record, Usage
from recollect.model.relation import Link
from recollect.model.upkeep import Run, RunStatus
from recollect.store import contradictions, links, memories, runs, sources, usage, versions
from recollect.store.database import Tx
from recollect.store.runs import Mark
from recollect.upkeep.deeds import Deed, counted


@dataclass(slots=True)
class Committed:
    """What a batch did: the run with its new counts (None: it was stopped), and how many it skipped."""

    run: Run | None
    skipped: int


def commit(tx: Tx, run: Run, deeds: Sequence[Deed]) -> Committed:
    """Make as many of the deeds as still apply, journal them and count them, all in this transaction."""
    now = runs.get(tx, run.id)
    if now is None or now.status != RunStatus.RUNNING:
        return Committed(None, len(deeds))
    touched = sorted(set().union(*(deed.touches() for deed in deeds)))
    hand = _Hand(tx, now.started_at, versions.current(tx, touched), usage.of(tx, touched))
    done = [deed for deed in deeds if hand.do(deed)]
    hand.finish()
    runs.note(tx, run.id, hand.marks)
    if hand.rewritten:
        queue.enqueue(tx, "embed", now.started_at, key="embed")
    counts = Counter(now.counts) + counted(done)
    fresh = replace(now, counts=dict(counts), reached=max(now.reached, run.reached))
    runs.save(tx, fresh)
    return Committed(fresh, len(deeds) - len(done))


@dataclass(slots=True)
class _Hand:
    """Makes deeds, and remembers how to put each change back."""

    tx: Tx
    at: datetime
    versions: dict[str, int]
    usage: dict[str, Usage]
    marks: list[Mark] = field(default_factory=list)
    rewritten: bool = False
    _levels: list[tuple[str, Level]] = field(default_factory=list)
    _revised: dict[str, tuple[Record, Record]] = field(default_factory=dict)

    def do(self, deed: Deed) -> bool:
        """Make one deed if everything it touches is as it was when it was planned."""
        there = all(id in self.versions for id in deed.touches())
        same = there and all(self.versions[r.old.id] == r.old.version for r in deed.revisions)
        if not same or any(self._carried(one.id) != one.before for one in deed.carried):
            return False
        self._versions(deed)
        for memory, source in deed.sources:
            if sources.add(self.tx, memory, source):
                self._mark("source", memory, None, kind=source.kind, id=source.id)
        for memory, artifact in deed.artifacts:
            if sources.add_artifact(self.tx, memory, artifact):
                self._mark("artifact", memory, None, type=artifact.type, ref=artifact.ref)
        for memory, more in deed.used:
            self._use(memory, more)
        for one in deed.carried:
            self._levels.append((one.id, one.after))
            self._mark("carried", one.id, None, before=one.before, after=one.after)
            self.usage[one.id] = replace(self.usage.get(one.id, Usage()), carried=one.after)
        for link in deed.links:
            self._link(link)
        for c in deed.contradictions:
            if contradictions.put(self.tx, c):
                self._mark("contradiction", c.memory_a, c.memory_b, id=c.id)
        return True

    def finish(self) -> None:
        """Write what is written many at a time."""
        self._write_versions()
        usage.carry(self.tx, self._levels)

    def _carried(self, id: str) -> Level:
        return self.usage.get(id, Usage()).carried

    def _versions(self, deed: Deed) -> None:
        if any(revision.old.id in self._revised for revision in deed.revisions):
            self._write_versions()
        for revision in deed.revisions:
            old, at = revision.old, max(self.at, revision.old.recorded_at)
            fresh = replace(revision.new, recorded_at=at, version=old.version + 1)
            self._revised[old.id] = (old, fresh)
            self.versions[old.id] = fresh.version
            self.rewritten = self.rewritten or memories.words_of(old) != memories.words_of(fresh)
            self._mark("version", old.id, None, version=fresh.version)

    def _write_versions(self) -> None:
        if self._revised:
            versions.replace_many(self.tx, list(self._revised.values()))
            self._revised = {}

    def _use(self, memory: str, more: Usage) -> None:
        held = self.usage.get(memory, Usage())
        times = [at for at in (held.last_used_at, more.last_used_at) if at is not None]
        last = max(times, default=None)
        usage.change(self.tx, memory, more, last)
        self.usage[memory] = replace(
            held,
            retrieved=held.retrieved + more.retrieved,
            cited=held.cited + more.cited,
            ignored=held.ignored + more.ignored,
            last_used_at=last,
        )
        self._mark(
            "used",
            memory,
            None,
            retrieved=more.retrieved,
            cited=more.cited,
            ignored=more.ignored,
            before=None if held.last_used_at is None else micros(held.last_used_at),
            after=None if last is None else micros(last),
        )

    def _link(self, link: Link) -> None:
        if links.add(self.tx, link):
            self._mark(
                "link",
                link.source,
                link.target,
                type=link.type,
                strength=link.strength,
                at=micros(link.created_at),
            )

    def _mark(self, what: str, memory: str, other: str | None, **detail: Any) -> None:
        self.marks.append(Mark(what, memory, other, detail))

"""Undo: the journal of a run read backwards, a batch at a time, until everything is as it was.

What somebody changed after the run is left alone and named in the receipt. An undo that is interrupted
goes on where it stopped when it is called again: each batch takes its lines out of the journal.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from recollect.errors import Conflict, NotFound
from recollect.jobs import queue
from recollect.model.ids import moment
from recollect.model.record import Artifact, ArtifactType, Level, Source, SourceKind, Usage
from recollect.model.relation import Link, LinkType
from recollect.model.upkeep import Left, Run, RunStatus, Undone
from recollect.store import contradictions, links, runs, sources, usage, versions
from recollect.store.database import Tx
from recollect.store.runs import Mark
from recollect.store.scope import Scope

BATCH = 200
Progress = Callable[[str, int], None]


def undo(scope: Scope, id: str, progress: Progress) -> Undone:
    """Put back everything a run changed; what was changed since stays, and is said."""
    scope.write(lambda tx: _begin(tx, scope, id))
    restored: Counter[str] = Counter()
    left: dict[str, Left] = {}
    while batch := scope.write(lambda tx: _batch(tx, id, left)):
        restored += batch
        progress("undo", restored.total())
    scope.write(lambda tx: _end(tx, id, scope.now()))
    return Undone(run=id, restored=dict(restored), left=tuple(left.values()))


def _begin(tx: Tx, scope: Scope, id: str) -> None:
    run = known(tx, scope, id)
    if run.status == RunStatus.UNDONE:
        raise Conflict(f"run {id} is already undone")
    if run.status == RunStatus.SETTLED:
        raise Conflict(f"run {id} is too old to be undone: restore single memories with `restore`")
    runs.save(tx, replace(run, status=RunStatus.UNDOING))


def known(tx: Tx, scope: Scope, id: str) -> Run:
    """A run whose spaces are all in the view, or NotFound."""
    run = runs.get(tx, id)
    if run is None or not set(run.spaces) & set(scope.view.spaces):
        raise NotFound(f"no run {id} in {', '.join(scope.view.spaces)}: see `recollect upkeep runs`")
    if not set(run.spaces) <= set(scope.view.spaces):
        raise Conflict(f"run {id} changed {', '.join(run.spaces)}: undo it with a view of all of them")
    return run


def _batch(tx: Tx, id: str, left: dict[str, Left]) -> Counter[str]:
    """Put back the last changes that are still in the journal; how many lines of each kind."""
    marks = runs.latest(tx, id, BATCH)
    restored: Counter[str] = Counter()
    for _, mark in marks:
        why = _BACK[mark.kind](tx, mark)
        if why is None:
            restored[mark.kind] += 1
        else:
            restored["left"] += 1
            left.setdefault(mark.memory, Left(mark.memory, why))
    if marks:
        runs.drop_from(tx, id, marks[-1][0])
    return restored


def _end(tx: Tx, id: str, now: datetime) -> None:
    run = runs.get(tx, id)
    if run is not None:
        runs.save(tx, replace(run, status=RunStatus.UNDONE, undone_at=now))
        queue.enqueue(tx, "embed", now, key="embed")


def _version(tx: Tx, mark: Mark) -> str | None:
    back = versions.step_back(tx, mark.memory, mark.detail["version"])
    return None if back else "it was changed after the run, or its space is gone"


def _source(tx: Tx, mark: Mark) -> str | None:
    sources.remove(tx, mark.memory, Source(SourceKind(mark.detail["kind"]), mark.detail["id"]))
    return None


def _artifact(tx: Tx, mark: Mark) -> str | None:
    artifact = Artifact(ArtifactType(mark.detail["type"]), mark.detail["ref"])
    sources.remove_artifact(tx, mark.memory, artifact)
    return None


def _used(tx: Tx, mark: Mark) -> str | None:
    """Take away what was added; uses that were counted since stay."""
    d = mark.detail
    held = usage.of(tx, [mark.memory]).get(mark.memory, Usage())
    before, after = (None if d[name] is None else moment(d[name]) for name in ("before", "after"))
    less = Usage(retrieved=-d["retrieved"], cited=-d["cited"], ignored=-d["ignored"])
    usage.change(tx, mark.memory, less, before if held.last_used_at == after else held.last_used_at)
    return None


def _carried(tx: Tx, mark: Mark) -> str | None:
    held = usage.of(tx, [mark.memory]).get(mark.memory, Usage())
    if held.carried != mark.detail["after"]:
        return "it was used after the run"
    usage.carry(tx, [(mark.memory, Level(mark.detail["before"]))])
    return None


def _link(tx: Tx, mark: Mark) -> str | None:
    assert mark.other is not None
    d = mark.detail
    made = Link(
        source=mark.memory,
        target=mark.other,
        type=LinkType(d["type"]),
        strength=d["strength"],
        created_at=moment(d["at"]),
    )
    return None if links.take_back(tx, made) else "its link was changed after the run"


def _contradiction(tx: Tx, mark: Mark) -> str | None:
    return None if contradictions.take_back(tx, mark.detail["id"]) else "it was resolved after the run"


_BACK: dict[str, Callable[[Tx, Mark], str | None]] = {
    "version": _version,
    "source": _source,
    "artifact": _artifact,
    "used": _used,
    "carried": _carried,
    "link": _link,
    "contradiction": _contradiction,
}

"""Bringing back what compaction removed: the cap holds, so something else makes room and is told of."""

from collections.abc import Sequence

from recollect.apps.apply import apply
from recollect.apps.compaction import Cut, free, worth
from recollect.errors import Conflict, NotFound
from recollect.ingest.remember import set_status
from recollect.model.app import App
from recollect.model.ids import checked_id
from recollect.model.receipt import Action, Entry, Receipt
from recollect.model.record import Record, Status
from recollect.model.relation import LinkType
from recollect.store import apps, links, memories
from recollect.store.database import Tx
from recollect.store.scope import Scope

REMOVED = (Status.ARCHIVED, Status.SUPERSEDED, Status.FORGOTTEN)
BY_HAND = "restored by hand"


def restore(scope: Scope, app: App, ids: Sequence[str]) -> Receipt:
    """Put memories back into an app's list; one that was merged comes back with its partner."""
    wanted = [checked_id(id, "the memory id") for id in ids]

    def work(tx: Tx) -> Receipt:
        entries: list[Entry] = []
        back: set[str] = set()
        for id in wanted:
            entries += _back(tx, scope, app, id, back)
        while len(listed := apps.kept(tx, app.space)) > app.cap:
            others = [r for r in listed if r.id not in back]
            if not others:
                raise Conflict(
                    f"app {app.id} keeps {app.cap} memories: restore fewer at once, or register it with "
                    "a higher cap"
                )
            now = scope.now()
            least = min(free(others), key=lambda r: (worth(r, now), r.valid_from, r.id))
            apply(tx, Cut((least,), "made room for what was restored", BY_HAND), None, now)
            entries.append(Entry(Action.FORGOTTEN, least.id, "made room; it can be restored"))
        return Receipt(entries=tuple(entries))

    return scope.write(work)


def _back(tx: Tx, scope: Scope, app: App, id: str, back: set[str]) -> list[Entry]:
    """Put one memory back, and undo the merger it went into while that stands in the list."""
    record = memories.by_id(tx, [id], [app.space]).get(id)
    if record is None or record.category != apps.CATEGORY:
        raise NotFound(f"app {app.id} has no memory {id}: see `recollect apps memories {app.id} --removed`")
    if id in back:
        return []
    if record.status not in REMOVED:
        return [Entry(Action.IGNORED, id, f"it is {record.status}")]
    entries = []
    for merger in _mergers(tx, app, record):
        set_status(tx, merger, Status.ARCHIVED, scope.now())
        entries.append(Entry(Action.FORGOTTEN, merger.id, "it was merged from what is restored"))
        parts = links.touching(tx, [merger.id], (LinkType.SUPERSEDES,), [app.space])
        for part in [link.target for link in parts if link.source == merger.id and link.target != id]:
            entries += _activated(tx, scope, memories.by_id(tx, [part], [app.space])[part], back)
    return [*_activated(tx, scope, record, back), *entries]


def _mergers(tx: Tx, app: App, record: Record) -> list[Record]:
    if record.status != Status.SUPERSEDED:
        return []
    found = links.touching(tx, [record.id], (LinkType.SUPERSEDES,), [app.space])
    ids = [link.source for link in found if link.target == record.id]
    return [r for r in memories.by_id(tx, ids, [app.space]).values() if r.status == Status.ACTIVE]


def _activated(tx: Tx, scope: Scope, record: Record, back: set[str]) -> list[Entry]:
    set_status(tx, record, Status.ACTIVE, scope.now())
    apps.count(tx, record.space, "restored", scope.now())
    back.add(record.id)
    return [Entry(Action.RESTORED, record.id)]

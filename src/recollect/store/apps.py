"""Queries on apps: which spaces are apps, what they keep, and how often things happen in them."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from recollect.model.app import PREFIX, App, Injection
from recollect.model.filter import Filter
from recollect.model.ids import micros
from recollect.model.record import Kind, Record, Status
from recollect.model.relation import LinkType
from recollect.store import codec, links, memories, spaces
from recollect.store.database import Tx, batches, value

CATEGORY = "session"
"""What an app keeps of a conversation is the conversation's session memory, not a second one."""
BESIDE = "beside"
"""Where a merged memory's metadata names the one it was merged with."""
COMPACTIONS = ("deleted", "merged", "oldest_first")
"""The counters of compaction, one for each way it can end."""
MANY = 10_000
_HOUR = 3_600_000_000


def find(tx: Tx, space: str) -> App | None:
    """The app that a space is, installed or not."""
    if not space.startswith(PREFIX):
        return None
    found = spaces.get(tx, space)
    return None if found is None else App.of(found)


def every(tx: Tx) -> list[App]:
    """All apps of the tenant, installed or not, by id."""
    found = (App.of(space) for space in spaces.every(tx))
    return [app for app in found if app is not None]


def kept(tx: Tx, space: str, *statuses: Status) -> list[Record]:
    """The app memories of a space, those in the list or those in other statuses, latest changed first."""
    wanted = Filter(kinds=(Kind.NOTE,), categories=(CATEGORY,), statuses=statuses or (Status.ACTIVE,))
    found = memories.page(tx, [space], wanted, before=None, limit=MANY, as_of=None)
    return sorted(found, key=lambda r: (r.recorded_at, r.id), reverse=True)


def listed(tx: Tx, space: str, *statuses: Status) -> list[Record]:
    """The same without what hangs on them: for showing, in one quick query."""
    found = tx.rows(
        "SELECT * FROM memories WHERE tenant = :tenant AND space = :space AND status IN :statuses "
        "AND kind = 'note' AND category = :category ORDER BY recorded_at DESC, id DESC",
        space=space,
        statuses=statuses or (Status.ACTIVE,),
        category=CATEGORY,
    )
    return [codec.record(r) for r in found]


def unmerged(tx: Tx, space: str) -> list[Record]:
    """App memories that were merged with one that has been erased since, which took the merger along."""
    found = tx.rows(
        "SELECT m.id FROM memories AS m WHERE m.tenant = :tenant AND m.space = :space "
        "AND m.status = 'superseded' AND m.kind = 'note' AND m.category = :category AND NOT EXISTS "
        "(SELECT 1 FROM links AS l WHERE l.tenant = m.tenant AND l.target = m.id AND l.type = 'supersedes') "
        "ORDER BY m.id",
        space=space,
        category=CATEGORY,
    )
    alone = memories.by_id(tx, [r["id"] for r in found], [space]).values()
    others = memories.known(tx, [r.metadata[BESIDE] for r in alone if BESIDE in r.metadata])
    return [r for r in alone if r.metadata.get(BESIDE) not in others]


def merged_into(tx: Tx, id: str, space: str) -> list[str]:
    """The ids of all memories of a space that were merged into one, directly or by and by."""
    found: dict[str, None] = {}
    level = [id]
    while level:
        steps = links.touching(tx, level, (LinkType.SUPERSEDES,), [space])
        level = [k.target for k in steps if k.source in level and k.target not in found]
        found.update(dict.fromkeys(level))
    return list(found)


def filled(tx: Tx, paths: Sequence[str]) -> dict[str, int]:
    """How many memories the list of each app has, those that have any."""
    found: dict[str, int] = {}
    for some in batches(paths):
        rows = tx.rows(
            "SELECT space, count(*) AS n FROM memories WHERE tenant = :tenant AND space IN :paths "
            "AND status = 'active' AND kind = 'note' AND category = :category GROUP BY space",
            paths=some,
            category=CATEGORY,
        )
        found.update({r["space"]: r["n"] for r in rows})
    return found


def count(tx: Tx, space: str, name: str, at: datetime, n: int = 1) -> None:
    """Count that something happened, in the hour it did."""
    tx.run(
        "INSERT INTO app_counts (tenant, space, name, hour, n) VALUES (:tenant, :space, :name, :hour, :n) "
        "ON CONFLICT (tenant, space, name, hour) DO UPDATE SET n = app_counts.n + excluded.n",
        space=space,
        name=name,
        hour=micros(at) // _HOUR,
        n=n,
    )


def counters(tx: Tx, paths: Sequence[str], since: datetime | None = None) -> dict[str, int]:
    """How often each thing happened in some apps, ever or in the hours since a moment."""
    found: dict[str, int] = {}
    for some in batches(paths):
        rows = tx.rows(
            "SELECT name, sum(n) AS n FROM app_counts WHERE tenant = :tenant AND space IN :paths "
            "AND hour >= :hour GROUP BY name",
            paths=some,
            hour=0 if since is None else micros(since) // _HOUR,
        )
        for r in rows:
            found[r["name"]] = found.get(r["name"], 0) + int(r["n"])
    return dict(sorted(found.items()))


def keep_injections(tx: Tx, given: Sequence[Injection]) -> None:
    """Count the contexts that were given out, and which conversations they were for."""
    for one in given:
        if spaces.get(tx, one.space) is None:
            continue  # erased meanwhile
        count(tx, one.space, f"injected_{one.point}", one.at)
        tx.run(
            "INSERT INTO app_injections (tenant, conversation, space, first_at) "
            "SELECT tenant, id, space, :at FROM conversations WHERE tenant = :tenant AND id = :conversation "
            "AND space = :space ON CONFLICT DO NOTHING",
            conversation=one.conversation,
            space=one.space,
            at=micros(one.at),
        )


def talks(tx: Tx, paths: Sequence[str]) -> tuple[int, int]:
    """How many conversations some apps have, and how many of these were given memories."""
    had = given = 0
    for some in batches(paths):
        for table in ("conversations", "app_injections"):
            sql = f"SELECT count(*) AS value FROM {table} WHERE tenant = :tenant AND space IN :paths"
            n = int(value(tx, sql, paths=some))
            had, given = (had + n, given) if table == "conversations" else (had, given + n)
    return had, given


def spent(
    tx: Tx, purposes: Sequence[str], paths: Sequence[str], since: datetime | None = None
) -> dict[str, int]:
    """What was spent on each of some apps, ever or since a moment."""
    found: dict[str, int] = {}
    for some in batches(paths):
        rows = tx.rows(
            "SELECT space, sum(tokens_in + tokens_out) AS n FROM energy WHERE tenant = :tenant "
            "AND space IN :paths AND purpose IN :purposes AND spent_at > :since GROUP BY space",
            paths=some,
            purposes=purposes,
            since=0 if since is None else micros(since),
        )
        found.update({r["space"]: int(r["n"]) for r in rows})
    return found


def poll(tx: Tx, name: str, total: int) -> int:
    """How much a total has grown since it was last asked for; the mark moves to it."""
    mark = value(tx, "SELECT seq AS value FROM cursors WHERE tenant = :tenant AND name = :name", name=name)
    tx.run(
        "INSERT INTO cursors (tenant, name, seq) VALUES (:tenant, :name, :total) "
        "ON CONFLICT (tenant, name) DO UPDATE SET seq = excluded.seq",
        name=name,
        total=total,
    )
    return max(0, total - int(mark or 0))


def day_before(now: datetime) -> datetime:
    """The beginning of the last 24 hours."""
    return now - timedelta(hours=24)

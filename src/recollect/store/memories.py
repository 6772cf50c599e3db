"""Queries on memories: the current version of each, its older versions, and what hangs on it."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from recollect.model.filter import AsOf, Filter
from recollect.model.ids import micros
from recollect.model.record import (
    Artifact,
    ArtifactType,
    Kind,
    Record,
    Source,
    SourceKind,
    Usage,
)
from recollect.store import codec, texts
from recollect.store.codec import MEMORY_COLUMNS
from recollect.store.conditions import conditions, times
from recollect.store.database import Row, Tx, batches, row, sequence

_COLUMNS = ", ".join(MEMORY_COLUMNS)
_PLACES = ", ".join("?" for _ in MEMORY_COLUMNS)


def insert(tx: Tx, records: Sequence[Record]) -> None:
    """Store new memories with their sources, artifacts and terms."""
    if not records:
        return
    seq = sequence(tx, len(records))
    tx.run_many(
        f"INSERT INTO memories ({_COLUMNS}) VALUES ({_PLACES})",
        [codec.record_row(r, tx.tenant, seq + i) for i, r in enumerate(records)],
    )
    add_sources(tx, [(r.id, source) for r in records for source in r.sources])
    add_artifacts(tx, [(r.id, artifact) for r in records for artifact in r.artifacts])
    by_space: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for r in records:
        by_space[r.space].append((r.id, words_of(r)))
    for space, pairs in by_space.items():
        texts.add(tx, "memory", space, pairs)


def add_sources(tx: Tx, pairs: Sequence[tuple[str, Source]]) -> None:
    """Add what memories were derived from; known pairs stay as they are."""
    tx.run_many(
        "INSERT INTO provenance (tenant, memory, source_kind, source) VALUES (?, ?, ?, ?) "
        "ON CONFLICT DO NOTHING",
        [(tx.tenant, memory, source.kind, source.id) for memory, source in pairs],
    )


def add_artifacts(tx: Tx, pairs: Sequence[tuple[str, Artifact]]) -> None:
    """Add what memories are about; known pairs stay as they are."""
    tx.run_many(
        "INSERT INTO artifacts (tenant, memory, type, ref) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
        [(tx.tenant, memory, artifact.type, artifact.ref) for memory, artifact in pairs],
    )


def words_of(r: Record) -> str:
    """The text a memory is found by."""
    return joined(r.text, r.subject, r.key, r.value, *r.tags)


def joined(*parts: str | None) -> str:
    """The parts of a memory that it is found by, as one text."""
    return " ".join(part for part in parts if part)


def replace_version(tx: Tx, old: Record, new: Record) -> Record:
    """Put a new version in the place of the old one, which is kept with the time it was retired."""
    fresh = replace(new, version=old.version + 1)
    tx.run(
        f"INSERT INTO memory_versions ({_COLUMNS}) "
        f"SELECT {_COLUMNS} FROM memories WHERE tenant = :tenant AND id = :id",
        id=old.id,
    )
    tx.run(
        "UPDATE memory_versions SET retired_at = :at WHERE tenant = :tenant AND id = :id "
        "AND version = :version",
        at=micros(fresh.recorded_at),
        id=old.id,
        version=old.version,
    )
    values = dict(zip(MEMORY_COLUMNS, codec.record_row(fresh, tx.tenant, sequence(tx, 1)), strict=True))
    assignments = ", ".join(f"{c} = :{c}" for c in MEMORY_COLUMNS if c not in ("tenant", "id"))
    del values["tenant"]
    tx.run(f"UPDATE memories SET {assignments} WHERE tenant = :tenant AND id = :id", **values)
    follow(tx, old, fresh)
    return fresh


def follow(tx: Tx, old: Record, fresh: Record) -> None:
    """Let words, vectors and contradictions follow a version that says something else, or lives elsewhere."""
    if words_of(fresh) != words_of(old):
        tx.run("DELETE FROM vectors WHERE tenant = :tenant AND id = :id", id=old.id)
    elif fresh.space == old.space:
        return
    texts.remove(tx, [old.id])
    texts.add(tx, "memory", fresh.space, [(fresh.id, words_of(fresh))])
    for table, column in (("vectors", "id"), ("contradictions", "memory_b")):
        sql = f"UPDATE {table} SET space = :space WHERE tenant = :tenant AND {column} = :id"
        tx.run(sql, space=fresh.space, id=fresh.id)


def by_id(tx: Tx, ids: Sequence[str], spaces: Sequence[str]) -> dict[str, Record]:
    """Those of the memories that are in the view, by id and in the order given, at their current version.

    `space || ''` keeps SQLite's planner from walking the whole space instead of the few ids.
    """
    found: list[Row] = []
    for some in batches(ids):
        found += tx.rows(
            "SELECT * FROM memories WHERE tenant = :tenant AND id IN :ids AND space || '' IN :spaces",
            ids=some,
            spaces=spaces,
        )
    held = {r.id: r for r in _whole(tx, found)}
    return {id: held[id] for id in ids if id in held}


def bare_by_id(tx: Tx, ids: Sequence[str]) -> list[Record]:
    """Memories of any space without what hangs on them: for indexes, not for readers."""
    found: list[Record] = []
    for some in batches(ids):
        rows = tx.rows("SELECT * FROM memories WHERE tenant = :tenant AND id IN :ids", ids=some)
        found += [codec.record(r) for r in rows]
    return found


def keys(tx: Tx, spaces: Sequence[str]) -> set[str]:
    """The keys that are in use in the view, found by leaps along the index, not by reading every fact."""
    found: set[str] = set()
    for space in spaces:
        rows = tx.rows(
            "WITH RECURSIVE leap (key) AS (SELECT min(key) FROM memories "
            "WHERE tenant = :tenant AND space = :space AND key IS NOT NULL UNION ALL "
            "SELECT (SELECT min(m.key) FROM memories AS m WHERE m.tenant = :tenant AND m.space = :space "
            "AND m.key > leap.key) FROM leap WHERE leap.key IS NOT NULL) "
            "SELECT key FROM leap WHERE key IS NOT NULL",
            space=space,
        )
        found.update(r["key"] for r in rows)
    return found


def by_key(tx: Tx, space: str, key: str, subject: str | None, category: str | None) -> list[Record]:
    """Active memories of one space that answer to a key, newest first."""
    found = tx.rows(
        "SELECT * FROM memories WHERE tenant = :tenant AND space = :space AND key = :key "
        "AND coalesce(subject, '') = :subject AND coalesce(category, '') = :category "
        "AND status = 'active' ORDER BY id DESC",
        space=space,
        key=key,
        subject=subject or "",
        category=category or "",
    )
    return _whole(tx, found)


def about(tx: Tx, space: str, key: str, subject: str | None) -> list[Record]:
    """Memories of one space on a key of a subject, believed or waiting, oldest first."""
    found = tx.rows(
        "SELECT * FROM memories WHERE tenant = :tenant AND space = :space AND key = :key "
        "AND lower(coalesce(subject, '')) = :subject AND status IN ('active', 'pending') ORDER BY id",
        space=space,
        key=key,
        subject=_ascii_lower(subject or ""),
    )
    return _whole(tx, found)


def alike(tx: Tx, space: str, text: str, limit: int) -> list[Record]:
    """Statements of one space, believed or waiting, that share the most telling words with a text.

    Episodes and session notes are left out: they tell again what other memories state.
    """
    near = texts.search(tx, "memory", [space], text, 10 * limit)
    rows = tx.rows(
        "SELECT id FROM memories WHERE tenant = :tenant AND id IN :near AND status IN ('active', 'pending') "
        "AND kind <> 'episode' AND coalesce(category, '') <> 'session'",
        near=near,
    )
    stated = {r["id"] for r in rows}
    chosen = [id for id in near if id in stated][:limit]
    return list(by_id(tx, chosen, [space]).values())


def used_between(tx: Tx, space: str, since: datetime, until: datetime) -> list[Record]:
    """Memories of one space that were last returned between two moments."""
    found = tx.rows(
        "SELECT m.* FROM memories AS m JOIN usage AS u ON u.tenant = m.tenant AND u.memory = m.id "
        "WHERE m.tenant = :tenant AND m.space = :space AND u.last_used_at BETWEEN :since AND :until "
        "ORDER BY m.id",
        space=space,
        since=micros(since),
        until=micros(until),
    )
    return _whole(tx, found)


def drawn_from(tx: Tx, conversation: str, space: str, kind: Kind | None = None) -> list[Record]:
    """Believed memories with a source among the messages of a conversation, or those of one kind."""
    only = "" if kind is None else "AND m.kind = :kind "
    found = tx.rows(
        "SELECT * FROM memories AS m WHERE m.tenant = :tenant AND m.space = :space AND m.status = 'active' "
        f"{only}AND m.id IN (SELECT p.memory FROM provenance AS p JOIN messages AS s ON s.tenant = p.tenant "
        "AND s.id = p.source WHERE p.tenant = :tenant AND s.conversation = :conversation) ORDER BY m.id",
        conversation=conversation,
        space=space,
        **({} if kind is None else {"kind": kind}),
    )
    return _whole(tx, found)


def from_sources(tx: Tx, sources: Sequence[str]) -> list[str]:
    """The ids of memories that were derived from any of the sources."""
    found: set[str] = set()
    for some in batches(sources):
        rows = tx.rows("SELECT memory FROM provenance WHERE tenant = :tenant AND source IN :ids", ids=some)
        found.update(r["memory"] for r in rows)
    return sorted(found)


def page(
    tx: Tx,
    spaces: Sequence[str],
    wanted: Filter,
    *,
    before: str | None,
    limit: int,
    as_of: AsOf | None,
) -> list[Record]:
    """Memories of the view that fit a filter, newest first."""
    where, params = conditions(tx, wanted, as_of)
    if before:
        where.append("id < :before")
        params["before"] = before
    if wanted.words is not None:
        hits = texts.search(tx, "memory", spaces, wanted.words, 10_000)
        where.append("id IN :hits")
        params["hits"] = hits
    found = tx.rows(
        f"SELECT * FROM {_versions(as_of)} WHERE tenant = :tenant AND space IN :spaces "
        f"AND {' AND '.join(where)} ORDER BY id DESC LIMIT :limit",
        spaces=spaces,
        limit=limit,
        **params,
    )
    return _whole(tx, found)


def at(tx: Tx, id: str, spaces: Sequence[str], as_of: AsOf) -> Record | None:
    """One memory as it was believed at a time."""
    where, params = times(as_of)
    found = row(
        tx,
        f"SELECT * FROM {_versions(as_of)} WHERE tenant = :tenant AND id = :id "
        f"AND space IN :spaces AND {' AND '.join(where)}",
        id=id,
        spaces=spaces,
        **params,
    )
    return None if found is None else _whole(tx, [found])[0]


def versions(tx: Tx, id: str, spaces: Sequence[str]) -> list[Record]:
    """Every version of one memory, oldest first."""
    found = tx.rows(
        f"SELECT * FROM {_versions(AsOf())} WHERE tenant = :tenant AND id = :id "
        "AND space IN :spaces ORDER BY version",
        id=id,
        spaces=spaces,
    )
    return _whole(tx, found)


def versions_of_key(tx: Tx, spaces: Sequence[str], key: str, subject: str | None) -> list[Record]:
    """Every version of every memory with a key, in the order we came to believe them."""
    found = tx.rows(
        f"SELECT * FROM {_versions(AsOf())} WHERE tenant = :tenant AND space IN :spaces "
        "AND key = :key AND coalesce(subject, '') = :subject ORDER BY recorded_at, id, version",
        spaces=spaces,
        key=key,
        subject=subject or "",
    )
    return _whole(tx, found)


def every(tx: Tx, table: str, spaces: Sequence[str]) -> Iterator[Record]:
    """All memories, or all older versions, of some spaces by id: in the order they were first written."""
    last = ("00000000-0000-0000-0000-000000000000", 0)
    while rows := tx.rows(
        f"SELECT * FROM {table} WHERE tenant = :tenant AND space IN :spaces "
        "AND (id, version) > (:id, :version) ORDER BY id, version LIMIT 2000",
        spaces=spaces,
        id=last[0],
        version=last[1],
    ):
        yield from _whole(tx, rows)
        last = (rows[-1]["id"], rows[-1]["version"])


def known(tx: Tx, ids: Sequence[str]) -> set[str]:
    """Those of the ids that the tenant already uses, in any space."""
    found: set[str] = set()
    for some in batches(ids):
        rows = tx.rows("SELECT id FROM memories WHERE tenant = :tenant AND id IN :ids", ids=some)
        found.update(r["id"] for r in rows)
    return found


def insert_versions(tx: Tx, records: Sequence[Record]) -> int:
    """Store older versions as they were, those that are not there yet; how many."""
    seq = sequence(tx, len(records))
    places = ", ".join(f":{column}" for column in MEMORY_COLUMNS)
    stored = 0
    for i, r in enumerate(records):
        values = dict(zip(MEMORY_COLUMNS, codec.record_row(r, tx.tenant, seq + i), strict=True))
        del values["tenant"]
        stored += tx.run(
            f"INSERT INTO memory_versions ({_COLUMNS}) VALUES ({places}) ON CONFLICT DO NOTHING",
            **values,
        )
    return stored


def _versions(as_of: AsOf | None) -> str:
    """The table to read: the current versions, or all of them where the past is asked for."""
    if as_of is None:
        return "memories"
    every = f"SELECT {_COLUMNS} FROM memories UNION ALL SELECT {_COLUMNS} FROM memory_versions"
    return f"({every}) AS versions"


def _ascii_lower(text: str) -> str:
    """Lower case as both databases do it under byte collation: ASCII letters only."""
    return "".join(c.lower() if c.isascii() else c for c in text)


def _whole(tx: Tx, found: Sequence[Row]) -> list[Record]:
    """Records from rows, with sources, artifacts and usage fetched together."""
    ids = list({r["id"] for r in found})
    sources: dict[str, list[Source]] = defaultdict(list)
    artifacts: dict[str, list[Artifact]] = defaultdict(list)
    usage: dict[str, Usage] = {}
    for some in batches(ids):
        for r in tx.rows(
            "SELECT * FROM provenance WHERE tenant = :tenant AND memory IN :ids ORDER BY memory, source",
            ids=some,
        ):
            sources[r["memory"]].append(Source(SourceKind(r["source_kind"]), r["source"]))
        for r in tx.rows(
            "SELECT * FROM artifacts WHERE tenant = :tenant AND memory IN :ids ORDER BY memory, type, ref",
            ids=some,
        ):
            artifacts[r["memory"]].append(Artifact(ArtifactType(r["type"]), r["ref"]))
        for r in tx.rows("SELECT * FROM usage WHERE tenant = :tenant AND memory IN :ids", ids=some):
            usage[r["memory"]] = codec.usage(r)
    return [
        codec.record(
            r, sources.get(r["id"], ()), artifacts.get(r["id"], ()), usage.get(r["id"], codec.UNUSED)
        )
        for r in found
    ]

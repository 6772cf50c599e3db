"""Queries on links between memories."""

from collections.abc import Sequence

from recollect.model.ids import micros, moment
from recollect.model.relation import Link, LinkType
from recollect.store.database import Row, Tx, batches


def put(tx: Tx, links: Sequence[Link]) -> None:
    """Store links; the same link again takes the new strength."""
    tx.run_many(
        "INSERT INTO links (tenant, source, target, type, strength, created_at) "
        "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (tenant, source, target, type) "
        "DO UPDATE SET strength = excluded.strength",
        [(tx.tenant, k.source, k.target, k.type, k.strength, micros(k.created_at)) for k in links],
    )


def add(tx: Tx, link: Link) -> bool:
    """Store a link unless there is one; whether it was new."""
    return bool(
        tx.run(
            "INSERT INTO links (tenant, source, target, type, strength, created_at) VALUES "
            "(:tenant, :source, :target, :type, :strength, :created_at) ON CONFLICT DO NOTHING",
            source=link.source,
            target=link.target,
            type=link.type,
            strength=link.strength,
            created_at=micros(link.created_at),
        )
    )


def take_back(tx: Tx, link: Link) -> bool:
    """Remove a link if it is still as it was stored; whether it was."""
    return bool(
        tx.run(
            "DELETE FROM links WHERE tenant = :tenant AND source = :source AND target = :target "
            "AND type = :type AND strength = :strength AND created_at = :created_at",
            source=link.source,
            target=link.target,
            type=link.type,
            strength=link.strength,
            created_at=micros(link.created_at),
        )
    )


def remove(tx: Tx, source: str, target: str, type: LinkType | None) -> int:
    """Remove the links of one type, or of any, from one memory to another."""
    only = "" if type is None else " AND type = :type"
    return tx.run(
        "DELETE FROM links WHERE tenant = :tenant AND source = :source AND target = :target" + only,
        source=source,
        target=target,
        **({} if type is None else {"type": type}),
    )


def touching(tx: Tx, ids: Sequence[str], types: Sequence[LinkType], spaces: Sequence[str]) -> list[Link]:
    """Links from or to any of the memories, both ends inside the view."""
    found: dict[tuple[str, str, str], Link] = {}
    chosen = "AND l.type IN :types " if types else ""
    for some in batches(ids):
        for end in ("source", "target"):
            rows = tx.rows(
                "SELECT l.* FROM links AS l "
                "JOIN memories AS a ON a.tenant = l.tenant AND a.id = l.source "
                "JOIN memories AS b ON b.tenant = l.tenant AND b.id = l.target "
                f"WHERE l.tenant = :tenant AND l.{end} IN :ids {chosen}"
                "AND a.space IN :spaces AND b.space IN :spaces "
                "ORDER BY l.source, l.target, l.type",
                ids=some,
                spaces=spaces,
                **({"types": types} if types else {}),
            )
            found.update({(r["source"], r["target"], r["type"]): _link(r) for r in rows})
    return list(found.values())


def inside(tx: Tx, spaces: Sequence[str]) -> list[Link]:
    """All links whose both ends are in some spaces."""
    found = tx.rows(
        "SELECT l.* FROM links AS l "
        "JOIN memories AS a ON a.tenant = l.tenant AND a.id = l.source "
        "JOIN memories AS b ON b.tenant = l.tenant AND b.id = l.target "
        "WHERE l.tenant = :tenant AND a.space IN :spaces AND b.space IN :spaces "
        "ORDER BY l.source, l.target, l.type",
        spaces=spaces,
    )
    return [_link(r) for r in found]


def _link(r: Row) -> Link:
    return Link(
        source=r["source"],
        target=r["target"],
        type=LinkType(r["type"]),
        strength=r["strength"],
        created_at=moment(r["created_at"]),
    )

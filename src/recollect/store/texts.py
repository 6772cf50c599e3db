"""Words beside the rows: the terms of every text, indexed in the transaction that writes it.

Both databases get the terms of text/terms.py, so they agree on what a word is. This finds
candidates; how good they are is decided in recall/.
"""

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b

from recollect.store.database import Tx, batches, value
from recollect.text.terms import query_terms, terms

MOST_OF_A_WORD = 1_000
"""Of a word that so many texts have, only the newest are looked at."""
DRIVING = 10
"""For each text wanted, so many may be looked at: the rarest words choose them."""


@lru_cache(maxsize=4096)
def scope_token(tenant: str, space: str) -> str:
    """One search token for a tenant's space; hashed, so no name can act as query syntax."""
    return "s" + blake2b(f"{tenant}\0{space}".encode(), digest_size=10).hexdigest()


def add(tx: Tx, kind: str, space: str, texts: Sequence[tuple[str, str]]) -> None:
    """Index the terms of (id, text) pairs of one kind in one space."""
    if tx.dialect == "postgres":
        tx.run_many(
            "INSERT INTO texts (tenant, kind, id, space, length, terms) "
            "VALUES (?, ?, ?, ?, ?, array_to_tsvector(?))",
            (
                (tx.tenant, kind, id, space, len(found), list(set(found)))
                for id, found in ((id, terms(text)) for id, text in texts)
            ),
        )
        return
    first = 1 + (value(tx, "SELECT max(num) AS value FROM texts") or 0)
    tx.run_many(
        "INSERT INTO texts (num, tenant, kind, id) VALUES (?, ?, ?, ?)",
        [(num, tx.tenant, kind, id) for num, (id, _) in enumerate(texts, first)],
    )
    token = scope_token(tx.tenant, space)
    tx.run_many(
        "INSERT INTO terms (rowid, scope, body) VALUES (?, ?, ?)",
        ((num, token, " ".join(terms(text))) for num, (_, text) in enumerate(texts, first)),
    )


def remove(tx: Tx, ids: Sequence[str]) -> int:
    """Take texts out of the index; how many were there."""
    removed = 0
    for some in batches(ids):
        if tx.dialect == "sqlite":
            tx.run(
                "DELETE FROM terms WHERE rowid IN "
                "(SELECT num FROM texts WHERE tenant = :tenant AND id IN :ids)",
                ids=some,
            )
        removed += tx.run("DELETE FROM texts WHERE tenant = :tenant AND id IN :ids", ids=some)
    return removed


def compact(tx: Tx) -> None:
    """Write the index anew without what was removed: until then its words are only marked as deleted."""
    if tx.dialect == "sqlite":
        tx.run("INSERT INTO terms (terms) VALUES ('optimize')")


def search(tx: Tx, kind: str, spaces: Sequence[str], query: str, limit: int) -> list[str]:
    """Ids of texts with any word of the query, those with the rarest words first."""
    wanted = query_terms(query)[:64]
    if not wanted:
        return []
    if tx.dialect == "postgres":
        found = tx.rows(
            "SELECT id FROM texts WHERE tenant = :tenant AND kind = :kind AND space IN :spaces "
            "AND terms @@ CAST(:query AS tsquery) "
            "ORDER BY ts_rank(terms, CAST(:query AS tsquery)) DESC, id DESC LIMIT :limit",
            kind=kind,
            spaces=spaces,
            query=" | ".join(f"'{term}'" for term in wanted),
            limit=limit,
        )
        return [hit["id"] for hit in found]
    return _by_rarity(tx, kind, spaces, wanted, limit)


def _by_rarity(tx: Tx, kind: str, spaces: Sequence[str], wanted: Sequence[str], limit: int) -> list[str]:
    """SQLite: texts by the rarity of the words they share, the newest first among equals.

    FTS5 cannot rank a table that keeps no content and no positions (its bm25 gives 0 for every row), so
    each word's newest texts are asked for, and a word counts the less the more texts have it. Words that
    are in very many texts are left out where rarer ones choose enough.
    """
    scopes = " OR ".join(f'"{scope_token(tx.tenant, space)}"' for space in spaces)
    most = max(limit, MOST_OF_A_WORD)
    scores: dict[str, tuple[float, int]] = {}
    for term in _rarest(tx, wanted, most, DRIVING * limit):
        found = tx.rows(
            "SELECT texts.num, texts.id FROM terms JOIN texts ON texts.num = terms.rowid "
            "WHERE terms MATCH :query AND texts.tenant = :tenant AND texts.kind = :kind "
            "ORDER BY terms.rowid DESC LIMIT :most",
            kind=kind,
            query=f'scope : ({scopes}) AND body : "{term}"',
            most=most,
        )
        worth = 1 / math.log2(2 + len(found))
        for hit in found:
            scores[hit["id"]] = (scores.get(hit["id"], (0.0, 0))[0] + worth, hit["num"])
    return sorted(scores, key=scores.__getitem__, reverse=True)[:limit]


def _rarest(tx: Tx, wanted: Sequence[str], most: int, budget: int) -> Iterator[str]:
    """Words from the rarest on, as long as the texts that have them are not too many; always one."""
    having = tx.rows("SELECT term, doc FROM temp.words WHERE term IN :wanted", wanted=wanted)
    counts = {r["term"]: min(r["doc"], most) for r in having}
    for number, term in enumerate(sorted(wanted, key=lambda term: counts.get(term, 0))):
        budget -= counts.get(term, 0)
        if number and budget < 0:
            return
        yield term


def missing(tx: Tx, kind: str, table: str) -> int:
    """How many rows of a table have no entry here (0 unless something is broken)."""
    lost = value(
        tx,
        f"SELECT count(*) AS value FROM {table} AS t WHERE t.tenant = :tenant AND NOT EXISTS "
        "(SELECT 1 FROM texts WHERE texts.tenant = :tenant AND texts.id = t.id AND texts.kind = :kind)",
        kind=kind,
    )
    return int(lost)

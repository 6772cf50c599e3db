"""Erasure: rows, versions, words, vectors and everything derived from them alone, gone for good."""

from collections import Counter
from collections.abc import Iterable, Sequence

from recollect.store import contexts, texts
from recollect.store.database import Tx, batches, sequence

_OF_MEMORY = (
    ("provenance", "memory"),
    ("artifacts", "memory"),
    ("usage", "memory"),
    ("links", "source"),
    ("links", "target"),
    ("contradictions", "memory_a"),
    ("contradictions", "memory_b"),
    ("judgements", "memory_a"),
    ("judgements", "memory_b"),
    ("decisions", "memory"),
    ("journal", "memory"),
    ("journal", "other"),
    ("memory_versions", "id"),
    ("memories", "id"),
)


class Eraser:
    """One erasure in one transaction: what goes, what was counted, what is left to rebuild."""

    def __init__(self, tx: Tx) -> None:
        self._tx = tx
        self.removed: Counter[str] = Counter()
        self.rebuild: list[str] = []
        self.unfinished: list[str] = []
        self._gone: set[str] = set()

    def messages(self, ids: Sequence[str]) -> None:
        """Erase messages, the chunks that tell of them, and what was derived from them alone."""
        self.unfinished = self._select(
            "SELECT DISTINCT conversation AS id FROM messages WHERE tenant = :tenant AND id IN :ids", ids
        )
        chunks = self._chunks_over(ids)
        self._rewind(chunks)
        self._rows("chunk", "chunks", chunks)
        self._rows("message", "messages", ids)
        self._delete("decisions", "message", ids)
        self.memories(self._retelling([*ids, *chunks]))
        self._derived_from([*ids, *chunks])

    def conversations(self, ids: Sequence[str]) -> None:
        """Erase whole conversations."""
        said = self._select("SELECT id FROM messages WHERE tenant = :tenant AND conversation IN :ids", ids)
        chunks = self._select("SELECT id FROM chunks WHERE tenant = :tenant AND conversation IN :ids", ids)
        self._rows("chunk", "chunks", chunks)
        self._rows("message", "messages", said)
        self._delete("decisions", "message", said)
        self._derived_from(said + chunks)
        self._delete("app_injections", "conversation", ids)
        self._delete("conversations", "id", ids)

    def memories(self, ids: Sequence[str]) -> None:
        """Erase memories with all their versions, and what was derived from them alone."""
        if not ids:
            return
        texts.remove(self._tx, ids)
        self._vectors(ids)
        self._tombstones("memory", ids)
        retelling = [id for id in self._retelling(ids) if id not in ids]
        for table, column in _OF_MEMORY:
            self._delete(table, column, ids)
        self.memories(retelling)
        self._derived_from(ids)

    def memories_in(self, paths: Sequence[str]) -> None:
        """Erase all memories of spaces; what was said there stays."""
        self.memories(self._select("SELECT id FROM memories WHERE tenant = :tenant AND space IN :ids", paths))

    def spaces(self, paths: Sequence[str]) -> None:
        """Erase spaces with all that is in them."""
        self.conversations(
            self._select("SELECT id FROM conversations WHERE tenant = :tenant AND space IN :ids", paths)
        )
        self.memories_in(paths)
        documents = self._select("SELECT id FROM documents WHERE tenant = :tenant AND space IN :ids", paths)
        self._delete("document_lines", "document", documents)
        self._delete("documents", "id", documents)
        self._derived_from(documents)
        self._delete("contexts", "space", paths)
        self._delete("energy", "space", paths)
        self._delete("decisions", "space", paths)
        self._delete("app_counts", "space", paths)
        self._delete("spaces", "path", paths)

    def contexts(self) -> None:
        """At the end: forget that contexts were given out which showed anything of what went."""
        self._delete("contexts", "id", contexts.showing(self._tx, self._gone))

    def _derived_from(self, sources: Sequence[str]) -> None:
        """Erase memories that have no other source; mark those that have for a rebuild."""
        memories = self._select(
            "SELECT DISTINCT memory AS id FROM provenance WHERE tenant = :tenant AND source IN :ids",
            sources,
        )
        for some in batches(sources):
            self.removed["provenance"] += self._tx.run(
                "DELETE FROM provenance WHERE tenant = :tenant AND source IN :ids", ids=some
            )
        still = set(
            self._select(
                "SELECT DISTINCT memory AS id FROM provenance WHERE tenant = :tenant AND memory IN :ids",
                memories,
            )
        )
        for some in batches(sorted(still)):
            self._tx.run("UPDATE memories SET rebuild = 1 WHERE tenant = :tenant AND id IN :ids", ids=some)
        self.rebuild += sorted(still - set(self.rebuild))
        orphans = [id for id in memories if id not in still]
        self.rebuild = [id for id in self.rebuild if id not in orphans]
        self.memories(orphans)

    def _chunks_over(self, messages: Sequence[str]) -> list[str]:
        """Chunks whose summary covers any of the messages; their conversations summarise again."""
        found = self._select(
            "SELECT DISTINCT c.id FROM chunks AS c JOIN messages AS m ON m.tenant = c.tenant "
            "AND m.conversation = c.conversation AND m.turn BETWEEN c.first_turn AND c.last_turn "
            "WHERE c.tenant = :tenant AND m.id IN :ids",
            messages,
        )
        for some in batches(messages):
            self._tx.run(
                "UPDATE conversations SET summary = NULL WHERE tenant = :tenant AND id IN "
                "(SELECT conversation FROM messages WHERE tenant = :tenant AND id IN :ids)",
                ids=some,
            )
        return found

    def _rewind(self, chunks: Sequence[str]) -> None:
        """Let the conversations of these chunks chunk again from there; smaller chunks lose their parent."""
        for some in batches(chunks):
            for r in self._tx.rows(
                "SELECT conversation, min(first_turn) - 1 AS turn FROM chunks WHERE tenant = :tenant "
                "AND level = 0 AND id IN :ids GROUP BY conversation",
                ids=some,
            ):
                self._tx.run(
                    "UPDATE conversations SET chunked = :turn WHERE tenant = :tenant AND id = :id "
                    "AND chunked > :turn",
                    id=r["conversation"],
                    turn=r["turn"],
                )
            self._tx.run(
                "UPDATE chunks SET parent = NULL WHERE tenant = :tenant AND parent IN :ids", ids=some
            )

    def _retelling(self, sources: Sequence[str]) -> list[str]:
        """Episodes and session notes retell all their sources: they go, and are told again without."""
        return self._select(
            "SELECT DISTINCT m.id FROM provenance AS p JOIN memories AS m ON m.tenant = p.tenant "
            "AND m.id = p.memory WHERE p.tenant = :tenant AND p.source IN :ids "
            "AND (m.kind = 'episode' OR m.category = 'session') AND m.made_by IS NOT NULL",
            sources,
        )

    def _rows(self, kind: str, table: str, ids: Sequence[str]) -> None:
        texts.remove(self._tx, ids)
        self._vectors(ids)
        self._tombstones(kind, ids)
        self._delete(table, "id", ids)

    def _vectors(self, ids: Sequence[str]) -> None:
        self._delete("vectors", "id", ids)

    def _tombstones(self, kind: str, ids: Sequence[str]) -> None:
        self._gone.update(ids)
        if ids:
            first = sequence(self._tx, len(ids))
            self._tx.run_many(
                "INSERT INTO erasures (tenant, seq, kind, id) VALUES (?, ?, ?, ?)",
                [(self._tx.tenant, first + i, kind, id) for i, id in enumerate(ids)],
            )

    def _delete(self, table: str, column: str, ids: Sequence[str]) -> None:
        for some in batches(ids):
            self.removed[table] += self._tx.run(
                f"DELETE FROM {table} WHERE tenant = :tenant AND {column} IN :ids",
                ids=some,
            )

    def _select(self, sql: str, ids: Iterable[str]) -> list[str]:
        found: dict[str, None] = {}
        for some in batches(list(ids)):
            found.update(dict.fromkeys(r["id"] for r in self._tx.rows(sql, ids=some)))
        return list(found)

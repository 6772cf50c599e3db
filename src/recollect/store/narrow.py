"""A recall filter as SQL, so that what is rare under a filter is proposed however much else there is.

It lets through all that may pass; `propose` checks every candidate against the whole filter.
"""

from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import Any

from recollect.store.index.ask import Filter

_TABLES = {
    "message": ("messages", "said_at"),
    "chunk": ("chunks", "recorded_at"),
    "memory": ("memories", "valid_from"),
}


@dataclass(frozen=True, slots=True)
class Allowed:
    """Which ids may pass, as a condition and its parameters; empty where nothing is filtered."""

    ids: str = ""
    params: dict[str, Any] = field(default_factory=dict)

    def on(self, table: str) -> str:
        """The condition on the rows of a table; the status of memories alone is looked up one by one."""
        if self.ids or "only_status" not in self.params:
            return self.ids
        if table in ("texts", "vectors"):
            return (
                "AND (kind <> 'memory' OR EXISTS (SELECT 1 FROM memories AS m WHERE m.tenant = :tenant "
                f"AND m.id = {table}.id AND m.status IN :only_status))"
            )
        return "AND status IN :only_status" if table == "memories" else ""


def allowed(only: Filter | None) -> Allowed:
    """The condition of a filter."""
    if only is None:
        return Allowed()
    if replace(only, statuses=None) == Filter():
        return Allowed(params={"only_status": sorted(only.statuses)}) if only.statuses else Allowed()
    labels: dict[str, list[str]] = defaultdict(list)
    for group in only.facets:
        for label in sorted(group):
            name, _, given = label.partition(":")
            labels[name].append(given)
    params: dict[str, Any] = {f"only_{name}": given for name, given in labels.items() if name != "tag"}
    for name in ("since", "until", "recorded_since", "recorded_until", "conversation"):
        if getattr(only, name) is not None:
            params[f"only_{name}"] = getattr(only, name)
    if only.statuses is not None:
        params["only_status"] = sorted(only.statuses)
    if only.speakers is not None:
        params["only_speakers"] = sorted(only.speakers)
    parts = [
        _part(kind, only, labels, params) for kind in _TABLES if only.kinds is None or kind in only.kinds
    ]
    found = " UNION ALL ".join(part for part in parts if part)
    return Allowed(f"AND id IN ({found})" if found else "AND false", params if found else {})


def _part(kind: str, only: Filter, labels: dict[str, list[str]], params: dict[str, Any]) -> str:
    """The ids of one kind that may pass, or nothing where none can."""
    table, at = _TABLES[kind]
    spoken = only.speakers is not None or only.conversation is not None
    if kind != "memory" and labels.keys() - {"trust"}:
        return ""
    if kind != "message" and spoken:
        return ""
    checks = {
        "only_status": "status IN :only_status" if kind == "memory" else "true",
        "only_since": f"{at} >= :only_since",
        "only_until": f"{at} < :only_until",
        "only_recorded_since": "recorded_at >= :only_recorded_since",
        "only_recorded_until": "recorded_at < :only_recorded_until",
        "only_conversation": "conversation = :only_conversation",
        "only_speakers": "coalesce(speaker, role) IN :only_speakers",
        "only_trust": "trust IN :only_trust",
        "only_kind": "kind IN :only_kind",
        "only_category": "category IN :only_category",
    }
    where = [sql for name, sql in checks.items() if name in params]
    return " AND ".join((f"SELECT id FROM {table} WHERE tenant = :tenant AND space IN :spaces", *where))

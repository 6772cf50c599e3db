"""Filters and times as conditions in SQL: values are parameters, never part of the text."""

from typing import Any

from recollect.model.conversation import Trust
from recollect.model.filter import AsOf, Filter
from recollect.model.ids import micros
from recollect.model.record import Status
from recollect.store import codec
from recollect.store.database import Tx

_BELIEVED = (Status.ACTIVE,)
_BELIEVED_THEN = (Status.ACTIVE, Status.SUPERSEDED)
_HAS_TAG = {
    "sqlite": "EXISTS (SELECT 1 FROM json_each(tags) WHERE json_each.value = :tag{i})",
    "postgres": "jsonb_exists(tags, :tag{i})",
}


def times(as_of: AsOf | None) -> tuple[list[str], dict[str, Any]]:
    """Which versions: the current ones, or those of a point in time."""
    where = ["retired_at IS NULL"]
    params: dict[str, Any] = {}
    if as_of is not None and as_of.recorded is not None:
        where = ["recorded_at <= :recorded", "(retired_at IS NULL OR retired_at > :recorded)"]
        params["recorded"] = micros(as_of.recorded)
    if as_of is not None and as_of.valid is not None:
        where += ["valid_from <= :valid", "(valid_to IS NULL OR valid_to > :valid)"]
        params["valid"] = micros(as_of.valid)
    return where, params


def conditions(tx: Tx, wanted: Filter, as_of: AsOf | None) -> tuple[list[str], dict[str, Any]]:
    """Which memories fit a filter; without statuses, what is believed."""
    where, params = times(as_of)
    statuses = wanted.statuses or (_BELIEVED if as_of is None else _BELIEVED_THEN)
    for column, chosen in (
        ("status", statuses),
        ("kind", wanted.kinds),
        ("category", wanted.categories),
        ("key", wanted.keys),
        ("trust", [t for t in Trust if wanted.min_trust and t.rank >= wanted.min_trust.rank]),
    ):
        if chosen:
            where.append(f"{column} IN :{column}s")
            params[f"{column}s"] = chosen
    for i, tag in enumerate(wanted.tags):
        where.append(_HAS_TAG[tx.dialect].format(i=i))
        params[f"tag{i}"] = tag
    for condition, given in (
        ("importance >= :importance", wanted.min_importance or None),
        ("subject = :subject", wanted.subject),
        ("pinned = :pinned", None if wanted.pinned is None else int(wanted.pinned)),
        ("valid_from >= :since", codec.optional_micros(wanted.since)),
        ("valid_from < :until", codec.optional_micros(wanted.until)),
        ("recorded_at >= :recorded_since", codec.optional_micros(wanted.recorded_since)),
        ("recorded_at < :recorded_until", codec.optional_micros(wanted.recorded_until)),
    ):
        if given is not None:
            where.append(condition)
            params[condition.rpartition(":")[2]] = given
    return where, params

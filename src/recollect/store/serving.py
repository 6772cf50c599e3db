"""Which embedder's vectors are searched, and which one's are being made to take their place.

Both are kept as cursors, so that they change in one transaction with the vectors: `serve:MODEL` after a
change of embedder (before the first, the only model that has vectors serves), `reembed:MODEL` during one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.store import vectors
from recollect.store.database import Row, Tx
from recollect.store.feed import advance, embed_cursor

_SERVE, _REEMBED = "serve:", "reembed:"


@dataclass(frozen=True, slots=True)
class Serving:
    """The model that is searched, if there are vectors, and the one that will be, if it changes."""

    model: str | None
    target: str | None


def serving(tx: Tx) -> Serving:
    """Which model serves, and which one is on its way."""
    named = tx.rows(
        "SELECT name FROM cursors WHERE tenant = :tenant AND "
        "((name >= :low AND name < :high) OR (name >= :serve_low AND name < :serve_high))",
        **_between(_REEMBED),
        **{f"serve_{bound}": name for bound, name in _between(_SERVE).items()},
    )
    target = _after(_REEMBED, named)
    chosen = _after(_SERVE, named)
    if chosen is None:
        chosen = next((model for model in vectors.models(tx) if model != target), None)
    return Serving(chosen, target)


def accepts(tx: Tx, model: str) -> bool:
    """Whether vectors of a model are wanted: not those of one that was replaced meanwhile."""
    now = serving(tx)
    return now.model in (None, model) or now.target == model


def begin(tx: Tx, model: str) -> None:
    """Let vectors of a model be made beside those that serve."""
    advance(tx, _REEMBED + model, 1)


def switch(tx: Tx, model: str) -> None:
    """Search the vectors of a model from now on; those of all others go."""
    tx.run("DELETE FROM vectors WHERE tenant = :tenant AND model <> :model", model=model)
    for prefix in (_SERVE, _REEMBED):
        _drop(tx, prefix)
    tx.run(
        "DELETE FROM cursors WHERE tenant = :tenant AND name >= :low AND name < :high AND name <> :kept",
        kept=embed_cursor(model),
        **_between(embed_cursor("")),
    )
    advance(tx, _SERVE + model, 1)


def cancel(tx: Tx, model: str) -> None:
    """Drop the vectors of a model that has not come to serve."""
    tx.run("DELETE FROM vectors WHERE tenant = :tenant AND model = :model", model=model)
    tx.run("DELETE FROM cursors WHERE tenant = :tenant AND name = :name", name=embed_cursor(model))
    _drop(tx, _REEMBED)


def _after(prefix: str, named: Sequence[Row]) -> str | None:
    """What stands behind a prefix in some names, if one has it."""
    return next((r["name"].removeprefix(prefix) for r in named if r["name"].startswith(prefix)), None)


def _drop(tx: Tx, prefix: str) -> None:
    tx.run("DELETE FROM cursors WHERE tenant = :tenant AND name >= :low AND name < :high", **_between(prefix))


def _between(prefix: str) -> dict[str, str]:
    """The bounds of all names that begin with a prefix, which ends in a colon."""
    return {"low": prefix, "high": prefix[:-1] + ";"}

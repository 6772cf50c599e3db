"""What is asked of the index."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which rows may be hits; None does not filter, an empty set lets nothing through.

    `facets` are groups: a row must have one facet of every group.
    """

    kinds: frozenset[str] | None = None
    statuses: frozenset[str] | None = None
    speakers: frozenset[str] | None = None
    since: int | None = None
    until: int | None = None
    recorded_since: int | None = None
    recorded_until: int | None = None
    min_importance: float = 0.0
    conversation: str | None = None
    facets: tuple[frozenset[str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What to find: in which spaces, by which weighted terms, vector, spans (µs) and (kind, id)s.

    The limits say how many rows each way may find; `reach` is how many turns around them come too.
    """

    spaces: tuple[str, ...]
    terms: tuple[str, ...] = ()
    weights: tuple[float, ...] = ()
    vector: NDArray[np.float32] | None = None
    spans: tuple[tuple[int, int], ...] = ()
    items: tuple[tuple[str, str], ...] = ()
    only: Filter | None = None
    reach: int = 2
    by_words: int = 120
    by_meaning: int = 60
    by_time: int = 50

"""Fading and use for many items at once: the vector forms of model/decay.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.model.decay import BOOST_PER_USE, MAX_BOOST

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def freshness(days: NDArray[np.float64], half_life_days: float) -> NDArray[np.float64]:
    """The fading part for many ages at once; what lies in the future is simply fresh."""
    return 0.5 ** (days.clip(0) / half_life_days)


def access_boost(uses: NDArray[np.float32]) -> NDArray[np.float32]:
    """The lift by use for many items at once, 0 to 0.5."""
    return (uses * BOOST_PER_USE).clip(0, MAX_BOOST)

"""How memories fade: by half every half-life since they were last used, slower when used often."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

HALF_LIFE_DAYS = 30.0
BOOST_PER_USE = 0.1
MAX_BOOST = 0.5


def decay(now: datetime, last_used_at: datetime, uses: int, half_life_days: float = HALF_LIFE_DAYS) -> float:
    """1 just after use, falling by half every half-life; every use lifts it by 0.1, at most 0.5."""
    days = max((now - last_used_at).total_seconds() / 86_400, 0.0)
    return float(min(1.0, 0.5 ** (days / half_life_days) + min(uses * BOOST_PER_USE, MAX_BOOST)))


def freshness(days: NDArray[np.float64], half_life_days: float) -> NDArray[np.float64]:
    """The fading part for many ages at once; what lies in the future is simply fresh."""
    return 0.5 ** (days.clip(0) / half_life_days)


def access_boost(uses: NDArray[np.float32]) -> NDArray[np.float32]:
    """The lift by use for many items at once, 0 to 0.5."""
    return (uses * BOOST_PER_USE).clip(0, MAX_BOOST)

"""Decay: how present a memory still is. Computed when it is read, never stored."""

from datetime import datetime

HALF_LIFE_DAYS = 30.0
BOOST_PER_USE = 0.1
MAX_BOOST = 0.5
USE_BOUND = 0.075
"""The most that being cited or passed over moves a score, up or down, however often it happened: what fits
a query better by a sixth stays in front of whatever is popular."""


def decay(last_used_at: datetime, uses: int, now: datetime) -> float:
    """1 for what was used just now, half of it a half-life later, lifted by use, never above 1."""
    days = max(0.0, (now - last_used_at).total_seconds() / 86_400)
    faded: float = 0.5 ** (days / HALF_LIFE_DAYS)
    return min(1.0, faded + min(uses * BOOST_PER_USE, MAX_BOOST))


def use_factor(cited: int, ignored: int) -> float:
    """How far use moves a score: the share of citations, as in a coin to which two tosses are given."""
    tried = (cited + 1) / (cited + ignored + 2)
    return 1.0 + 2 * USE_BOUND * (tried - 0.5)

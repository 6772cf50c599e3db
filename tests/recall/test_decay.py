"""The vector forms of decay agree with the scalar one."""

from datetime import UTC, datetime, timedelta

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recollect.model.decay import HALF_LIFE_DAYS, decay
from recollect.recall.decay import access_boost, freshness

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@given(days=st.floats(-10, 3_000), uses=st.integers(0, 1_000))
def test_many_at_once_fade_as_one_does(days: float, uses: int) -> None:
    one = decay(NOW - timedelta(days=days), uses, NOW)
    many = freshness(np.array([days]), HALF_LIFE_DAYS) + access_boost(np.array([uses], np.float32))
    assert abs(min(1.0, float(many[0])) - one) < 1e-6

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.recall.decay import decay

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("days", "uses", "expected"),
    [
        (0, 0, 1.0),
        (30, 0, 0.5),
        (60, 0, 0.25),
        (30, 2, 0.7),
        (300, 99, 0.5 + 0.5**10),
        (-5, 0, 1.0),
    ],
)
def test_half_every_thirty_days_lifted_by_use(days, uses, expected):
    assert decay(NOW, NOW - timedelta(days=days), uses) == pytest.approx(expected)


@given(st.floats(0, 4000), st.floats(0, 400), st.integers(0, 100))
def test_older_is_never_fresher_and_use_never_hurts(days, more, uses):
    younger = decay(NOW, NOW - timedelta(days=days), uses)
    older = decay(NOW, NOW - timedelta(days=days + more), uses)
    assert 0 <= older <= younger <= 1
    assert decay(NOW, NOW - timedelta(days=days), uses + 1) >= younger

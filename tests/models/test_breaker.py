from hypothesis import given
from hypothesis import strategies as st

from recollect.models.breaker import Breaker, State


def test_it_opens_at_the_limit_and_lets_one_call_try_after_the_pause() -> None:
    breaker = Breaker(failures=2, pause=10.0)
    for now in (0.0, 1.0):
        assert breaker.admit(now)
        breaker.report(False, now)
    assert breaker.state(1.0) is State.OPEN
    assert not breaker.admit(10.9)
    assert breaker.state(11.0) is State.HALF_OPEN
    assert breaker.admit(11.0)
    assert not breaker.admit(11.0), "only one call tries"


def test_a_failed_try_opens_it_again_and_a_good_one_closes_it() -> None:
    breaker = Breaker(failures=1, pause=10.0)
    breaker.admit(0.0)
    breaker.report(False, 0.0)
    assert breaker.admit(10.0)
    breaker.report(False, 10.0)
    assert not breaker.admit(19.9)
    assert breaker.admit(20.0)
    breaker.report(True, 20.0)
    assert breaker.state(20.0) is State.CLOSED
    assert breaker.admit(20.0)


def test_a_success_forgets_earlier_failures() -> None:
    breaker = Breaker(failures=2, pause=10.0)
    for worked in (False, True, False):
        assert breaker.admit(0.0)
        breaker.report(worked, 0.0)
    assert breaker.state(0.0) is State.CLOSED


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 5)), max_size=60))
def test_it_never_stays_shut_for_longer_than_the_pause(calls: list[tuple[bool, float]]) -> None:
    breaker = Breaker(failures=3, pause=7.0)
    now = 0.0
    for worked, passed in calls:
        now += passed
        if breaker.admit(now):
            breaker.report(worked, now)
    assert breaker.admit(now + 7.0)

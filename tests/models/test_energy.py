from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.errors import InvalidInput, ModelUnavailable
from recollect.models.energy import Budget, Meter, Priority, Spending
from recollect.models.fakes import FakeLLM
from recollect.models.llm import Completion, Prompt, say
from recollect.models.metered import MeteredLLM

START = datetime(2026, 1, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)


class ListLedger:
    def __init__(self) -> None:
        self.entries: list[Spending] = []

    def record(self, spending: Spending) -> None:
        self.entries.append(spending)

    def spent_since(self, moment: datetime) -> int:
        return sum(entry.tokens for entry in self.entries if entry.at > moment)


def meter(capacity: int = 1000, refill: int = 100) -> Meter:
    return Meter(Budget(capacity, refill), ListLedger())


def spend(target: Meter, tokens: int, at: datetime) -> None:
    target.spend(Spending(at=at, purpose="test", model="fake:x", tokens_in=tokens, tokens_out=0))


def test_what_is_spent_comes_back() -> None:
    energy = meter(capacity=1000, refill=100)
    assert energy.level(START) == 1.0
    spend(energy, 900, START)
    assert energy.left(START) == 100
    assert energy.level(START + 9.9 * HOUR) == pytest.approx(0.1)
    assert energy.level(START + 10 * HOUR) == 1.0


def test_low_priority_waits_below_a_fifth() -> None:
    energy = meter()
    assert energy.may_run(Priority.LOW, START)
    spend(energy, 800, START)
    assert energy.may_run(Priority.LOW, START), "200 of 1000 is 20 %, not below"
    spend(energy, 1, START)
    assert not energy.may_run(Priority.LOW, START)
    assert energy.may_run(Priority.NORMAL, START)


def test_nobody_may_spend_more_than_is_left() -> None:
    energy = meter()
    assert energy.may_run(Priority.NORMAL, START, cost=1000)
    assert not energy.may_run(Priority.NORMAL, START, cost=1001)
    spend(energy, 1000, START)
    assert not energy.may_run(Priority.NORMAL, START)


def test_no_capacity_means_no_llm_work() -> None:
    energy = meter(capacity=0)
    assert energy.level(START) == 0.0
    assert not energy.may_run(Priority.NORMAL, START)


@pytest.mark.parametrize(("capacity", "refill"), [(-1, 1), (1, 0), (1, -1)])
def test_a_budget_that_makes_no_sense(capacity: int, refill: int) -> None:
    with pytest.raises(InvalidInput):
        Budget(capacity, refill)


@given(
    st.integers(1, 10_000),
    st.integers(1, 1_000),
    st.lists(st.tuples(st.integers(1, 3_000), st.integers(0, 600)), max_size=40),
)
def test_no_period_ever_costs_more_than_the_capacity(
    capacity: int, refill: int, wishes: list[tuple[int, int]]
) -> None:
    energy = meter(capacity, refill)
    period = energy.budget.period
    now = START
    spent: list[tuple[datetime, int]] = []
    for cost, minutes in wishes:
        now += timedelta(minutes=minutes)
        if energy.may_run(Priority.NORMAL, now, cost):
            spend(energy, cost, now)
            spent.append((now, cost))
        assert 0.0 <= energy.level(now) <= 1.0
    for end, _ in spent:
        assert sum(cost for at, cost in spent if end - period < at <= end) <= capacity
    assert energy.level(now + period) == 1.0


PROMPT = Prompt(system="Be brief.", user="Say something.", purpose="summarise", max_tokens=100)


def metered(llm: FakeLLM, energy: Meter, priority: Priority = Priority.NORMAL) -> MeteredLLM:
    return MeteredLLM(llm, energy, priority, clock=lambda: START)


def test_every_call_is_in_the_ledger() -> None:
    energy = meter()
    assert say(metered(FakeLLM(["done and dusted"]), energy), PROMPT) == "done and dusted"
    (entry,) = energy.ledger.entries
    assert entry == Spending(at=START, purpose="summarise", model="fake:script", tokens_in=4, tokens_out=3)


def test_a_useless_answer_is_paid_for_too() -> None:
    energy = meter()
    useless = Completion(text="", tokens_in=7, tokens_out=0, trouble="gave an empty answer")
    with pytest.raises(ModelUnavailable, match="empty"):
        say(metered(FakeLLM([useless]), energy), PROMPT)
    assert energy.left(START) == 993


def test_low_energy_defers_the_call_before_it_is_made() -> None:
    energy = meter()
    spend(energy, 850, START)
    llm = FakeLLM(["one", "two"])
    with pytest.raises(ModelUnavailable, match=r"Energy is at 15%: summarise \(low priority"):
        say(metered(llm, energy, Priority.LOW), PROMPT)
    assert llm.prompts == []
    assert say(metered(llm, energy), PROMPT) == "one", "normal priority still runs"


def test_a_call_that_never_reached_the_model_costs_nothing() -> None:
    energy = meter()
    with pytest.raises(ModelUnavailable):
        say(metered(FakeLLM([ModelUnavailable("timed out")]), energy), PROMPT)
    assert energy.left(START) == 1000

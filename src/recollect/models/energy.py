"""Energy: the meter and the cap on LLM work, in tokens.

A budget holds `capacity` tokens. What is spent comes back after `capacity / refill_per_hour` hours,
so within any such stretch no more than the capacity is spent. The level follows from the ledger
alone: any number of processes share one budget, and a restart forgets nothing. Work that may not
run now is refused before any call, so that its job can wait in the queue.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol

from recollect.errors import InvalidInput

LOW_LEVEL = 0.2
"""The share of the capacity that is kept for work somebody waits for."""


class Priority(StrEnum):
    """Who waits for the work."""

    NORMAL = "normal"
    """Somebody does: it runs while there is energy at all."""
    LOW = "low"
    """Nobody does: it waits while the level is under 20 %."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """One call to an LLM, as the ledger keeps it."""

    at: datetime
    purpose: str
    model: str
    tokens_in: int
    tokens_out: int

    @property
    def tokens(self) -> int:
        """What the call cost."""
        return self.tokens_in + self.tokens_out


class Ledger(Protocol):
    """Where spending is kept."""

    def record(self, spending: Spending) -> None:
        """Keep one call."""
        ...

    def spent_since(self, moment: datetime) -> int:
        """The tokens of all calls after that moment."""
        ...


@dataclass(frozen=True, slots=True)
class Budget:
    """How many tokens there are, and how fast they come back."""

    capacity: int
    refill_per_hour: int

    def __post_init__(self) -> None:
        if self.capacity < 0 or self.refill_per_hour <= 0:
            raise InvalidInput("An energy budget needs a capacity and a refill above zero.")

    @property
    def period(self) -> timedelta:
        """How long until a spent token is back; never more than a year."""
        hours = self.capacity / self.refill_per_hour
        return timedelta(hours=min(hours, 24 * 365))


@dataclass(frozen=True, slots=True)
class Meter:
    """Reads the level of a budget from a ledger and decides what may run."""

    budget: Budget
    ledger: Ledger

    def left(self, now: datetime) -> int:
        """The tokens that may be spent now."""
        spent = self.ledger.spent_since(now - self.budget.period)
        return max(0, self.budget.capacity - spent)

    def level(self, now: datetime) -> float:
        """The share of the capacity that is left, 0 to 1."""
        return self.left(now) / self.budget.capacity if self.budget.capacity else 0.0

    def may_run(self, priority: Priority, now: datetime, cost: int = 1) -> bool:
        """Whether work that costs so many tokens fits, and leaves what others need."""
        reserve = 0
        if priority is Priority.LOW:
            reserve = math.ceil(LOW_LEVEL * self.budget.capacity)
        return self.left(now) >= max(cost, reserve)

    def spend(self, spending: Spending) -> None:
        """Write a call to the ledger; also when it took more than was left, for it happened."""
        self.ledger.record(spending)

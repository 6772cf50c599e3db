"""An LLM that pays for every call from the energy budget, and does not call when it cannot pay."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from recollect.errors import ModelUnavailable
from recollect.models.energy import Meter, Priority, Spending
from recollect.models.llm import LLM, Completion, Prompt
from recollect.models.tokens import tokenizer_for


class OutOfEnergy(ModelUnavailable):
    """The budget does not reach for a call now; it refills, so the work only has to wait."""


class MeteredLLM:
    """Wraps an LLM; the work of a refused call stays in its queue, so it is late, not lost."""

    def __init__(self, llm: LLM, meter: Meter, priority: Priority, clock: Callable[[], datetime]) -> None:
        self.name = llm.name
        self._llm = llm
        self._meter = meter
        self._priority = priority
        self._clock = clock

    def complete(self, prompt: Prompt) -> Completion:
        """The answer, once it is paid for; `OutOfEnergy` if the budget does not reach."""
        now = self._clock()
        words = tokenizer_for(self.name).count(prompt.system + prompt.user)
        cost = words + prompt.max_tokens
        if not self._meter.may_run(self._priority, now, cost):
            raise OutOfEnergy(
                f"Energy is at {self._meter.level(now):.0%}: {prompt.purpose} "
                f"({self._priority} priority, up to {cost} tokens) waits."
            )
        completion = self._llm.complete(prompt)
        self._meter.spend(
            Spending(
                at=self._clock(),
                purpose=prompt.purpose,
                model=self.name,
                tokens_in=completion.tokens_in,
                tokens_out=completion.tokens_out,
            )
        )
        return completion

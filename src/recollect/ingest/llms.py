"""The LLM of a memory, if it has one: loaded once, metered for each tenant."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from recollect.ingest.options import DigestOptions
from recollect.jobs import queue
from recollect.jobs.worker import Later
from recollect.store.scope import Scope

if TYPE_CHECKING:
    from recollect.models.energy import Budget, Meter
    from recollect.models.llm import LLM
    from recollect.models.metered import MeteredLLM
    from recollect.models.options import ModelOptions

WAIT = timedelta(minutes=15)


@dataclass(slots=True)
class LLMs:
    """Which model may be asked, and how much of it there is."""

    wanted: "str | LLM"
    options: "ModelOptions"
    capacity: int
    refill_per_hour: int
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def promise(self, scope: Scope, conversation: str) -> None:
        """Let the model look at a conversation when the rules have; nothing without a model."""
        if self.wanted:
            now, payload = scope.now(), {"conversation": conversation}
            scope.write(
                lambda tx: queue.enqueue(tx, "enhance", now, key=conversation, payload=payload, priority=-1)
            )

    def enhance(self, scope: Scope, conversation: str, digest: DigestOptions) -> None:
        """Let the model tell better what the rules have told; low energy puts it off."""
        from recollect.ingest.enhance import Enhancer

        self.spend(scope, lambda llm: Enhancer(scope, conversation, llm, digest).run())

    def spend(self, scope: Scope, work: "Callable[[LLM], object]") -> None:
        """Do low-priority work with the model, metered; low energy puts it off, no model leaves it out."""
        from recollect.models.metered import OutOfEnergy

        llm = self.metered(scope)
        if llm is None:
            return
        try:
            work(llm)
        except OutOfEnergy as error:
            raise Later(str(error), WAIT) from error

    def budget(self) -> "Budget":
        """How much LLM work there is."""
        from recollect.models.energy import Budget

        return Budget(self.capacity, self.refill_per_hour)

    def meter(self, scope: Scope, space: str | None = None) -> "Meter":
        """The budget of a tenant; what is spent through it is booked on the space."""
        from recollect.models.energy import Meter
        from recollect.store.energy import EnergyLedger

        return Meter(self.budget(), EnergyLedger(scope, space))

    def metered(
        self, scope: Scope, space: str | None = None, seconds: float | None = None
    ) -> "MeteredLLM | None":
        """The model, which pays for each call and may have a time limit for all of them; None without one."""
        from recollect.models.deadline import DeadlineLLM
        from recollect.models.energy import Priority
        from recollect.models.metered import MeteredLLM

        if not self.wanted:
            return None
        llm = self.loaded() if seconds is None else DeadlineLLM(self.loaded(), seconds)
        return MeteredLLM(llm, self.meter(scope, space), Priority.LOW, scope.now)

    def loaded(self) -> "LLM":
        """The model itself, without a meter; only where one is wanted."""
        from recollect.models import registry

        with self._lock:
            if isinstance(self.wanted, str):
                self.wanted = registry.llm(self.wanted, self.options)
            return self.wanted

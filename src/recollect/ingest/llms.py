"""The LLM of a memory, if it has one: loaded once, metered for each tenant."""

import threading
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from recollect.ingest.options import DigestOptions
from recollect.jobs import queue
from recollect.jobs.worker import Later
from recollect.store.scope import Scope

if TYPE_CHECKING:
    from recollect.models.llm import LLM
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
        from recollect.models.metered import OutOfEnergy

        llm = self.metered(scope)
        if llm is None:
            return
        try:
            Enhancer(scope, conversation, llm, digest).run()
        except OutOfEnergy as error:
            raise Later(str(error), WAIT) from error

    def metered(self, scope: Scope) -> "LLM | None":
        """The model, paying for every call with a tenant's energy; None where there is none."""
        from recollect.models.energy import Budget, Meter, Priority
        from recollect.models.metered import MeteredLLM
        from recollect.store.energy import EnergyLedger

        if not self.wanted:
            return None
        meter = Meter(Budget(self.capacity, self.refill_per_hour), EnergyLedger(scope))
        return MeteredLLM(self._loaded(), meter, Priority.LOW, scope.now)

    def _loaded(self) -> "LLM":
        from recollect.models import registry

        with self._lock:
            if isinstance(self.wanted, str):
                self.wanted = registry.llm(self.wanted, self.options)
            return self.wanted

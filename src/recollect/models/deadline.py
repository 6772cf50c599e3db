"""An LLM with a time limit for all that is asked of it, whatever patience is built into it."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable

from recollect.errors import ModelError, ModelUnavailable
from recollect.models.llm import LLM, Completion, Prompt


class DeadlineLLM:
    """Wraps an LLM; the seconds begin when it is made. A call that takes longer is left behind."""

    def __init__(self, llm: LLM, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.name = llm.name
        self._llm = llm
        self._seconds = seconds
        self._clock = clock
        self._until = clock() + seconds

    def complete(self, prompt: Prompt) -> Completion:
        """The answer, if it comes in time; else `ModelUnavailable`."""
        answers: queue.SimpleQueue[Completion | ModelError | None] = queue.SimpleQueue()

        def work() -> None:
            try:
                answers.put(self._llm.complete(prompt))
            except ModelError as error:
                answers.put(error)
            finally:
                answers.put(None)  # whatever else went wrong, nobody waits for it

        threading.Thread(target=work, name="recollect-llm", daemon=True).start()
        try:
            answer = answers.get(timeout=max(0.0, self._until - self._clock()))
        except queue.Empty:
            raise ModelUnavailable(
                f"{self.name} gave no answer within {self._seconds:g} s ({prompt.purpose})."
            ) from None
        if isinstance(answer, ModelError):
            raise answer
        if answer is None:
            raise ModelUnavailable(f"{self.name} broke down ({prompt.purpose}).")
        return answer

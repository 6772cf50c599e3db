import threading

import pytest

from recollect.errors import ModelUnavailable
from recollect.models.deadline import DeadlineLLM
from recollect.models.fakes import FakeLLM
from recollect.models.llm import Completion, Prompt, say

PROMPT = Prompt(system="Be brief.", user="Say something.", purpose="summarise")


class Slow:
    """Answers when it is let go."""

    name = "fake:slow"

    def __init__(self) -> None:
        self.go = threading.Event()

    def complete(self, prompt: Prompt) -> Completion:
        self.go.wait()
        return Completion(text="late", tokens_in=1, tokens_out=1)


def test_an_answer_in_time() -> None:
    llm = DeadlineLLM(FakeLLM(["done", "again"]), 30.0)
    assert llm.name == "fake:script"
    assert [say(llm, PROMPT), say(llm, PROMPT)] == ["done", "again"]


def test_a_call_that_takes_too_long_is_left_behind() -> None:
    slow = Slow()
    with pytest.raises(ModelUnavailable, match=r"no answer within 0.01 s \(summarise\)"):
        DeadlineLLM(slow, 0.01).complete(PROMPT)
    slow.go.set()


def test_the_time_is_for_all_calls_together() -> None:
    now = [0.0]
    slow = Slow()
    llm = DeadlineLLM(slow, 30.0, clock=lambda: now[0])
    now[0] = 31.0
    with pytest.raises(ModelUnavailable, match="no answer within 30 s"):
        llm.complete(PROMPT)
    slow.go.set()


def test_its_errors_come_through() -> None:
    with pytest.raises(ModelUnavailable, match="timed out"):
        DeadlineLLM(FakeLLM([ModelUnavailable("timed out")]), 30.0).complete(PROMPT)

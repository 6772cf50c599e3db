from dataclasses import dataclass

import pytest

from recollect.errors import ModelUnavailable
from recollect.models.fakes import FakeLLM
from recollect.models.llm import Completion, Prompt, ask, say


@dataclass(frozen=True, slots=True)
class City:
    name: str
    people: int


GOOD = {"name": "Oslo", "people": 700_000}
PROMPT = Prompt(system="You know cities.", user="Which one?", purpose="test", max_tokens=50)


def test_a_good_answer_costs_one_call() -> None:
    llm = FakeLLM([GOOD])
    assert ask(llm, PROMPT, City) == City("Oslo", 700_000)
    (asked,) = llm.prompts
    assert asked.user == "Which one?"
    assert asked.max_tokens == 50
    assert asked.schema is not None
    assert asked.schema["required"] == ["name", "people"]
    assert '"people":{"type":"integer"}' in asked.system, "for services that cannot enforce it"


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "Oslo", "people": 700000}',
        '```json\n{"name": "Oslo", "people": 700000}\n```',
        'Sure! Here it is: {"name": "Oslo", "people": 700000} Anything else? {}',
    ],
)
def test_talk_around_the_json_does_no_harm(text: str) -> None:
    assert ask(FakeLLM([text]), PROMPT, City) == City("Oslo", 700_000)


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ('{"name": "Oslo", "people": 7', "not valid JSON"),
        ("I do not know.", "no JSON object"),
        ({"name": "Oslo"}, "lacks the field 'people'"),
        ({"name": "Oslo", "people": "many"}, "answer.people must be of type integer"),
        ("{" + '"a":[' * 100_000, "not valid JSON"),
    ],
)
def test_a_wrong_answer_is_shown_its_mistake_and_asked_once_more(wrong: object, reason: str) -> None:
    llm = FakeLLM([wrong, GOOD])
    assert ask(llm, PROMPT, City) == City("Oslo", 700_000)
    second = llm.prompts[1]
    assert second.user.startswith("Which one?")
    assert reason in second.user
    assert second.system == llm.prompts[0].system


def test_two_wrong_answers_are_an_unavailable_model() -> None:
    llm = FakeLLM([{"name": 1}, {"name": 2}, GOOD])
    with pytest.raises(ModelUnavailable, match=r"nonsense twice \(test\): answer.name"):
        ask(llm, PROMPT, City)
    assert len(llm.prompts) == 2


def test_an_answer_in_trouble_is_not_used_and_not_asked_again() -> None:
    cut = Completion(text='{"name": "Oslo", "people": 7}', tokens_in=1, tokens_out=1, trouble="was cut off")
    llm = FakeLLM([cut, GOOD])
    with pytest.raises(ModelUnavailable, match=r"fake:script was cut off \(test\)"):
        ask(llm, PROMPT, City)
    assert len(llm.prompts) == 1


def test_plain_text_is_said() -> None:
    assert say(FakeLLM(["Oslo"]), PROMPT) == "Oslo"


def test_a_fake_llm_can_answer_by_the_prompt_and_runs_out_of_script() -> None:
    echo = FakeLLM(lambda prompt: prompt.user.upper())
    assert say(echo, PROMPT) == "WHICH ONE?"
    assert echo.complete(PROMPT) == Completion(text="WHICH ONE?", tokens_in=5, tokens_out=2)
    script = FakeLLM([ModelUnavailable("timed out")])
    with pytest.raises(ModelUnavailable, match="timed out"):
        script.complete(PROMPT)
    with pytest.raises(ModelUnavailable, match="run out"):
        script.complete(PROMPT)

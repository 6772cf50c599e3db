"""The port to LLMs, and asking one for an answer of a known shape.

Whatever goes wrong ends as `ModelUnavailable` with a reason; nobody gets half an answer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

from recollect.errors import ModelUnavailable
from recollect.models.answers import WrongAnswer, json_schema, read_answer

Answer = TypeVar("Answer")

_SHOWN = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One question to an LLM, complete in itself."""

    system: str
    user: str
    purpose: str
    """What the tokens are spent on, for the ledger: `extract`, `summarise`."""
    max_tokens: int = 1_024
    """The longest answer to pay for."""
    schema: Mapping[str, Any] | None = None
    """The JSON schema the answer must follow, where the service can be told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What an LLM answered and what it cost; an answer that is no good has a cost too."""

    text: str
    tokens_in: int
    tokens_out: int
    trouble: str | None = None
    """Why the text is no answer: refused, empty, cut short."""


class LLM(Protocol):
    """Answers one prompt; keeps no conversation."""

    @property
    def name(self) -> str:
        """The full `provider:model` string; a memory records which model made it."""
        ...

    def complete(self, prompt: Prompt) -> Completion:
        """What the model said; `ModelUnavailable` if it said nothing and cost nothing."""
        ...


def say(llm: LLM, prompt: Prompt) -> str:
    """The model's whole answer as text."""
    completion = llm.complete(prompt)
    if completion.trouble is not None:
        raise ModelUnavailable(f"{llm.name} {completion.trouble} ({prompt.purpose}).")
    return completion.text


def ask(llm: LLM, prompt: Prompt, answer: type[Answer]) -> Answer:
    """An answer of that dataclass. A wrong one is shown its mistake and asked once more."""
    schema = json_schema(answer)
    asked = replace(prompt, schema=schema, system=_with_schema(prompt.system, schema))
    first = say(llm, asked)
    try:
        return _parse(first, answer)
    except WrongAnswer as error:
        again = replace(asked, user=_corrected(prompt.user, first, str(error)))
    second = say(llm, again)
    try:
        return _parse(second, answer)
    except WrongAnswer as error:
        raise ModelUnavailable(f"{llm.name} answered nonsense twice ({prompt.purpose}): {error}") from error


def _parse(text: str, answer: type[Answer]) -> Answer:
    """The first JSON object of a text, which may be fenced or wrapped in talk, as the answer."""
    start = text.find("{")
    if start < 0:
        raise WrongAnswer("There is no JSON object in the answer.")
    try:
        value, _ = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError) as error:
        raise WrongAnswer(f"The answer is not valid JSON: {error}") from error
    return read_answer(answer, value)


def _with_schema(system: str, schema: Mapping[str, Any]) -> str:
    """The instruction with the schema in words too, since not every service enforces it."""
    described = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    demand = "Answer with one JSON object that follows this schema, and nothing else:"
    return f"{system}\n\n{demand}\n{described}"


def _corrected(user: str, answered: str, error: str) -> str:
    return (
        f"{user}\n\nYour last answer was not valid:\n{answered[:_SHOWN]}\n\n"
        f"What is wrong: {error}\nAnswer again, with the corrected JSON object only."
    )

"""LLMs behind an HTTP service: OpenAI and everything that speaks like it, and Anthropic."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from recollect.errors import ModelUnavailable
from recollect.models.http import Endpoint
from recollect.models.llm import Completion, Prompt
from recollect.models.options import ModelOptions
from recollect.models.remote import OLLAMA_URL, OPENAI_URL, openai_endpoint
from recollect.models.tokens import tokenizer_for

ANTHROPIC_URL = "https://api.anthropic.com/v1"
_TOO_LONG = (
    "context length",
    "context_length",
    "context window",
    "context size",
    "prompt is too long",
    "too many tokens",
    "maximum context",
)


class OpenAIChat:
    """`/chat/completions`: OpenAI, Ollama, vLLM, LM Studio, llama.cpp and many more."""

    def __init__(self, name: str, model: str, endpoint: Endpoint) -> None:
        self.name = name
        self._model = model
        self._endpoint = endpoint
        self._official = endpoint.base_url == OPENAI_URL
        self._enforces = True

    def complete(self, prompt: Prompt) -> Completion:
        """The message of the first choice."""
        answer = self._answer(prompt)
        choices = answer.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = choice.get("message") if isinstance(choice, dict) else None
        if not isinstance(choice, dict) or not isinstance(message, dict):
            raise ModelUnavailable(f"{self.name} answered without a message.")
        reason = choice.get("finish_reason")
        refused = bool(message.get("refusal")) or reason == "content_filter"
        trouble = _trouble(message.get("content"), refused, reason == "length")
        usage = (answer.get("usage"), "prompt_tokens", "completion_tokens")
        return _completion(self.name, prompt, message.get("content"), trouble, usage)

    def _answer(self, prompt: Prompt) -> dict[str, Any]:
        """The service's answer; one that cannot enforce a schema is no longer sent one."""
        if prompt.schema is not None and self._enforces:
            try:
                return self._endpoint.post("chat/completions", self._payload(prompt), _explain)
            except _SchemaRefused:
                self._enforces = False
        plain = replace(prompt, schema=None)
        return self._endpoint.post("chat/completions", self._payload(plain), _explain)

    def _payload(self, prompt: Prompt) -> dict[str, Any]:
        payload: dict[str, Any] = {
            "model": self._model,
            "messages": [
                {"role": "system", "content": prompt.system},
                {"role": "user", "content": prompt.user},
            ],
        }
        if self._official:
            payload["max_completion_tokens"] = prompt.max_tokens
        else:
            payload["max_tokens"] = prompt.max_tokens
            payload["temperature"] = 0
        if prompt.schema is not None:
            schema = {"name": "answer", "strict": True, "schema": prompt.schema}
            payload["response_format"] = {"type": "json_schema", "json_schema": schema}
        return payload


class AnthropicChat:
    """`/messages`; an answer with a schema is asked for as the input of a tool."""

    def __init__(self, name: str, model: str, endpoint: Endpoint) -> None:
        self.name = name
        self._model = model
        self._endpoint = endpoint

    def complete(self, prompt: Prompt) -> Completion:
        """The text of the answer, or the tool's input as JSON."""
        payload: dict[str, Any] = {
            "model": self._model,
            "max_tokens": prompt.max_tokens,
            "system": prompt.system,
            "messages": [{"role": "user", "content": prompt.user}],
        }
        if prompt.schema is not None:
            payload["tools"] = [{"name": "answer", "input_schema": prompt.schema}]
            payload["tool_choice"] = {"type": "tool", "name": "answer"}
        answer = self._endpoint.post("messages", payload, _explain)
        blocks = answer.get("content")
        if not isinstance(blocks, list):
            raise ModelUnavailable(f"{self.name} answered without a message.")
        text = "".join(_block_text(block) for block in blocks)
        reason = answer.get("stop_reason")
        trouble = _trouble(text, reason == "refusal", reason == "max_tokens")
        usage = (answer.get("usage"), "input_tokens", "output_tokens")
        return _completion(self.name, prompt, text, trouble, usage)


def openai_llm(model: str, options: ModelOptions) -> OpenAIChat:
    """An LLM behind an OpenAI-compatible address."""
    return OpenAIChat(f"openai:{model}", model, openai_endpoint(options))


def ollama_llm(model: str, options: ModelOptions) -> OpenAIChat:
    """An LLM of a running Ollama, by its OpenAI-compatible address."""
    base_url = (options.base_url or OLLAMA_URL).rstrip("/").removesuffix("/v1")
    endpoint = Endpoint(f"{base_url}/v1", timeout=options.timeout)
    return OpenAIChat(f"ollama:{model}", model, endpoint)


def anthropic_llm(model: str, options: ModelOptions) -> AnthropicChat:
    """A Claude model."""
    key = options.api_key
    headers = {"anthropic-version": "2023-06-01"} | ({"x-api-key": key} if key else {})
    endpoint = Endpoint(
        options.base_url or ANTHROPIC_URL, headers=headers, secret=key, timeout=options.timeout
    )
    return AnthropicChat(f"anthropic:{model}", model, endpoint)


def _trouble(text: object, refused: bool, cut: bool) -> str | None:
    """Why an answer is none, if it is none."""
    if refused:
        return "refused to answer"
    if cut:
        return "was cut off before the end of its answer"
    if not isinstance(text, str) or not text.strip():
        return "gave an empty answer"
    return None


def _completion(
    name: str, prompt: Prompt, text: object, trouble: str | None, usage: tuple[object, str, str]
) -> Completion:
    reported, field_in, field_out = usage
    counts = reported if isinstance(reported, dict) else {}
    said = text if isinstance(text, str) else ""
    return Completion(
        text=said,
        tokens_in=_tokens(counts.get(field_in), name, prompt.system + prompt.user),
        tokens_out=_tokens(counts.get(field_out), name, said),
        trouble=trouble,
    )


def _tokens(reported: object, model: str, text: str) -> int:
    """The reported count, or our own where a service does not say."""
    if isinstance(reported, int) and reported >= 0:
        return reported
    return tokenizer_for(model).count(text)


def _block_text(block: object) -> str:
    if not isinstance(block, dict):
        return ""
    if block.get("type") == "tool_use":
        return json.dumps(block.get("input"), ensure_ascii=False)
    text = block.get("text")
    return text if block.get("type") == "text" and isinstance(text, str) else ""


def _explain(status: int, said: str) -> Exception | None:
    """A prompt that does not fit, and a schema that is not understood, are told apart."""
    words = said.lower()
    if status in (400, 413) and any(sign in words for sign in _TOO_LONG):
        return ModelUnavailable(f"The prompt is too long for the model{said}.")
    if status in (400, 422) and ("response_format" in words or "json_schema" in words):
        return _SchemaRefused(said)
    return None


class _SchemaRefused(ModelUnavailable):
    """The service does not know `response_format`; asking without it may work."""

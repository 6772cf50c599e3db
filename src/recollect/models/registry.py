"""From a `provider:model` string to a model.

A package can add a provider by an entry point in the group `recollect.embedders`,
`recollect.rerankers` or `recollect.llms`: its name is the provider, its object a function of the
model's name and `ModelOptions`. Ours are built the same way and cannot be replaced by others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from recollect.errors import SettingsError
from recollect.models.options import ModelOptions
from recollect.models.tokens import tokenizer_for

if TYPE_CHECKING:
    from recollect.models.llm import LLM
    from recollect.models.ports import Embedder, Reranker, Tokenizer

LIGHT_EMBEDDER = "static:recollect-256"
"""Needs nothing but the package itself."""
LOCAL_EMBEDDER = "local:bge-small-en-v1.5"
"""Needs `recollect[local]`; finds more."""
LOCAL_RERANKER = "local:ms-marco-minilm-l-12"
"""Needs `recollect[local]`."""

Factory = Callable[[str, ModelOptions], Any]


def embedder(spec: str, options: ModelOptions | None = None) -> Embedder:
    """The embedder that a string such as `static:recollect-256` or `ollama:bge-m3` names."""
    made: Embedder = _make("embedder", _EMBEDDERS, spec, options)
    return made


def reranker(spec: str, options: ModelOptions | None = None) -> Reranker:
    """The reranker that a string such as `local:ms-marco-minilm-l-12` names."""
    made: Reranker = _make("reranker", _RERANKERS, spec, options)
    return made


def llm(spec: str, options: ModelOptions | None = None) -> LLM:
    """The LLM that a string such as `anthropic:claude-…` or `ollama:llama3.2` names."""
    made: LLM = _make("llm", _LLMS, spec, options)
    return made


def tokenizer(spec: str) -> Tokenizer:
    """The tokenizer of a model (`gpt-4o`, `anthropic:claude-…`); unknown ones get a safe bound."""
    return tokenizer_for(spec)


def _make(kind: str, ours: Mapping[str, str], spec: str, options: ModelOptions | None) -> Any:
    """Find the provider's function, ours first, and call it."""
    provider, colon, model = spec.strip().partition(":")
    if not (provider and colon and model):
        raise SettingsError(f"The {kind} must be named as provider:model, not {spec!r}.")
    if provider in ours:
        module, _, function = ours[provider].partition(":")
        factory: Factory = getattr(import_module(f"recollect.models.{module}"), function)
    else:
        from importlib.metadata import entry_points

        theirs = {point.name: point for point in entry_points(group=f"recollect.{kind}s")}
        if provider not in theirs:
            known = ", ".join(sorted({*ours, *theirs}))
            raise SettingsError(f"There is no {kind} provider {provider!r}. Known: {known}.")
        factory = theirs[provider].load()
    return factory(model, options or ModelOptions())


_EMBEDDERS = {
    "static": "static:static_embedder",
    "local": "onnx:local_embedder",
    "openai": "remote:openai_embedder",
    "ollama": "remote:ollama_embedder",
    "fake": "fakes:fake_embedder",
}
_RERANKERS = {"local": "onnx:local_reranker", "fake": "fakes:fake_reranker"}
_LLMS = {
    "openai": "chat:openai_llm",
    "ollama": "chat:ollama_llm",
    "anthropic": "chat:anthropic_llm",
}

"""Counting tokens, so that a context never exceeds the window it was made for.

OpenAI's encodings are counted exactly, offline. Other makers publish no tokenizer (Claude) or a
different one each (Llama, Mistral, Gemini), so for them the count is bounded from above: see
`BoundedTokenizer`.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import math
import re
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.errors import InvalidInput, ModelMissing

if TYPE_CHECKING:
    from recollect.models.ports import Tokenizer

_ENCODINGS = {"o200k": "o200k_base", "cl100k": "cl100k_base"}
_MODELS = (
    (re.compile(r"(gpt-4o|gpt-4\.1|gpt-4\.5|gpt-5|chatgpt-4o|o[134](-|$)|gpt-oss)"), "o200k"),
    (re.compile(r"(gpt-4|gpt-3\.5|gpt-35|text-embedding-(3|ada-002))"), "cl100k"),
)
MARGIN = 1.5
"""How many tokens of any other model one o200k token is counted for; measured in docs/models.md."""


class ExactTokenizer:
    """Counts with one of OpenAI's published encodings."""

    exact = True

    def __init__(self, name: str) -> None:
        self.name = name

    @cached_property
    def _encoding(self) -> Any:
        return _backend().tokenizer_for_encoding(_ENCODINGS[self.name])

    def count(self, text: str) -> int:
        """The number of tokens; special tokens such as <|endoftext|> count as plain text."""
        return int(self._encoding.count(_sound(text)))


class BoundedTokenizer:
    """Bounds the count of a model whose tokenizer is not public, from above.

    The bound is the larger of two: the o200k count times `MARGIN`, for text in words, and half the
    number of UTF-8 bytes that are not ASCII letters or spaces, for what o200k may have merged
    better than others do (digits, symbols, scripts). A byte never costs more than a token.
    """

    exact = False

    def __init__(self, name: str, margin: float = MARGIN) -> None:
        self.name = name
        self._margin = margin
        self._counter = tokenizer_for("o200k")

    def count(self, text: str) -> int:
        """A number of tokens that the model will not exceed."""
        size = len(text.encode("utf-8", "replace"))
        return min(size, math.ceil(self._counter.count(text) * self._margin))


@lru_cache
def tokenizer_for(model: str) -> Tokenizer:
    """The tokenizer of a model or encoding: `o200k`, `gpt-4o`, `claude-sonnet-4-5`, anything.

    A provider in front (`openai:gpt-4o`) is ignored. A model we do not know gets a safe bound.
    """
    name = model.strip().rpartition(":")[2].rpartition("/")[2].lower().removesuffix("_base")
    if not name:
        raise InvalidInput("Name a model or an encoding to count tokens for, such as 'gpt-4o'.")
    if name in _ENCODINGS:
        return ExactTokenizer(name)
    for pattern, encoding in _MODELS:
        if pattern.match(name):
            return ExactTokenizer(encoding)
    return BoundedTokenizer(name)


def _sound(text: str) -> str:
    """The text with lone surrogates, which no model can be sent, replaced."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


@lru_cache
def _backend() -> Any:
    """The compiled part of bpe-openai, loaded by path: its package takes 0.8 s to import."""
    spec = importlib.util.find_spec("bpe_openai")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        for suffix in importlib.machinery.EXTENSION_SUFFIXES:
            path = Path(folder) / f"_bindings{suffix}"
            if path.is_file():
                return _load_extension(path)
    raise ModelMissing("Counting tokens needs bpe-openai: pip install 'bpe-openai>=0.1.4'.")


def _load_extension(path: Path) -> Any:
    name = "bpe_openai._bindings"
    loader = importlib.machinery.ExtensionFileLoader(name, str(path))
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module

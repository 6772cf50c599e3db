"""Counting tokens, so that a context never exceeds the window it was made for.

OpenAI's encodings are counted exactly, offline. Other makers publish no tokenizer (Claude) or a
different one each (Llama, Mistral, Gemini), so for them the count is bounded from above.
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
_DATED = r"(-mini|-nano|-pro|-turbo|-preview|-latest|-audio|-search|-chat|-codex|-16k|-32k|-\d+)*"
_MODELS = (
    (re.compile(rf"(chatgpt-4o|gpt-4o|gpt-4\.1|gpt-4\.5|gpt-5(\.\d+)?|o[134]){_DATED}"), "o200k"),
    (re.compile(r"gpt-oss(-\d+b)?"), "o200k"),
    (re.compile(rf"(gpt-4|gpt-3\.5|gpt-35){_DATED}"), "cl100k"),
    (re.compile(r"text-embedding-(3-small|3-large|ada-002)"), "cl100k"),
)
_LINE = re.compile(r"(?:[^\n]*\n(?=[\s/]))*[^\n]*\n?")
_JOINED = re.compile(r"\n[\s/]")
_DIGIT = re.compile(r"\d")
_RUN = re.compile(r"([^\w ])\1{3,}| {16,}")
CACHED, LONGEST_CACHED = 8_192, 600
"""So many lines of an encoding are counted only once, those of up to so many characters."""
MARGIN = 2.0
"""How many tokens of another model one of OpenAI's is counted for; docs/models.md says why."""


class ExactTokenizer:
    """Counts with one of OpenAI's published encodings.

    No token of theirs reaches over the end of a line, unless white space or a slash comes next. So lines
    are counted one by one and remembered: a context is priced line by line, then counted as a whole.
    """

    exact = True

    def __init__(self, name: str) -> None:
        self.name = name
        self._counted = lru_cache(CACHED)(self._count)

    @cached_property
    def _encoding(self) -> Any:
        return _backend().tokenizer_for_encoding(_ENCODINGS[self.name])

    def count(self, text: str) -> int:
        """The number of tokens; special tokens such as <|endoftext|> count as plain text."""
        if "\n" not in text[:-1]:
            return self._line(text)
        if _JOINED.search(text):
            lines = _LINE.findall(text)
        else:
            *ended, last = text.split("\n")
            lines = [*[f"{line}\n" for line in ended], last]
        return sum(map(self._line, lines))

    def _line(self, text: str) -> int:
        return self._counted(text) if len(text) <= LONGEST_CACHED else self._count(text)

    def _count(self, text: str) -> int:
        return int(self._encoding.count(_sound(text)))


class BoundedTokenizer:
    """Bounds the count of a model whose tokenizer is not public, from above.

    The larger of two counts is taken: cl100k splits languages other than English nearly as badly
    as anyone. Both group digits by three, and merge runs of one sign, where others count each:
    hence a third for every digit and a token for every sign in a long run.
    """

    exact = False

    def __init__(self, name: str) -> None:
        self.name = name
        self._counters = [ExactTokenizer(encoding) for encoding in _ENCODINGS]

    def count(self, text: str) -> int:
        """A number of tokens that the model is not expected to exceed."""
        most = max(counter.count(text) for counter in self._counters)
        runs = sum(len(run.group()) for run in _RUN.finditer(text))
        return math.ceil(most * MARGIN + len(_DIGIT.findall(text)) / 3 + runs)


@lru_cache
def tokenizer_for(model: str) -> Tokenizer:
    """The tokenizer of a model or encoding: `o200k`, `gpt-4o`, `claude-sonnet-4-5`, anything.

    A provider in front (`openai:gpt-4o`) does not matter. A model we do not know gets a bound.
    """
    if not model.strip():
        raise InvalidInput("Name a model or an encoding to count tokens for, such as 'gpt-4o'.")
    for name in re.split(r"[:/]", model.strip().lower()):
        if name.removesuffix("_base") in _ENCODINGS:
            return ExactTokenizer(name.removesuffix("_base"))
        for pattern, encoding in _MODELS:
            if pattern.fullmatch(name):
                return ExactTokenizer(encoding)
    return BoundedTokenizer(model.strip())


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

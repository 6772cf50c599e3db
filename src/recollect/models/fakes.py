"""Deterministic models for tests and for trying things out: no files, no network, no surprise.

They are public: code built on recollect can be tested with them. They are honest doubles, not
mocks: alike texts get alike vectors, so a search finds what it should.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from recollect.errors import ModelUnavailable, SettingsError
from recollect.models.llm import Completion, Prompt
from recollect.models.options import ModelOptions
from recollect.text.terms import terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Scripted = str | Mapping[str, Any] | Completion | Exception
"""One answer of a `FakeLLM`."""


class HashEmbedder:
    """A bag of hashed words: texts that share words are alike, others almost are not."""

    def __init__(self, dim: int = 64) -> None:
        self.name = f"fake:hash-{dim}"
        self.dim = dim

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:  # noqa: ARG002
        """One row of length 1 per text; a text without words gives a row of zeros."""
        import numpy as np

        vectors = np.zeros((len(texts), self.dim), dtype=np.float32)
        for row, text in enumerate(texts):
            for term in terms(text):
                digest = hashlib.blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8)
                place = int.from_bytes(digest.digest(), "big")
                vectors[row, place // 2 % self.dim] += 1.0 if place % 2 else -1.0
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit: NDArray[np.float32] = vectors / np.maximum(lengths, 1e-9)
        return unit


class FakeReranker:
    """Scores a text by the share of the query's words it holds."""

    name = "fake:overlap"

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """The share of the query's distinct words that each text holds, 0 to 1."""
        asked = set(terms(query))
        return [len(asked & set(terms(text))) / max(len(asked), 1) for text in texts]


class WordTokenizer:
    """Counts words, so that a test can work out a budget by hand."""

    name = "fake:words"
    exact = True

    def count(self, text: str) -> int:
        """The number of words between white space."""
        return len(text.split())


class FakeLLM:
    """Gives scripted answers in order and remembers what it was asked.

    An answer is a text, a dict (sent as JSON), a `Completion` (to say what it costs or what is
    wrong with it), or an error to raise. With a function instead of a script, the answer can
    depend on the prompt. Tokens are counted as words.

        llm = FakeLLM([{"facts": []}, ModelUnavailable("timed out")])
    """

    def __init__(
        self, script: Iterable[Scripted] | Callable[[Prompt], Scripted], name: str = "fake:script"
    ) -> None:
        self.name = name
        self.prompts: list[Prompt] = []
        self._script = script if callable(script) else iter(script)

    def complete(self, prompt: Prompt) -> Completion:
        """The next answer; a script that has run out is an unavailable model."""
        self.prompts.append(prompt)
        script = self._script
        answer = script(prompt) if callable(script) else next(script, None)
        if answer is None:
            raise ModelUnavailable("The script of this FakeLLM has run out of answers.")
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, Completion):
            return answer
        text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        asked = len(prompt.system.split()) + len(prompt.user.split())
        return Completion(text=text, tokens_in=asked, tokens_out=len(text.split()))


def fake_embedder(model: str, _options: ModelOptions) -> HashEmbedder:
    """`fake:hash-64`, with the number of dimensions in the name."""
    dim = model.removeprefix("hash-")
    if not dim.isdecimal() or int(dim) == 0:
        raise SettingsError(f"The fake embedder is named fake:hash-64, not fake:{model}.")
    return HashEmbedder(int(dim))


def fake_reranker(model: str, _options: ModelOptions) -> FakeReranker:
    """`fake:overlap`."""
    if f"fake:{model}" != FakeReranker.name:
        raise SettingsError(f"The fake reranker is named {FakeReranker.name}, not fake:{model}.")
    return FakeReranker()

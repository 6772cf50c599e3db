"""Embedders behind an HTTP service: any OpenAI-compatible one, and Ollama."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from recollect.errors import ModelUnavailable
from recollect.models.http import Endpoint
from recollect.models.options import ModelOptions

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

OPENAI_URL = "https://api.openai.com/v1"
OLLAMA_URL = "http://localhost:11434"

_MAX_CHARACTERS = 6_000

Call = Callable[[Sequence[str]], Sequence[Any]]
"""One request: texts in, raw vectors out, in the same order."""


class RemoteEmbedder:
    """Embeds in batches over the network and trusts nothing that comes back."""

    def __init__(self, name: str, call: Call, batch: int) -> None:
        self.name = name
        self._call = call
        self._batch = max(1, batch)
        self._dim: int | None = None

    @property
    def dim(self) -> int:
        """The length of every vector; the service is asked once."""
        if self._dim is None:
            self._dim = self._request(["dimension"]).shape[1]
        return self._dim

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:  # noqa: ARG002
        """One row of length 1 per text, read up to 6,000 characters so that no service objects.

        An empty text is not sent and gives a row of zeros.
        """
        import numpy as np

        sent = [index for index, text in enumerate(texts) if text.strip()]
        parts = [
            self._request([texts[index][:_MAX_CHARACTERS] for index in sent[start : start + self._batch]])
            for start in range(0, len(sent), self._batch)
        ]
        vectors = np.zeros((len(texts), self.dim), dtype=np.float32)
        if parts:
            vectors[sent] = np.concatenate(parts)
        return vectors

    def _request(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One call, checked: as many vectors as texts, all of one length, finite and not zero."""
        import numpy as np

        raw = self._call(texts)
        if len(raw) != len(texts):
            raise ModelUnavailable(f"{self.name} gave {len(raw)} vectors for {len(texts)} texts.")
        try:
            vectors = np.asarray(raw, dtype=np.float32)
        except (TypeError, ValueError) as error:
            raise ModelUnavailable(f"{self.name} gave vectors that are not numbers.") from error
        if vectors.ndim != 2 or vectors.shape[1] == 0:
            raise ModelUnavailable(f"{self.name} gave vectors of different lengths.")
        if self._dim not in (None, vectors.shape[1]):
            raise ModelUnavailable(
                f"{self.name} gave vectors of length {vectors.shape[1]}, before it was {self._dim}."
            )
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(vectors).all() or not (lengths > 0).all():
            raise ModelUnavailable(f"{self.name} gave a vector that is zero or not finite.")
        self._dim = int(vectors.shape[1])
        unit: NDArray[np.float32] = vectors / lengths
        return unit


def openai_embedder(model: str, options: ModelOptions) -> RemoteEmbedder:
    """An embedder behind `/v1/embeddings`: OpenAI, vLLM, LM Studio, Together and many others."""
    endpoint = openai_endpoint(options)

    def call(texts: Sequence[str]) -> Sequence[Any]:
        payload = {"model": model, "input": list(texts), "encoding_format": "float"}
        rows = _listed(endpoint.post("embeddings", payload), "data")
        if not all(isinstance(row, dict) for row in rows):
            raise ModelUnavailable(f"{endpoint.base_url} answered without embeddings.")
        ordered = sorted(rows, key=lambda row: _index(row.get("index")))
        return [row.get("embedding") for row in ordered]

    return RemoteEmbedder(f"openai:{model}", call, options.batch)


def ollama_embedder(model: str, options: ModelOptions) -> RemoteEmbedder:
    """An embedder of a running Ollama."""
    endpoint = Endpoint(options.base_url or OLLAMA_URL, timeout=options.timeout)

    def call(texts: Sequence[str]) -> Sequence[Any]:
        payload = {"model": model, "input": list(texts)}
        return _listed(endpoint.post("api/embed", payload), "embeddings")

    return RemoteEmbedder(f"ollama:{model}", call, options.batch)


def openai_endpoint(options: ModelOptions) -> Endpoint:
    """The service of an OpenAI-compatible address, opened with the key if there is one."""
    key = options.api_key
    return Endpoint(
        options.base_url or OPENAI_URL,
        headers={"authorization": f"Bearer {key}"} if key else {},
        secret=key,
        timeout=options.timeout,
    )


def _listed(answer: dict[str, Any], field: str) -> list[Any]:
    rows = answer.get(field)
    if not isinstance(rows, list):
        raise ModelUnavailable(f"The embedding service answered without {field!r}.")
    return rows


def _index(value: object) -> int:
    return value if isinstance(value, int) else 0

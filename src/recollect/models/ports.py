"""The ports to models: what the rest of recollect may ask of one, and nothing more.

Every implementation is safe to share between threads and gives the same answer for the same text,
whatever else is in the call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Embedder(Protocol):
    """Turns texts into vectors whose inner product says how alike the texts are."""

    @property
    def name(self) -> str:
        """The full `provider:model` string; it is recorded with every vector."""
        ...

    @property
    def dim(self) -> int:
        """The length of every vector."""
        ...

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        """One row of length 1 per text; a text without anything to embed gives a row of zeros.

        `query` says that the texts are questions to be matched with stored texts: some models
        embed these differently.
        """
        ...


class Reranker(Protocol):
    """Reads a query and a text together, which is slower and better than comparing vectors."""

    @property
    def name(self) -> str:
        """The full `provider:model` string."""
        ...

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """How well each text answers the query, 0 to 1, comparable across queries."""
        ...


class Tokenizer(Protocol):
    """Counts what a text costs in a model's context window."""

    @property
    def name(self) -> str:
        """The model or encoding that is counted for."""
        ...

    @property
    def exact(self) -> bool:
        """Whether the count is the model's own; otherwise it is a bound that is never too low."""
        ...

    def count(self, text: str) -> int:
        """The number of tokens of a text."""
        ...

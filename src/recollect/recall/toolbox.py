"""The toolbox of an open memory: which index, embedder, recipe and reranker a recall works with."""

import threading
from importlib.util import find_spec
from typing import TYPE_CHECKING

from recollect.errors import ModelMissing
from recollect.ingest.embedders import Embedders
from recollect.recall.indexes import Indexes
from recollect.recall.recall import Means
from recollect.recall.recipes import recipe
from recollect.recall.rerank import Pace
from recollect.store.scope import Scope

if TYPE_CHECKING:
    from recollect.models.ports import Reranker


class Toolbox:
    """Loads each model once, and only when a recall needs it."""

    def __init__(self, embedders: Embedders) -> None:
        self.embedders = embedders
        self.indexes = Indexes()
        self._pace = Pace()
        self._reranker: Reranker | None = None
        self._lock = threading.Lock()

    def means(self, scope: Scope, name: str | None, rerank_ms: float) -> Means:
        """What one recall needs; without a recipe's name, the one that fits the embedder."""
        embedder = self.embedders.of(scope)
        chosen = recipe(name or ("local" if embedder.name.startswith("local:") else "default"))
        return Means(
            index=self.indexes.of(scope, embedder),
            embedder=embedder,
            recipe=chosen,
            reranker=self._loaded() if rerank_ms > 0 else None,
            pace=self._pace,
            rerank_ms=rerank_ms,
        )

    def _loaded(self) -> "Reranker":
        from recollect.models import registry

        if find_spec("onnxruntime") is None:
            raise ModelMissing("reranking needs the local extra: pip install 'recollect[local]'")
        with self._lock:
            if self._reranker is None:
                self._reranker = registry.reranker(registry.LOCAL_RERANKER)
            return self._reranker

"""The toolbox of an open memory: which index, embedder, recipe and reranker a recall works with."""

import threading
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING

from recollect.errors import ModelMissing
from recollect.ingest.embedders import Embedders
from recollect.model.record import Record
from recollect.recall.indexes import Indexes
from recollect.store.scope import Scope

if TYPE_CHECKING:
    from recollect.models.ports import Reranker
    from recollect.recall.recall import Means
    from recollect.recall.recipes import Recipe
    from recollect.recall.rerank import Pace

NEAREST = 20


class Toolbox:
    """Loads each model once, and only when a recall needs it."""

    def __init__(self, embedders: Embedders) -> None:
        self.embedders = embedders
        self.indexes = Indexes()
        self._reading: tuple[Reranker, Pace] | None = None
        self._lock = threading.Lock()

    def means(
        self,
        scope: Scope,
        recipe: "str | Recipe | None" = None,
        rerank_ms: float = 0.0,
        threshold: float | None = None,
    ) -> "Means":
        """What one recall needs; without a recipe or its name, the one that fits the embedder."""
        from recollect.recall.recall import Means
        from recollect.recall.recipes import Recipe, named

        embedder = self.embedders.of(scope)
        fitting = "local" if embedder.name.startswith("local:") else "default"
        chosen = recipe if isinstance(recipe, Recipe) else named(recipe or fitting)
        if threshold is not None:
            chosen = replace(chosen, threshold=0.0)
        return Means(
            candidates=self.indexes.of(scope, embedder),
            embedder=embedder,
            recipe=chosen,
            reading=self._reader() if rerank_ms > 0 else None,
            rerank_ms=rerank_ms,
            threshold=threshold or 0.0,
        )

    def nearest(self, scope: Scope, record: Record) -> list[str]:
        """The believed memories nearest in meaning to one; none if it has no vector yet."""
        import numpy as np

        from recollect.store import vectors
        from recollect.store.index.ask import Ask, Filter

        embedder = self.embedders.of(scope)
        held = scope.read(lambda tx: vectors.of(tx, embedder.name, [record.id]))
        if record.id not in held:
            return []
        vector = np.frombuffer(held[record.id], "<f2").astype(np.float32)
        only = Filter(kinds=frozenset({"memory"}), statuses=frozenset({"active"}))
        ask = Ask(spaces=(record.space,), vector=vector, only=only, reach=0, by_meaning=NEAREST)
        pool, _ = self.indexes.of(scope, embedder).search(ask)
        best = np.argsort(-np.nan_to_num(pool.cosine, nan=-1.0), kind="stable")[:NEAREST]
        return [id.decode() for id in pool.ids[best].tolist()]

    def _reader(self) -> "tuple[Reranker, Pace]":
        from recollect.models import registry
        from recollect.recall.rerank import Pace

        if find_spec("onnxruntime") is None:
            raise ModelMissing("reranking needs the local extra: pip install 'recollect[local]'")
        with self._lock:
            if self._reading is None:
                self._reading = registry.reranker(registry.LOCAL_RERANKER), Pace()
            return self._reading

"""The verbs on vectors: `memory.vectors.reembed()` and so on."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from recollect.ingest.embedders import Embedders
from recollect.model.reembedding import Reembedding
from recollect.store.scope import Scope

if TYPE_CHECKING:
    from recollect.models.ports import Embedder


class Vectors:
    """The vectors that are searched, and changing the embedder that makes them."""

    def __init__(self, scope: Scope, stir: Callable[[], None], embedders: Embedders) -> None:
        self._scope = scope
        self._stir = stir
        self._embedders = embedders

    def reembed(
        self, to: "str | Embedder", *, progress: Callable[[Reembedding], None] | None = None
    ) -> Reembedding:
        """Change the embedder, here and now; the old vectors serve until the new ones are complete."""
        from recollect.upkeep import reembed

        embedder = self._embedders.named(to)
        self._embedders.follow(embedder.name)
        reembed.begin(self._scope, embedder.name)
        return reembed.run(self._scope, embedder, progress)

    def begin_reembed(self, to: str) -> Reembedding:
        """The same as a job: the background worker, or `recollect worker`, does it."""
        from recollect.upkeep import reembed

        name = self._embedders.named(to).name
        self._embedders.follow(name)
        begun = reembed.begin(self._scope, name)
        self._stir()
        return begun

    def status(self) -> Reembedding:
        """Which embedder serves, and how far a change to another has come."""
        from recollect.upkeep import reembed

        return reembed.status(self._scope)

    def cancel_reembed(self) -> Reembedding:
        """Give up a change that has not come to its end; nothing is lost but the work."""
        from recollect.upkeep import reembed

        return reembed.cancel(self._scope)

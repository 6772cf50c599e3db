"""The bundled embedder: a table of one vector per word piece, summed and normalised; numpy only.

The table was distilled from a sentence model by `tools/make_static_table.py`. Every row is stored
as int8 with one scale that already holds the word's weight, so that frequent words count little; a
repeated word counts once. Word order is lost; in return a query takes well under a tenth of a
millisecond and nothing needs to be installed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.errors import SettingsError
from recollect.models.options import ModelOptions
from recollect.models.wordpiece import WordPiece

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_DATA = Path(__file__).parent / "data"


class StaticEmbedder:
    """Embeds by adding up the table's rows of a text's word pieces."""

    def __init__(self, folder: Path) -> None:
        self.name = f"static:{folder.name}"
        self._folder = folder

    @property
    def dim(self) -> int:
        """The length of every vector."""
        return int(self._table[0].shape[1])

    @cached_property
    def _table(self) -> tuple[NDArray[np.int8], NDArray[np.float32], WordPiece]:
        """The rows (read from disk as they are needed), their scales, and the word splitter."""
        import numpy as np

        rows: NDArray[np.int8] = np.load(self._folder / "rows.npy", mmap_mode="r")
        scales: NDArray[np.float32] = np.load(self._folder / "scales.npy")
        pieces = (self._folder / "vocabulary.txt").read_text("utf-8").split("\n")
        return rows.view(np.ndarray), scales, WordPiece(pieces)

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:  # noqa: ARG002
        """One row of length 1 per text; a text without a known word gives a row of zeros."""
        import numpy as np

        rows, scales, pieces = self._table
        vectors = np.zeros((len(texts), rows.shape[1]), dtype=np.float32)
        for index, text in enumerate(texts):
            ids = pieces.ids(text)
            if ids:
                places = np.array(list(dict.fromkeys(ids)))
                vector = scales.take(places) @ rows.take(places, axis=0).astype(np.float32)
                length = math.sqrt(vector @ vector)
                if length > 0.0:
                    vectors[index] = vector / length
        return vectors


def static_embedder(model: str, _options: ModelOptions) -> StaticEmbedder:
    """The bundled table of that name; it is read when it is first used."""
    return _load(model)


@lru_cache
def _load(name: str) -> StaticEmbedder:
    folder = _DATA / name
    if not (folder / "rows.npy").is_file():
        known = ", ".join(sorted(path.parent.name for path in _DATA.glob("*/rows.npy")))
        raise SettingsError(f"There is no static table {name!r}. Bundled: {known}.")
    return StaticEmbedder(folder)

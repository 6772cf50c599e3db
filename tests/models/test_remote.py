import math

import numpy as np
import pytest

from model_server import ModelServer, Mood, Request
from recollect.errors import ModelUnavailable
from recollect.models.options import ModelOptions
from recollect.models.remote import RemoteEmbedder, ollama_embedder, openai_embedder


def vector_of(text: str) -> list[float]:
    return [float(len(text)), 1.0, 0.0]


def openai_answer(request: Request) -> dict:
    rows = [{"index": i, "embedding": vector_of(text)} for i, text in enumerate(request.body["input"])]
    return {"data": rows[::-1]}


def ollama_answer(request: Request) -> dict:
    return {"embeddings": [vector_of(text) for text in request.body["input"]]}


def openai(server: ModelServer, batch: int = 64) -> RemoteEmbedder:
    options = ModelOptions(base_url=f"{server.url}/v1", api_key="k", batch=batch, timeout=5)
    return openai_embedder("small", options)


def test_openai_embeds_in_batches_and_in_order(server: ModelServer) -> None:
    server.moods = [Mood(body=openai_answer)]
    model = openai(server, batch=2)
    vectors = model.embed(["a", "bb", "ccc", "", "eeeee"])
    expected = np.array([vector_of(text) for text in ["a", "bb", "ccc", "eeeee"]], dtype=np.float32)
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(vectors[[0, 1, 2, 4]], expected, rtol=1e-6)
    assert not vectors[3].any(), "an empty text is a row of zeros"
    assert [request.body["input"] for request in server.requests] == [["a", "bb"], ["ccc", "eeeee"]]
    assert server.requests[0].path == "/v1/embeddings"
    assert server.requests[0].headers["authorization"] == "Bearer k"
    assert model.name == "openai:small"
    assert vectors.dtype == np.float32


def test_ollama(server: ModelServer) -> None:
    server.moods = [Mood(body=ollama_answer)]
    model = ollama_embedder("nomic", ModelOptions(base_url=server.url))
    assert model.dim == 3
    assert model.embed(["x"]).shape == (1, 3)
    assert {request.path for request in server.requests} == {"/api/embed"}
    assert server.requests[-1].body == {"model": "nomic", "input": ["x"]}
    assert model.name == "ollama:nomic"


def test_a_long_text_is_sent_in_part(server: ModelServer) -> None:
    server.moods = [Mood(body=ollama_answer)]
    ollama_embedder("nomic", ModelOptions(base_url=server.url)).embed(["x" * 10_000])
    assert server.requests[0].body["input"] == ["x" * 6_000]


def test_nothing_to_embed_is_not_sent(server: ModelServer) -> None:
    server.moods = [Mood(body=ollama_answer)]
    model = ollama_embedder("nomic", ModelOptions(base_url=server.url))
    assert model.embed([" ", ""]).shape == (2, 3)
    assert model.embed([]).shape == (0, 3)
    assert [request.body["input"] for request in server.requests] == [["dimension"]]


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ([[1.0, 2.0]], "1 vectors for 2 texts"),
        ([[1.0, 2.0], [1.0]], "not numbers|different lengths"),
        ([[1.0, 2.0], [1.0, math.nan]], "not finite"),
        ([[1.0, 2.0], [0.0, 0.0]], "zero"),
        ([[1.0, "x"], [1.0, 2.0]], "not numbers"),
        ([[], []], "different lengths"),
        ([None, None], "not numbers|different lengths|not finite"),
        ("no list", "without 'embeddings'"),
    ],
)
def test_nonsense_is_not_stored(server: ModelServer, rows: object, complaint: str) -> None:
    server.moods = [Mood(body={"embeddings": rows})]
    model = ollama_embedder("nomic", ModelOptions(base_url=server.url))
    with pytest.raises(ModelUnavailable, match=complaint):
        model.embed(["a", "b"])


@pytest.mark.parametrize("data", [None, [1], [{"embedding": "x"}], [{}]])
def test_nonsense_from_openai_is_not_stored(server: ModelServer, data: object) -> None:
    server.moods = [Mood(body={"data": data})]
    with pytest.raises(ModelUnavailable):
        openai(server).embed(["a"])


def test_a_model_that_changes_its_dimension_is_caught(server: ModelServer) -> None:
    server.moods = [Mood(body={"embeddings": [[1.0, 2.0]]}), Mood(body={"embeddings": [[1.0]]})]
    model = ollama_embedder("nomic", ModelOptions(base_url=server.url))
    model.embed(["a"])
    with pytest.raises(ModelUnavailable, match="length 1, before it was 2"):
        model.embed(["b"])

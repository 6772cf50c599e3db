"""A memory with an LLM behind a real loopback server, whose pauses pass at once."""

from collections.abc import Iterator

import pytest

from apps_talk import mood
from clock import Clock
from model_server import ModelServer, patience, patient
from recollect import Memory
from recollect.models.fakes import HashEmbedder

DELETE_FIRST = {"action": "delete", "targetMemoryId": 1, "newContent": None, "reason": "outdated"}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        running.moods = [mood(DELETE_FIRST)]
        yield running


def opened(where: str, clock: Clock, server: ModelServer | None, timeout: float = 60.0) -> Memory:
    """A memory without a model, or with the one that the server plays."""
    llm = None if server is None else patient(server, timeout)
    return Memory(where, view="user:alex", embedder=HashEmbedder(), llm=llm, clock=clock, background=False)


@pytest.fixture
def smart(request: pytest.FixtureRequest, where: str, clock: Clock, server: ModelServer) -> Iterator[Memory]:
    with opened(where, clock, server, patience(request)) as memory:
        yield memory


@pytest.fixture(params=["rules", "model"])
def either(request: pytest.FixtureRequest, where: str, clock: Clock, server: ModelServer) -> Iterator[Memory]:
    """A memory without a model, and one with a model in its good mood."""
    with opened(where, clock, server if request.param == "model" else None) as memory:
        yield memory

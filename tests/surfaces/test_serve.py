"""`recollect serve` as a user starts it: a process, a port, a signal."""

import asyncio
import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from recollect import Memory
from recollect.surfaces.address import Address
from recollect.surfaces.cli.app import run

PROGRAM = [sys.executable, "-c", "from recollect.surfaces.cli import main; main()"]


@contextmanager
def serving(path: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    command = [*PROGRAM, "--db", str(path), "--embedder", "static:recollect-256", "serve", "--json"]
    with path.with_suffix(".log").open("w") as log:
        process = subprocess.Popen(
            [*command, "--port", "0", *options], stdout=subprocess.PIPE, stderr=log, text=True
        )
    assert process.stdout is not None
    try:
        yield process, json.loads(process.stdout.readline())["serving"]
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_it_serves_until_it_is_told_to_stop(tmp_path: Path) -> None:
    with serving(tmp_path / "m.db", "--insecure-local") as (process, url):
        with httpx2.Client(base_url=url, trust_env=False, timeout=30) as client:
            assert client.get("/readyz").json() == {"status": "ready"}
            assert client.post("/v1/memories", json={"text": "kept"}).status_code == 201
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) in (0, -signal.SIGTERM)
    with Memory(tmp_path / "m.db", background=False) as memory:
        assert [r.text for r in memory.list().items] == ["kept"]


@pytest.mark.parametrize("level", ["info", "error"])
def test_what_it_does_for_apps_is_in_its_log(tmp_path: Path, level: str) -> None:
    app = {"view": "app:calendar"}
    with serving(tmp_path / "m.db", "--insecure-local", "--log", level) as (process, url):
        with httpx2.Client(base_url=url, trust_env=False, timeout=30) as client:
            client.put("/v1/apps/calendar", json={})
            chat = client.post("/v1/conversations", params=app, json={}).json()["id"]
            said = {"messages": [{"text": "I prefer meetings after 2pm."}], "conversation": chat}
            client.post("/v1/messages", params=app, json=said)
            client.post(f"/v1/conversations/{chat}/end", params=app)
            assert client.get("/v1/jobs/events").status_code == 200, "until nothing is left to do"
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)
    told = (tmp_path / "m.log").read_text()
    line = f"Z INFO recollect.apps: created memory for app calendar from conversation {chat}\n"
    assert (line in told) is (level == "info")
    assert "2pm" not in told


def test_what_was_acknowledged_survives_kill_9(tmp_path: Path) -> None:
    with serving(tmp_path / "m.db", "--insecure-local", "--no-workers") as (process, url):
        with httpx2.Client(base_url=url, trust_env=False, timeout=30) as client:
            done = [client.post("/v1/memories", json={"text": f"thing {i}"}) for i in range(20)]
        process.kill()
        process.wait()
    with Memory(tmp_path / "m.db", background=False) as memory:
        assert len(memory.list().items) == len([d for d in done if d.status_code == 201]) == 20


def test_no_keys_only_on_loopback(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = ["--db", str(tmp_path / "m.db")]
    assert run(["serve", "--host", "0.0.0.0", "--insecure-local", *place]) == 5  # noqa: S104
    assert "loopback" in capsys.readouterr().err
    assert not (tmp_path / "m.db").exists()


def test_a_port_in_use_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert run(["serve", "--port", port, "--db", str(tmp_path / "m.db")]) == 5
    assert "cannot listen" in capsys.readouterr().err
    assert run(["serve", "--port", "99999", "--db", str(tmp_path / "m.db")]) == 5
    assert "from 0 to 65535" in capsys.readouterr().err


def test_an_answer_does_not_wait_for_more() -> None:
    """Without TCP_NODELAY on its connections the server would answer each request 40 ms late."""

    async def delayed() -> int:
        found = asyncio.get_running_loop().create_future()

        def met(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            connection = writer.get_extra_info("socket")
            found.set_result(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        listening = Address(port=0).bound()
        async with await asyncio.start_server(met, sock=listening):
            _, writer = await asyncio.open_connection(*listening.getsockname())
            on = int(await found)
            writer.close()
            await writer.wait_closed()
        return on

    assert asyncio.run(delayed())

"""What is particular to a memory behind a server: its errors, its retries, its files, its views."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from model_server import ModelServer, Mood
from recollect import (
    AsyncMemory,
    Forbidden,
    InvalidInput,
    Memory,
    NewMessage,
    NotFound,
    ServerError,
    Unauthenticated,
)
from recollect.models.fakes import HashEmbedder
from recollect.remote.client import Client
from recollect.remote.memory import RemoteMemory
from recollect.surfaces.cli.app import run
from served import Served, served


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    memory = Memory(tmp_path / "held.db", view="user:alex", embedder=HashEmbedder(), background=False)
    with served(memory) as found:
        yield found


@pytest.fixture
def memory(server: Served) -> Iterator[Memory]:
    with Memory(server.url, key=server.key("user:alex", "*")) as opened:
        yield opened


def test_an_address_gives_the_memory_behind_it(memory: Memory, server: Served) -> None:
    assert isinstance(memory, RemoteMemory)
    id = memory.remember("over the wire").id
    assert server.memory.get(id).text == "over the wire"
    assert memory.get(id) == server.memory.get(id)
    assert memory.view("user:bob").list().items == []


def test_errors_are_our_own(server: Served, memory: Memory) -> None:
    with pytest.raises(NotFound, match="no memory"):
        memory.get("0190a8c0-0000-7000-8000-000000000000")
    with Memory(server.url, key="rcl_wrong") as stranger, pytest.raises(Unauthenticated):
        stranger.stats()
    with Memory(server.url, key=server.key("user:alex", rights="read")) as reader:
        assert reader.list().items == []
        with pytest.raises(Forbidden, match="write"):
            reader.remember("no")
    with Memory("http://127.0.0.1:9", key="x") as nobody:
        nobody._line.client._sleep = lambda _: None  # type: ignore[attr-defined]
        with pytest.raises(ServerError, match="cannot be reached"):
            nobody.stats()


def test_what_belongs_to_the_server_is_refused(server: Served, memory: Memory, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="server's"):
        Memory(server.url, tenant="other")
    with pytest.raises(InvalidInput, match="key is for a server"):
        Memory(tmp_path / "m.db", key="x")
    for verb in (memory.jobs.work, memory.jobs.stop):
        with pytest.raises(InvalidInput):
            verb()


def test_a_write_is_sent_again_until_it_is_done_once() -> None:
    waits: list[float] = []
    with ModelServer() as service:
        service.moods = [Mood(status=503), Mood(status=429), Mood(body={"ok": True})]
        client = Client(service.url, "k", sleep=waits.append)
        assert client.write("POST", "/v1/x", {"a": 1}) == {"ok": True}
        keys = {r.headers.get("Idempotency-Key") or r.headers["idempotency-key"] for r in service.requests}
        client.close()
    assert len(service.requests) == 3
    assert len(keys) == 1
    assert waits == sorted(waits)


def test_a_retry_after_a_lost_answer_changes_nothing(server: Served, memory: Memory) -> None:
    key = {"Idempotency-Key": "the same", "Authorization": f"Bearer {server.key('user:alex')}"}
    with httpx2.Client(base_url=server.url, headers=key, trust_env=False) as client:
        first = client.post("/v1/messages", json={"messages": [{"text": "once"}]})
        again = client.post("/v1/messages", json={"messages": [{"text": "once"}]})
    assert (again.status_code, again.json()) == (201, first.json())
    assert again.headers["idempotency-replayed"] == "true"
    assert memory.stats().messages == 1


def test_files_go_both_ways(server: Served, memory: Memory, tmp_path: Path) -> None:
    memory.add_many(
        [NewMessage(text="I moved\u2028to Lisbon."), NewMessage(text="Really?", role="assistant")]
    )
    memory.remember("Alex lives in Lisbon", key="city", value="Lisbon")
    moved = memory.transfers.export(tmp_path / "all.jsonl")
    assert (moved.moved["message"], moved.moved["memory"]) == (2, 1)
    seen: list[int] = []
    assert memory.transfers.load(tmp_path / "all.jsonl", progress=seen.append).known > 0
    assert seen
    (tmp_path / "bad.jsonl").write_text("nonsense")
    with pytest.raises(InvalidInput, match="not a recollect export"):
        memory.transfers.load(tmp_path / "bad.jsonl")
    memory.view("user:alex").transfers.export_folder(tmp_path / "folder")
    with Memory(server.url, key=server.key(tenant="twin"), view="user:twin") as twin:
        twin.transfers.load_folder(tmp_path / "folder")
        assert "Alex lives in Lisbon" in [r.text for r in twin.list().items]


def test_async_code_reaches_servers_too(server: Served) -> None:
    async def talk() -> str:
        async with AsyncMemory(server.url, key=server.key("user:alex")) as memory:
            receipt = await memory.add("hello")
            return (await memory.conversations.message(receipt.id)).text

    assert asyncio.run(talk()) == "hello"


def test_the_command_line_reaches_servers_too(
    server: Served, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_DB", server.url)
    monkeypatch.setenv("RECOLLECT_KEY", server.key("user:alex", rights="read write"))
    assert run(["remember", "from afar", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["entries"][0]["action"] == "stored"
    assert run(["list", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["items"][0]["text"] == "from afar"
    assert run(["recall", "from afar", "--json"]) == 0
    assert "from afar" in capsys.readouterr().out
    assert run(["keys", "list"]) == 2
    monkeypatch.setenv("RECOLLECT_KEY", "wrong")
    assert run(["stats"]) == 8


def test_it_is_kept_in_order_from_afar(memory: Memory) -> None:
    """Contradictions, upkeep with its undo, and apps: the same verbs, the same values."""
    older = memory.remember("The staging server is always open").id
    memory.remember("The staging server is never open")
    memory.jobs.run()
    (dispute,) = memory.contradictions.list()
    assert memory.contradictions.get(dispute.id) == dispute
    assert memory.contradictions.resolve(dispute.id, "b_wins", note="asked").a.id == older
    assert memory.get(older).status == "superseded"
    assert memory.contradictions.reopen(dispute.id).open

    planned = memory.upkeep(dry_run=True)
    steps: list[str] = []
    done = memory.upkeep(progress=lambda step, _: steps.append(step))
    assert "dedupe" in steps
    assert planned.run is None
    assert done.run is not None
    assert planned.counts == done.counts
    assert [run.id for run in memory.upkeep.runs()] == [done.run]
    assert memory.upkeep.undo(done.run).run == done.run

    app = memory.apps.register("calendar", name="Calendar", cap=3)
    assert memory.apps.list() == [app]
    assert memory.apps.get("calendar") == app
    chat = memory.view("app:calendar").conversations.start()
    assert memory.apps.of_conversation(chat.id) == app
    assert memory.apps.memories("calendar") == []
    assert memory.apps.context("calendar").text == ""
    assert memory.apps.stats("calendar").apps == memory.apps.stats().apps == 1
    assert memory.apps.export("calendar")["memories"] == []
    assert memory.apps.energy().total == 0
    assert not memory.apps.uninstall("calendar", purge=True).installed
    with pytest.raises(InvalidInput, match="server's machine"):
        memory.files.get_context("project")


def test_a_key_opens_no_app_but_its_own(server: Served, memory: Memory) -> None:
    memory.apps.register("calendar")
    with Memory(server.url, key=server.key("app:mail", rights="admin")) as other:
        assert other.apps.list() == []
        for refused in (other.apps.memories, other.apps.purge, other.apps.context, other.apps.export):
            with pytest.raises(Forbidden):
                refused("calendar")
        with pytest.raises(Forbidden):
            other.apps.stats()
        with pytest.raises(Forbidden):
            other.upkeep.merge("user:alex", "app:mail")

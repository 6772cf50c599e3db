"""Writes through the server: done once under a key, streamed, and lost by no end of it."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from recollect import Memory
from recollect.models.fakes import HashEmbedder
from served import Served, served


@pytest.fixture
def both(memory: Memory) -> Iterator[httpx2.Client]:
    """A client of a server on each database."""
    with served(memory) as server, server.client(server.key("user:alex", "*")) as opened:
        yield opened


def test_the_same_key_does_it_once(both: httpx2.Client) -> None:
    once = {"Idempotency-Key": "k1"}
    first = both.post("/v1/memories", json={"text": "one"}, headers=once)
    again = both.post("/v1/memories", json={"text": "one"}, headers=once)
    assert (first.status_code, first.content) == (again.status_code, again.content)
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
    other = both.post("/v1/memories", json={"text": "two"}, headers=once)
    assert other.status_code == 422
    assert "another request" in other.json()["detail"]
    elsewhere = both.post("/v1/conversations", json={"title": "one"}, headers=once)
    assert elsewhere.status_code == 422
    assert len(both.get("/v1/memories").json()["items"]) == 1


def test_duplicates_at_the_same_time_do_it_once(both: httpx2.Client) -> None:
    answers: list[httpx2.Response] = []

    def send() -> None:
        answers.append(both.post("/v1/memories", json={"text": "one"}, headers={"Idempotency-Key": "k"}))

    threads = [threading.Thread(target=send) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {a.status_code for a in answers} == {201}
    assert len({a.content for a in answers}) == 1
    assert len(both.get("/v1/memories").json()["items"]) == 1


def test_a_failed_write_keeps_no_answer(both: httpx2.Client) -> None:
    once = {"Idempotency-Key": "k"}
    chat = both.post("/v1/conversations", json={}).json()["id"]
    gone = chat[:-4] + "0000"
    asked = {"messages": [{"text": "x"}], "conversation": gone}
    assert both.post("/v1/messages", json=asked, headers=once).status_code == 404
    assert both.post("/v1/messages", json=asked, headers=once).status_code == 404
    assert both.get("/v1/stats").json()["messages"] == 0


def test_keys_of_callers_are_apart(shared: Served, tenant: str) -> None:
    for secret in (shared.key("user:alex", tenant=tenant), shared.key("user:alex", tenant=tenant)):
        with shared.client(secret) as client:
            done = client.post("/v1/memories", json={"text": secret}, headers={"Idempotency-Key": "k"})
            assert done.status_code == 201


def test_two_updates_of_one_version_cannot_both_win(both: httpx2.Client) -> None:
    id = both.post("/v1/memories", json={"text": "start"}).json()["entries"][0]["id"]
    codes: list[int] = []

    def change(text: str) -> None:
        done = both.patch(f"/v1/memories/{id}", json={"text": text}, headers={"If-Match": '"1"'})
        codes.append(done.status_code)

    threads = [threading.Thread(target=change, args=(f"by {i}",)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(codes) == [200] + [412] * 5
    assert both.get(f"/v1/memories/{id}").json()["version"] == 2


def events(response: httpx2.Response) -> list[tuple[str, dict[str, object]]]:
    blocks = [block.splitlines() for block in response.text.split("\n\n") if block]
    return [(name[7:], json.loads(data[6:])) for name, data in blocks]


def test_an_import_tells_its_progress(both: httpx2.Client) -> None:
    both.post("/v1/memories", json={"text": "kept"})
    export = both.get("/v1/export")
    assert export.headers["content-type"].startswith("application/x-ndjson")
    headers = {"content-type": "application/x-ndjson", "accept": "text/event-stream"}
    told = events(both.post("/v1/import", content=export.content, headers=headers))
    assert told[0][0] == "progress"
    assert told[-1][0] == "done"
    assert told[-1][1]["known"]
    broken = events(both.post("/v1/import", content=export.content + b"{", headers=headers))
    assert broken[-1][0] == "problem"
    assert broken[-1][1]["status"] == 422
    plain = both.post("/v1/import", content=export.content, headers={"content-type": headers["content-type"]})
    assert plain.json()["known"] == told[-1][1]["known"]


def test_upkeep_tells_its_steps(both: httpx2.Client) -> None:
    """Minutes of work are no silence: whoever asks for events hears of each step."""
    for text in ("The team meets at nine", "The team meets at nine."):
        both.post("/v1/memories", json={"text": text})
    accept = {"accept": "text/event-stream"}
    told = events(both.post("/v1/upkeep", json={}, headers=accept))
    assert [name for name, _ in told[:-1]] == ["progress"] * (len(told) - 1)
    assert {"dedupe", "forget", "link"} <= {str(data["step"]) for _, data in told[:-1]}
    name, done = told[-1]
    assert (name, done["counts"]["deduped"]) == ("done", 1)  # type: ignore[index]
    undo = f"/v1/upkeep/runs/{done['run']}/undo"
    keyed = both.post(undo, headers={**accept, "Idempotency-Key": f"undo {done['run']}"})
    assert keyed.json()["run"] == done["run"], "one answer that can be kept"
    (again,) = events(both.post(undo, headers=accept))
    assert (again[0], again[1]["status"]) == ("problem", 409)
    audited = events(
        both.post("/v1/spaces/merge", json={"source": "user:a", "target": "user:b"}, headers=accept)
    )
    assert (audited[-1][0], audited[-1][1]["status"]) == ("problem", 404)


def test_a_line_with_nothing_to_tell_is_kept_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    from recollect.surfaces.rest import events as sent

    monkeypatch.setattr(sent, "QUIET_SECONDS", 0.001)
    going = threading.Event()
    stream = sent.told(lambda _: going.wait())
    assert next(stream) == b": still at it\n\n"
    going.set()
    assert [part for part in stream if part[:1] != b":"] == [b"event: done\ndata: true\n\n"]


def test_jobs_tell_when_they_are_done(both: httpx2.Client) -> None:
    both.post("/v1/messages", json={"messages": [{"text": "I live in Lisbon."}]})
    with both.stream("GET", "/v1/jobs/events") as stream:
        lines = stream.iter_lines()
        assert next(lines) == "event: jobs"
        assert json.loads(next(lines)[6:])["due"] > 0
        assert both.post("/v1/jobs/run").json()["done"] > 0
        last = [line for line in lines if line.startswith("data")][-1]
        assert json.loads(last[6:]) == {"due": 0, "running": 0}


def test_running_jobs_leaves_those_of_other_tenants(shared: Served, client: httpx2.Client) -> None:
    with shared.client(shared.key("user:alex", "*", tenant="neighbour")) as neighbour:
        neighbour.post("/v1/memories", json={"text": "theirs"})
        client.post("/v1/memories", json={"text": "ours"})
        assert client.post("/v1/jobs/run").json() == {"done": 2}, "embed and scan"
        assert neighbour.post("/v1/jobs/run").json()["done"] >= 1


def test_schedules(both: httpx2.Client) -> None:
    made = both.put("/v1/schedules/nightly", json={"cron": "0 3 * * *", "kind": "embed"})
    assert made.status_code == 200
    assert [s["name"] for s in both.get("/v1/schedules").json()] == ["nightly"]
    assert both.delete("/v1/schedules/nightly").json() == {"removed": "nightly"}
    assert both.delete("/v1/schedules/nightly").status_code == 404


def test_no_schedule_reaches_the_files_of_the_server(both: httpx2.Client, tmp_path: Path) -> None:
    """A reflection reads and writes a file by its path: an operator's, not a tenant's."""
    file = tmp_path / "operator.md"
    body = {"cron": "* * * * *", "kind": "reflect", "payload": {"path": str(file)}}
    refused = both.put("/v1/schedules/sly", json=body)
    assert refused.status_code == 403
    assert both.get("/v1/schedules").json() == []


def test_what_was_acknowledged_is_there_after_the_end(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    memory = Memory(path, view="user:alex", embedder=HashEmbedder(), background=True)
    acknowledged: list[str] = []
    enough = threading.Event()
    with served(memory) as server:
        stop = threading.Event()

        def write(i: int) -> None:
            with server.client(key) as client:
                for j in range(1_000):
                    if stop.is_set():
                        return
                    try:
                        done = client.post("/v1/memories", json={"text": f"{i} {j}"})
                    except httpx2.HTTPError:
                        return
                    if done.status_code == 201:
                        acknowledged.append(done.json()["entries"][0]["id"])
                    if len(acknowledged) >= 40:
                        enough.set()

        key = server.key("user:alex")
        threads = [threading.Thread(target=write, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        assert enough.wait(300)
    stop.set()
    for thread in threads:
        thread.join()
    with Memory(path, view="user:alex", embedder=HashEmbedder(), background=False) as again:
        assert {again.get(id).id for id in acknowledged} == set(acknowledged)


def test_two_processes_on_one_database_are_one_memory(postgres_url: str) -> None:
    def opened() -> Memory:
        return Memory(postgres_url, view="user:alex", embedder=HashEmbedder(), background=False)

    with served(opened()) as one, served(opened()) as two:
        key = one.key("user:alex")
        with one.client(key) as first, two.client(key) as second:
            once = {"Idempotency-Key": "k"}
            made = first.post("/v1/memories", json={"text": "The rent is 900 euros"}, headers=once)
            again = second.post("/v1/memories", json={"text": "The rent is 900 euros"}, headers=once)
            assert made.content == again.content
            context = first.post("/v1/context", json={"query": "rent", "budget": 300}).json()
            ref = context["taken"][0]["ref"]
            found = second.post("/v1/expand", json={"ref": ref, "context": context["id"]})
            assert "900 euros" in found.json()["text"]

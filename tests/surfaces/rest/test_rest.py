"""The routes: what goes in comes out, as the verbs say; on both databases, through a real server."""

from collections.abc import Iterator

import httpx2
import pytest

from recollect import Memory
from served import Served, served


@pytest.fixture
def server(memory: Memory) -> Iterator[Served]:
    with served(memory) as found:
        yield found


@pytest.fixture
def client(server: Served) -> Iterator[httpx2.Client]:
    with server.client(server.key("user:alex", "*")) as opened:
        yield opened


def test_say_remember_recall_and_context(client: httpx2.Client) -> None:
    said = client.post("/v1/messages", json={"messages": [{"text": "I moved to Lisbon.", "speaker": "Alex"}]})
    assert said.status_code == 201
    assert said.json()["entries"][0]["action"] == "stored"
    kept = client.post(
        "/v1/memories", json={"text": "Alex lives in Lisbon", "key": "city", "value": "Lisbon"}
    )
    assert kept.status_code == 201
    assert client.post("/v1/jobs/run").json()["done"] > 0
    found = client.post("/v1/recall", json={"query": "Where does Alex live?"}).json()
    assert any("Lisbon" in hit["item"]["text"] for hit in found["found"])
    made = client.post("/v1/context", json={"query": "Where does Alex live?", "budget": 500}).json()
    assert "Lisbon" in made["text"]
    assert made["tokens"] <= 500
    ref = made["taken"][0]["ref"]
    assert client.post("/v1/expand", json={"ref": ref, "context": made["id"]}).json()["text"]
    told = client.post(f"/v1/contexts/{made['id']}/feedback", json={"cited": [ref]})
    assert told.status_code == 200


def test_the_tiers_of_the_document(client: httpx2.Client) -> None:
    client.post("/v1/memories", json={"text": "We decided to use sessions in auth", "kind": "decision"})
    asked = {"budget": 800, "signals": {"current_file": "src/auth/login.ts", "activity": "debugging"}}
    made = client.post("/context/assemble", json=asked)
    assert made.status_code == 200
    assert made.json().keys() == {"context", "token_count", "tiers"}
    assert made.json()["tiers"].keys() == {"tier1", "tier2", "tier3", "tier4"}
    assert made.json()["token_count"] <= 800
    assert "sessions" in made.json()["context"]


def test_pages_follow_their_cursor(client: httpx2.Client) -> None:
    for i in range(5):
        client.post("/v1/memories", json={"text": f"thing {i}"})
    seen, after = [], None
    while True:
        page = client.get("/v1/memories", params={"limit": 2} | ({"after": after} if after else {})).json()
        seen += [item["text"] for item in page["items"]]
        after = page["next"]
        if after is None:
            break
    assert seen == [f"thing {i}" for i in reversed(range(5))]


def test_an_update_needs_the_version_it_names(client: httpx2.Client) -> None:
    id = client.post("/v1/memories", json={"text": "first"}).json()["entries"][0]["id"]
    assert client.get(f"/v1/memories/{id}").headers["etag"] == '"1"'
    done = client.patch(f"/v1/memories/{id}", json={"text": "second"}, headers={"If-Match": '"1"'})
    assert done.status_code == 200
    assert done.headers["etag"] == '"2"'
    late = client.patch(f"/v1/memories/{id}", json={"text": "third"}, headers={"If-Match": '"1"'})
    assert late.status_code == 412
    assert late.headers["content-type"] == "application/problem+json"
    assert client.get(f"/v1/memories/{id}").json()["text"] == "second"
    assert [v["text"] for v in client.get(f"/v1/memories/{id}/history").json()] == ["first", "second"]

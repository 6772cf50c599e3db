"""Bad input changes nothing and gets a problem that says what to do, never a failure of the server."""

import json
import socket
from pathlib import Path

import httpx2
import pytest

from recollect import Memory
from recollect.models.fakes import HashEmbedder
from recollect.surfaces.rest.house import Limits
from served import Served, served

JSON = {"content-type": "application/json"}


def is_problem(found: httpx2.Response, status: int) -> bool:
    told = found.json()
    assert found.status_code == status, told
    assert found.headers["content-type"] == "application/problem+json"
    assert told["status"] == status
    assert told["detail"]
    return True


@pytest.mark.parametrize(
    "body",
    [
        b'{"text": "a\\u0000b"}',
        b'{"text": "\\ud800"}',
        b'{"text": "x", "subject": "\\udfff"}',
        b'{"text": "x", "metadata": {"a": "\\u0000"}}',
        b'{"text": "x", "metadata": {"a": "\\ud800"}}',
        b'{"text": ""}',
        b'{"text": "   "}',
        b'{"text": 5}',
        b'{"text": "x", "importance": "high"}',
        b'{"text": "x", "importance": NaN}',
        b'{"text": "x", "importance": 1e999}',
        b'{"text": "x", "importance": ' + b"9" * 5000 + b"}",
        b'{"text": "x", "valid_from": 5}',
        b'{"text": "x", "valid_from": "2026-01-01"}',
        b'{"text": "x", "valid_from": "0001-01-01T00:00:00+14:00"}',
        b'{"text": "x", "unknown": 1}',
        b'{"text": "x", "kind": "spell"}',
        b'{"text": "x"',
        b"[]",
        b"null",
        b"",
        b"\xff\xfe",
        b'{"text": "\xff"}',
        b'{"text": "x", "metadata": ' + b'{"a":' * 100 + b"1" + b"}" * 100 + b"}",
        b"[" * 100_000,
    ],
)
def test_what_cannot_be_stored(client: httpx2.Client, body: bytes) -> None:
    is_problem(client.post("/v1/memories", content=body, headers=JSON), 422)
    assert client.get("/v1/memories").json()["items"] == []


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]
)
def test_what_is_not_json(client: httpx2.Client, kind: str) -> None:
    found = client.post("/v1/memories", content=b'{"text": "x"}', headers={"content-type": kind})
    is_problem(found, 415)
    is_problem(client.post("/v1/import", content=b"{}", headers={"content-type": kind}), 415)


def test_ten_megabytes(client: httpx2.Client) -> None:
    body = json.dumps({"text": "x" * 10_000_000}).encode()
    is_problem(client.post("/v1/memories", content=body, headers=JSON), 413)
    is_problem(client.post("/v1/memories", content=iter([body]), headers=JSON), 413)
    is_problem(
        client.post("/v1/memories", content=b'{"text": "' + b"x" * 1_500_000 + b'"}', headers=JSON), 413
    )
    assert client.get("/v1/memories").json()["items"] == []


def test_a_body_without_end_is_cut_off(shared: Served) -> None:
    key = shared.key()
    with socket.create_connection(("127.0.0.1", shared.port), timeout=30) as connection:
        head = f"POST /v1/memories HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\n"
        connection.sendall(
            head.encode() + b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        piece = b"10000\r\n" + b"[" * 0x10000 + b"\r\n"
        for _ in range(32):
            connection.sendall(piece)
        assert connection.recv(12) == b"HTTP/1.1 413"


def test_the_limit_is_a_setting(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "m.db", embedder=HashEmbedder(), background=False)
    with served(memory, limits=Limits(rate=0, body=100)) as server, server.client(server.key()) as client:
        assert client.post("/v1/memories", json={"text": "short"}).status_code == 201
        is_problem(client.post("/v1/memories", json={"text": "long " * 30}), 413)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v1/nowhere", 404),
        ("GET", "/", 404),
        ("GET", "/docs", 404),
        ("DELETE", "/v1/memories", 405),
        ("GET", "/v1/recall", 405),
        ("GET", "/v1/memories/nonsense", 422),
        ("GET", "/v1/memories/0190a8c0-0000-7000-8000-000000000000", 404),
        ("GET", "/v1/memories?limit=0", 422),
        ("GET", "/v1/memories?limit=many", 422),
        ("GET", "/v1/memories?after=x", 422),
        ("GET", "/v1/memories?since=yesterday", 422),
        ("GET", "/v1/memories?view=nonsense", 422),
        ("GET", "/v1/memories?view=user:a&view=user:a", 422),
        ("GET", "/v1/memories?view=", 422),
        ("GET", "/v1/spaces/user:%00", 422),
        ("GET", "/v1/spaces/user:nobody", 404),
        ("GET", "/v1/history", 422),
        ("GET", "/v1/history?key=%00", 422),
    ],
)
def test_wrong_addresses(client: httpx2.Client, method: str, path: str, status: int) -> None:
    is_problem(client.request(method, path), status)


@pytest.mark.parametrize("key", ["", "x" * 201, "tab\there"])
def test_bad_idempotency_keys(client: httpx2.Client, key: str) -> None:
    found = client.post("/v1/memories", json={"text": "x"}, headers={"Idempotency-Key": key})
    is_problem(found, 422)


HOLES = {
    "identifiers in queries": {"query": "x", "recipe": "default'; DROP TABLE memories; --"},
    "filter keys in SQL": {"query": "x", "wanted": {"status) OR 1=1 --": ["active"]}},
    "unsafe deserialisation": {"query": "x", "wanted": {"__class__": "os.system"}},
}


@pytest.mark.parametrize("hole", HOLES)
def test_published_holes_of_peers(client: httpx2.Client, hole: str) -> None:
    is_problem(client.post("/v1/recall", json=HOLES[hole]), 422)


def test_sql_in_values_is_only_text(client: httpx2.Client) -> None:
    nasty = "x'); DROP TABLE memories; --"
    client.post("/v1/memories", json={"text": nasty, "tags": [nasty], "key": nasty, "value": nasty})
    for params in ({"tag": nasty}, {"key": nasty}, {"words": "DROP TABLE"}):
        assert [r["text"] for r in client.get("/v1/memories", params=params).json()["items"]] == [nasty]
    assert client.get("/v1/memories", params={"tag": "%"}).json()["items"] == []


def test_wildcards_do_not_leak_between_spaces(client: httpx2.Client) -> None:
    client.post("/v1/memories", json={"text": "plain"})
    for view in ("user:al%", "user:al_x", "user:%"):
        assert client.get("/v1/memories", params={"view": view}).json()["items"] == []
        assert client.post("/v1/recall", params={"view": view}, json={"query": "plain"}).json()["found"] == []


def test_tags_come_back_as_json_never_as_a_page(client: httpx2.Client) -> None:
    client.post("/v1/memories", json={"text": "x", "tags": ["<script>alert(1)</script>"]})
    found = client.get("/v1/memories")
    assert found.headers["content-type"] == "application/json"
    assert found.headers["x-content-type-options"] == "nosniff"


def test_urls_in_texts_are_never_fetched(client: httpx2.Client) -> None:
    with socket.create_server(("127.0.0.1", 0)) as trap:
        trap.settimeout(0.2)
        url = f"http://127.0.0.1:{trap.getsockname()[1]}/image.png"
        client.post("/v1/messages", json={"messages": [{"text": f"look ![cat]({url})"}]})
        client.post("/v1/memories", json={"text": url, "artifacts": [{"type": "file", "ref": url}]})
        client.post("/v1/jobs/run")
        with pytest.raises(TimeoutError):
            trap.accept()


def test_erased_text_is_gone_from_kept_answers(shared: Served, client: httpx2.Client) -> None:
    id = client.post("/v1/memories", json={"text": "before"}).json()["entries"][0]["id"]
    again = {"json": {"text": "xyzzyplugh"}, "headers": {"Idempotency-Key": "once"}}
    assert client.patch(f"/v1/memories/{id}", **again).status_code == 200
    client.post("/v1/erase", json={"memory": id})
    is_problem(client.patch(f"/v1/memories/{id}", **again), 409)
    path = Path(shared.memory._scope.database.path)  # type: ignore[attr-defined]
    files = [path, Path(f"{path}-wal")]
    assert all(b"xyzzyplugh" not in file.read_bytes() for file in files if file.exists())

"""Who may do what, through the real server: every route of the OpenAPI document, without and with keys."""

import json
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from recollect import Memory
from recollect.memory import scope_of
from recollect.models.fakes import HashEmbedder
from recollect.surfaces.access import OPERATIONS, TENANT_WIDE, Right
from recollect.surfaces.keys import Keys
from recollect.surfaces.mcp.reference import REFERENCE
from recollect.surfaces.mcp.tools import TOOLS
from recollect.surfaces.rest.house import Limits
from recollect.surfaces.rest.limits import MOST_BUCKETS, Buckets, neighbourhood
from served import Served, served

ID = "0190a8c0-0000-7000-8000-000000000000"
NAMED = {"/v1/messages": {"conversation": ID}, "/v1/context": {"conversation": ID}, "/v1/expand": {"ref": ID}}
"""What may name something beyond what the examples do."""


def routes(server: Served) -> Iterator[tuple[str, str, str]]:
    """(method, path, operation) of every route, its parameters filled in."""
    return ((method, path, operation) for method, path, operation, _ in examples(server))


def examples(server: Served) -> Iterator[tuple[str, str, str, Any]]:
    """The same with the example of its body, if it takes one."""
    with server.client() as client:
        document = client.get("/openapi.json").json()
    for path, methods in document["paths"].items():
        for method, about in methods.items():
            filled = re.sub(r"\{(\w+)\}", lambda m: ID if m[1] == "id" else "user:alex", path)
            yield method.upper(), filled, about["x-operation"], example(document, about)


def example(document: Any, about: Any) -> Any:
    """The first example of a route's JSON body."""
    schema = about.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    if schema is None:
        return None
    return document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]["examples"][0]


def test_what_is_not_in_the_document_holds_nothing(shared: Served) -> None:
    """Routes that the tests below do not list: health, the document itself, and MCP with tests of its own."""
    with shared.client() as client:
        documented = client.get("/openapi.json").json()["paths"].keys()
    served_paths = {route.path for route in shared.app.routes}
    assert served_paths - documented - {"/v1/spaces/{path:path}"} == {
        "/livez", "/readyz", "/openapi.json", "/mcp",
    }  # fmt: skip


def test_every_operation_of_the_table_has_a_route(shared: Served) -> None:
    reached = {operation for _, _, operation in routes(shared)} | {"add"}
    over_mcp = {tool.operation for tool in (*TOOLS, *REFERENCE)} | {"files.get_context"}
    assert reached | over_mcp == set(OPERATIONS), "add is add_many with one message"


def test_every_route_needs_a_key(shared: Served) -> None:
    for headers in ({}, {"Authorization": "Bearer rcl_wrong"}, {"Authorization": "Basic cmNsOg=="}):
        with shared.client() as client:
            for method, path, _ in routes(shared):
                refused = client.request(method, path, headers=headers)
                assert refused.status_code == 401, (method, path)
                assert refused.headers["www-authenticate"] == "Bearer"
                assert refused.headers["content-type"] == "application/problem+json"
                assert refused.json()["code"] == "Unauthenticated"


@pytest.mark.parametrize("right", list(Right))
def test_every_route_needs_its_right(shared: Served, tenant: str, right: Right) -> None:
    with shared.client(shared.key("*", rights=right, tenant=tenant)) as client:
        for method, path, operation in routes(shared):
            found = client.request(method, path, headers={"content-type": "text/nonsense"})
            allowed = right in (OPERATIONS[operation], Right.ADMIN)
            assert (found.status_code != 403) is allowed, (method, path, found.text)


def test_every_route_needs_its_space(shared: Served, tenant: str) -> None:
    with shared.client(shared.key("user:bob", tenant=tenant)) as client:
        for method, path, operation in routes(shared):
            found = client.request(method, path, params={"view": "user:alex"})
            assert found.status_code == 403, (method, path)
            if operation in TENANT_WIDE:
                assert client.request(method, path).status_code == 403, (method, path)


def test_every_space_that_is_named_must_be_opened(shared: Served, tenant: str) -> None:
    """In the path, the query or the body; whether there is such a space is not told."""
    by_path = [
        (method, path, {}, body)
        for method, path, _, body in examples(shared)
        if re.search(r"/(apps|spaces)/user:alex", path)
    ]
    assert {path.split("/user:alex")[0] for _, path, _, _ in by_path} == {"/v1/apps", "/apps", "/v1/spaces"}
    elsewhere = [
        ("POST", "/v1/spaces", {}, {"path": "user:alex"}),
        ("POST", "/v1/spaces/merge", {}, {"source": "user:alex", "target": "user:bob"}),
        ("POST", "/v1/spaces/merge", {}, {"source": "user:bob", "target": "user:alex"}),
        ("POST", "/v1/erase", {}, {"space": "user:alex"}),
        ("POST", "/v1/erase", {}, {"user": "alex"}),
        ("GET", "/v1/export", {"space": "user:alex"}, None),
    ]
    with shared.client(shared.key("user:bob", tenant=tenant)) as bob:
        for method, path, query, body in (*by_path, *elsewhere):
            refused = bob.request(method, path, params=query, json=body)
            assert refused.status_code == 403, (method, path, refused.text)
            assert refused.json()["code"] == "Forbidden"


def test_a_key_of_another_tenant_reaches_nothing(shared: Served, client: httpx2.Client) -> None:
    """Every id and name of one tenant, in every path and body, by a key that has every right in another."""
    client.put("/v1/apps/user:alex", json={"name": "secret plans"})
    made = client.post("/v1/memories", json={"text": "the launch code is 0000"}).json()["entries"][0]["id"]
    chat = client.post("/v1/conversations", json={"title": "secret plans"}).json()["id"]
    said = {"messages": [{"text": "launch at dawn"}], "conversation": chat}
    message = client.post("/v1/messages", json=said).json()["entries"][0]["id"]
    context = client.post("/v1/context", json={"query": "launch"}).json()["id"]
    kept = ("/v1/memories", "/v1/conversations", f"/v1/conversations/{chat}/messages", "/v1/apps")
    before = [client.get(path).json() for path in kept]
    with shared.client(shared.key("*", "user:alex", tenant=f"mallory-{made[-6:]}")) as other:
        for method, path, _, body in examples(shared):
            for id in (made, chat, message, context):
                named = {**body, **NAMED.get(path, {})} if body else None
                text = json.dumps(named).replace(ID, id)
                kind = {"content-type": "application/json"}
                found = other.request(method, path.replace(ID, id), content=text, headers=kind)
                assert "launch" not in found.text, (method, path)
                assert "secret plans" not in found.text
                if ID in path + json.dumps(named):
                    assert found.status_code in (404, 409, 422), (method, path, found.text)
    assert [client.get(path).json() for path in kept] == before


def test_the_body_is_not_read_without_a_key(shared: Served) -> None:
    with socket.create_connection(("127.0.0.1", shared.port), timeout=10) as connection:
        connection.sendall(
            b"POST /v1/memories HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            b"Content-Length: 1000000\r\n\r\n" + b'{"text": "'
        )
        assert connection.recv(12) == b"HTTP/1.1 401"


def test_a_lesser_right_is_refused_before_the_body_is_read(shared: Served) -> None:
    key = shared.key("*", rights="read")
    with socket.create_connection(("127.0.0.1", shared.port), timeout=10) as connection:
        head = f"POST /v1/memories HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {key}\r\n"
        connection.sendall(head.encode() + b"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n")
        assert connection.recv(12) == b"HTTP/1.1 403"


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "localhost.evil", "[::2]"])
def test_a_page_that_rebinds_its_name_gets_nothing(shared: Served, host: str) -> None:
    with shared.client(shared.key()) as client:
        for path in ("/v1/stats", "/livez", "/openapi.json", "/nowhere"):
            assert client.get(path, headers={"Host": host}).status_code == 421


def test_pages_of_other_origins_get_nothing(shared: Served) -> None:
    with shared.client(shared.key()) as client:
        asked = client.post("/v1/jobs/run", headers={"Origin": "https://evil.example"})
        assert asked.status_code == 403
        preflight = client.options("/v1/memories", headers={"Origin": "http://localhost:3000"})
        assert not [name for name in preflight.headers if name.startswith("access-control")]
        assert client.get("/v1/stats", headers={"Origin": shared.url}).status_code == 200


def test_revoked_keys_are_refused(tmp_path: Path) -> None:
    now = [0.0]
    memory = Memory(tmp_path / "m.db", embedder=HashEmbedder(), background=False)
    with served(memory, monotonic=lambda: now[0]) as server:
        keys = Keys(scope_of(memory))
        secret, key = keys.create("short", spaces=["*"], rights=["read"])
        with server.client(secret) as client:
            assert client.get("/v1/stats").status_code == 200
            keys.revoke(key.id)
            now[0] += 2
            assert client.get("/v1/stats").status_code == 401


def test_a_key_may_not_ask_without_end(tmp_path: Path) -> None:
    now = [0.0]
    memory = Memory(tmp_path / "m.db", embedder=HashEmbedder(), background=False)
    with (
        served(memory, monotonic=lambda: now[0], limits=Limits(rate=2)) as server,
        server.client(server.key()) as client,
        server.client(server.key(rights="read")) as other,
    ):
        assert [client.get("/v1/stats").status_code for _ in range(6)] == [200] * 4 + [429] * 2
        refused = client.get("/v1/stats")
        assert refused.headers["retry-after"] == "1"
        assert refused.json()["code"] == "TooManyRequests"
        assert other.get("/v1/stats").status_code == 200
        now[0] += 0.5
        assert [client.get("/v1/stats").status_code for _ in range(2)] == [200, 429]


def test_strangers_may_not_ask_without_end(tmp_path: Path) -> None:
    """Whoever has a good key gets through all the same, also from the same address."""
    now = [0.0]
    memory = Memory(tmp_path / "m.db", embedder=HashEmbedder(), background=False)
    with (
        served(memory, monotonic=lambda: now[0], limits=Limits(failures=2)) as server,
        server.client() as stranger,
        server.client("rcl_wrong") as guesser,
        server.client(server.key()) as friend,
    ):
        turns = [client.get("/v1/stats").status_code for client in (stranger, guesser) * 3]
        assert turns == [401] * 4 + [429] * 2
        refused = guesser.post("/mcp", json={})
        assert refused.status_code == 429
        assert refused.headers["retry-after"] == "1"
        assert refused.headers["content-type"] == "application/problem+json"
        assert refused.json()["code"] == "TooManyRequests"
        assert friend.get("/v1/stats").status_code == 200
        assert stranger.get("/livez").status_code == 200
        now[0] += 0.5
        assert [stranger.get("/v1/stats").status_code for _ in range(2)] == [401, 429]


def test_what_is_counted_of_strangers_is_bounded() -> None:
    buckets = Buckets(1, lambda: 0.0)
    assert [buckets.take("192.0.2.1") for _ in range(3)] == [True, True, False]
    for number in range(MOST_BUCKETS):
        buckets.take(f"address {number}")
    assert len(buckets._held) == MOST_BUCKETS
    assert neighbourhood("192.0.2.1") == "192.0.2.1"
    assert neighbourhood("2001:db8::1") == neighbourhood("2001:db8::ffff") == "2001:db8::/64"
    assert neighbourhood("a socket file") == "a socket file"


def test_without_keys_only_where_the_operator_says_so(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "m.db", embedder=HashEmbedder(), background=False)
    with served(memory, insecure=True) as server, server.client() as client:
        assert client.get("/v1/stats").status_code == 200
        assert client.get("/v1/stats", headers={"Authorization": "Bearer wrong"}).status_code == 401
        assert client.get("/v1/stats", headers={"Host": "evil.example"}).status_code == 421


def test_spaces_and_exports_end_where_the_key_ends(
    shared: Served, client: httpx2.Client, tenant: str
) -> None:
    client.post("/v1/memories", json={"text": "alex only"})
    client.post("/v1/memories", params={"view": "project:x/user:bob"}, json={"text": "bob only"})
    with shared.client(shared.key("project:x/user:bob", "project:x/*", tenant=tenant)) as bob:
        assert [s["path"] for s in bob.get("/v1/spaces").json()] == ["project:x/user:bob"]
        assert bob.get("/v1/spaces/user:alex").status_code == 403
        assert "alex only" not in bob.get("/v1/export").text
        assert "bob only" in bob.get("/v1/export").text
        assert bob.get("/v1/export", params={"space": "user:alex"}).status_code == 403
        for aim in ({"space": "project:x"}, {"space": "user:alex"}, {"user": "alex"}, {"user": "bob"}):
            refused = bob.post("/v1/erase", json=aim)
            assert refused.status_code == 403, aim


def test_the_audit_tells_who_did_what(shared: Served, client: httpx2.Client, tenant: str) -> None:
    from recollect.store import audit

    id = client.post("/v1/memories", json={"text": "a secret sentence"}).json()["entries"][0]["id"]
    client.post("/v1/recall", json={"query": "a secret sentence"})
    client.post("/v1/erase", json={"memory": id})
    assert client.post("/v1/erase", json={"memory": id}).status_code == 404
    shared.app.state.house.settle()
    entries = scope_of(shared.memory).as_tenant(tenant).read(lambda tx: audit.page(tx, None, 100))
    told = [(e.operation, e.ids) for e in entries if e.operation not in ("keys.create", "keys.use")]
    assert told[1] == ("remember", (id,))
    assert told[0][0] == "erase"
    assert len([e for e in entries if e.operation == "keys.use"]) == 1, "once a minute"
    assert all(e.who.startswith(f"{tenant} ") for e in entries if e.operation != "keys.create")
    assert "sentence" not in repr(entries)
    (key,) = Keys(scope_of(shared.memory).as_tenant(tenant)).list()
    assert key.last_used_at is not None


def test_metrics_count_and_hold_nothing_of_anybodys(
    shared: Served, client: httpx2.Client, tenant: str
) -> None:
    client.post("/v1/memories", json={"text": "hush"}, params={"view": "project:hidden"})
    text = client.get("/metrics").text
    assert 'recollect_requests_total{operation="remember",status="201"}' in text
    assert tenant not in text
    assert "hidden" not in text


def test_metrics_tell_the_figures_of_the_tenants_own_apps(
    shared: Served, client: httpx2.Client, tenant: str
) -> None:
    client.put("/v1/apps/calendar", json={"name": "Calendar"})
    app = {"view": "app:calendar"}
    chat = client.post("/v1/conversations", params=app, json={}).json()["id"]
    said = {"messages": [{"text": "I prefer meetings after 2pm on weekdays."}], "conversation": chat}
    client.post("/v1/messages", params=app, json=said)
    client.post(f"/v1/conversations/{chat}/end", params=app)
    client.post("/v1/jobs/run")
    client.get("/v1/apps/calendar/context", params={"conversation": chat, "point": "review"})
    told = dict(line.rsplit(" ", 1) for line in client.get("/metrics").text.splitlines() if line[0] != "#")
    for name, value in {
        "apps": 1,
        "apps_with_memories": 1,
        "app_memories": 1,
        "app_conversations": 1,
        "app_conversations_with_memories": 1,
        'app_events_total{event="created"}': 1,
        'app_events_total{event="injected_review"}': 1,
        "app_energy_total": 12,
    }.items():
        assert float(told[f"recollect_{name}"]) == value, name
    figures = client.get("/v1/app-stats").json()
    assert (figures["utilisation"], figures["injection_rate"]) == (1.0, 1.0)
    with shared.client(shared.key("*", tenant=f"{tenant}-rival")) as other:
        assert "recollect_apps 0.0" in other.get("/metrics").text.splitlines()

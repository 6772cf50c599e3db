"""MCP at /mcp of the real server: the same keys and rights as REST, by the official client."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import httpx2
import pytest
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

from recollect.memory import scope_of
from recollect.surfaces.access import ON_DISK, OPERATIONS, Right
from recollect.surfaces.cli.app import run as cli
from recollect.surfaces.mcp.server import RESOURCE, TIER
from recollect.surfaces.mcp.tools import TOOLS
from served import Served

ID = "0190a8c0-0000-7000-8000-000000000000"
ARGUMENTS: dict[str, dict[str, Any]] = {
    "remember": {"text": "x"},
    "record_fact": {"text": "x"},
    "recall": {"query": "x"},
    "expand": {"ref": ID},
    "forget": {"ids": [ID]},
    "timeline": {"key": "x"},
    "update_project_memory": {"lines": ["x"]},
    "resolve_contradiction": {"id": ID, "resolution": "a_wins"},
}
Asked = tuple[str, dict[str, Any], str | None]
ASKED: list[Asked] = [
    *(
        ("tools/call", {"name": tool.called, "arguments": ARGUMENTS.get(tool.called, {})}, tool.operation)
        for tool in TOOLS
    ),
    ("resources/read", {"uri": RESOURCE.replace("{id}", ID)}, "contexts.expand"),
    ("resources/read", {"uri": TIER.replace("{name}", "project")}, "files.get_context"),
    ("prompts/get", {"name": "start", "arguments": {"task": "x"}}, "context"),
    ("prompts/get", {"name": "reflect"}, None),
]
"""Every tool, resource and prompt: the method, what is asked, and the operation whose right it needs."""


def run(server: Served, key: str, work: Callable[[Client], Awaitable[None]], query: str = "") -> None:
    async def session() -> None:
        http = httpx2.AsyncClient(headers={"authorization": f"Bearer {key}"})
        url = f"http://127.0.0.1:{server.port}/mcp{query}"
        async with http, Client(streamable_http_client(url, http_client=http)) as client:
            await work(client)

    asyncio.run(session())


async def told(client: Client, asked: Asked) -> str:
    """What comes back, be it an answer or a refusal."""
    method, params, _ = asked
    try:
        if method == "tools/call":
            return repr((await client.call_tool(params["name"], params["arguments"])).content)
        if method == "resources/read":
            return repr(await client.read_resource(params["uri"]))
        return repr(await client.get_prompt(params["name"], params.get("arguments")))
    except MCPError as error:
        return str(error)


def test_the_list_is_whole(shared: Served) -> None:
    async def look(client: Client) -> None:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        prompts = {prompt.name for prompt in (await client.list_prompts()).prompts}
        assert tools | prompts == {params["name"] for _, params, _ in ASKED if "name" in params}
        templates = (await client.list_resource_templates()).resource_templates
        assert {template.uri_template for template in templates} == {RESOURCE, TIER}
        assert (await client.list_resources()).resources == []

    run(shared, shared.key(), look)


@pytest.mark.parametrize("header", [{}, {"authorization": "Bearer rcl_wrong"}])
def test_nobody_comes_in_without_a_key(shared: Served, header: dict[str, str]) -> None:
    methods = ("initialize", "tools/list", "resources/list", "resources/templates/list", "prompts/list")
    asked = [*((method, {}) for method in methods), *((method, params) for method, params, _ in ASKED)]
    with shared.client() as client:
        for method, params in asked:
            body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
            refused = client.post("/mcp", json=body, headers=header)
            assert refused.status_code == 401, method
            assert refused.headers["www-authenticate"] == "Bearer"
        assert [client.request(verb, "/mcp").status_code for verb in ("GET", "DELETE")] == [401, 401]
        assert client.post("/mcp", json={}, headers={"host": "evil.example"}).status_code == 421


@pytest.mark.parametrize("right", list(Right))
def test_everything_needs_its_right(shared: Served, right: Right) -> None:
    """A key that may read cannot call a tool that writes, and the other way round."""

    async def work(client: Client) -> None:
        for asked in ASKED:
            needed = None if asked[2] is None else OPERATIONS[asked[2]]
            refused = "needs a key with the right" in await told(client, asked)
            assert refused is (needed not in (None, right) and right != Right.ADMIN), asked

    run(shared, shared.key("user:mcp", rights=right), work)


def test_everything_needs_its_space(shared: Served, tenant: str) -> None:
    async def work(client: Client) -> None:
        for asked in ASKED:
            refused = "does not open user:alex" in await told(client, asked)
            assert refused is (asked[2] is not None and asked[2] not in ON_DISK), asked

    run(shared, shared.key("user:bob", tenant=tenant), work, "?view=user:alex")


def test_a_key_of_another_tenant_reaches_nothing(shared: Served, tenant: str, client: httpx2.Client) -> None:
    made = client.post("/v1/memories", json={"text": "x marks the launch code", "key": "x", "value": "heron"})
    id = made.json()["entries"][0]["id"]

    async def work(spy: Client) -> None:
        for method, params, operation in ASKED:
            aimed = json.loads(json.dumps(params).replace(ID, id))
            found = await told(spy, (method, aimed, operation))
            assert "launch" not in found, params
            assert "heron" not in found, params
            if operation in ON_DISK:
                assert "files of the server" in found
            elif ID in repr(params):
                assert "no " in found, found

    run(shared, shared.key("*", "user:alex", tenant=f"{tenant}-rival"), work)
    assert client.get(f"/v1/memories/{id}").json()["status"] == "active"


def test_the_files_are_those_of_the_servers_own_tenant(shared: Served) -> None:
    async def work(client: Client) -> None:
        lines = {"lines": ["The API speaks JSON"]}
        assert not (await client.call_tool("update_project_memory", lines)).is_error
        assert "speaks JSON" in repr(await client.read_resource("recollect://tier/project"))

    run(shared, shared.key("project:x", tenant=scope_of(shared.memory).tenant), work)


def test_what_is_written_over_mcp_is_seen_over_rest_by_its_tenant_alone(
    shared: Served, tenant: str, client: httpx2.Client
) -> None:
    async def tell(mcp: Client) -> None:
        done = await mcp.call_tool("remember", {"text": "The heron nests in the old mill"})
        assert not done.is_error, done.content

    run(shared, shared.key("user:alex", tenant=tenant), tell)
    found = client.post("/v1/recall", json={"query": "where does the heron nest?"})
    assert "old mill" in found.text

    async def spy(mcp: Client) -> None:
        result = await mcp.call_tool("recall", {"query": "where does the heron nest?"})
        assert "mill" not in result.content[0].text  # type: ignore[union-attr]

    run(shared, shared.key("user:alex", tenant=f"{tenant}-rival"), spy)
    run(shared, shared.key("user:bob", tenant=tenant), spy)


def test_the_audit_tells_what_was_done_over_mcp(
    shared: Served, tenant: str, client: httpx2.Client, capsys: pytest.CaptureFixture[str]
) -> None:
    ids: list[str] = []

    async def work(mcp: Client) -> None:
        for tool, given in (
            ("remember", {"text": "a secret sentence"}),
            ("record_fact", {"text": "another"}),
        ):
            done = await mcp.call_tool(tool, given)
            ids.append(done.structured_content["entries"][0]["id"])  # type: ignore[index]
        await mcp.call_tool("recall", {"query": "a secret sentence"})
        await mcp.call_tool("forget", {"ids": ids})
        assert (await mcp.call_tool("forget", {"ids": [ID]})).is_error

    run(shared, shared.key("user:alex", tenant=tenant), work)
    path = str(scope_of(shared.memory).database.path)  # type: ignore[attr-defined]
    assert cli(["audit", "--db", path, "--tenant", tenant, "--json"]) == 0
    entries = json.loads(capsys.readouterr().out)["items"]
    told = [(e["operation"], e["ids"]) for e in entries if not e["operation"].startswith("keys.")]
    assert told == [("forget", ids), ("remember", [ids[1]]), ("remember", [ids[0]])]
    assert {e["space"] for e in entries if e["operation"] == "forget"} == {"user:alex"}
    assert "sentence" not in json.dumps(entries)
    assert cli(["audit", "--db", path, "--tenant", tenant]) == 0
    assert ", ".join(ids) in capsys.readouterr().out

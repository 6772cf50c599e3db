"""MCP at /mcp of the real server: the same keys and rights as REST, by the official client."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from recollect.surfaces.access import OPERATIONS, Right
from recollect.surfaces.mcp.tools import TOOLS
from served import Served

ARGUMENTS: dict[str, dict[str, Any]] = {
    "remember": {"text": "x"},
    "record_fact": {"text": "x"},
    "recall": {"query": "x"},
    "expand": {"ref": "m1"},
    "forget": {"ids": ["x"]},
    "timeline": {"key": "x"},
    "update_project_memory": {"lines": ["x"]},
}


def run(server: Served, key: str, work: Callable[[Client], Awaitable[None]]) -> None:
    async def session() -> None:
        http = httpx2.AsyncClient(headers={"authorization": f"Bearer {key}"})
        url = f"http://127.0.0.1:{server.port}/mcp"
        async with http, Client(streamable_http_client(url, http_client=http)) as client:
            await work(client)

    asyncio.run(session())


def test_nobody_comes_in_without_a_key(shared: Served) -> None:
    with shared.client() as client:
        assert client.post("/mcp", json={}).status_code == 401
        assert client.post("/mcp", json={}, headers={"host": "evil.example"}).status_code == 421


def test_every_tool_needs_its_right(shared: Served, tenant: str) -> None:
    """A key that may read cannot call a tool that writes, and the other way round."""
    for right in (Right.READ, Right.WRITE):

        async def work(client: Client, right: Right = right) -> None:
            for tool in TOOLS:
                result = await client.call_tool(tool.called, ARGUMENTS.get(tool.called, {}))
                refused = "needs a key with the right" in result.content[0].text  # type: ignore[union-attr]
                assert refused is (OPERATIONS[tool.operation] != right), tool.called

        run(shared, shared.key("user:alex", rights=right, tenant=tenant), work)


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
    lines = client.get("/metrics").status_code
    assert lines == 200

"""The nine tools of the reference memory server: its shapes, word for word, over our store."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from recollect import Memory
from recollect.surfaces.mcp.reference import REFERENCE
from recollect.surfaces.mcp.server import build, on

ALEX = {"name": "Alex", "entityType": "person", "observations": ["Likes tea", "Lives in Lisbon"]}
ACME = {"name": "Acme", "entityType": "company", "observations": []}
WORKS = {"from": "Alex", "to": "Acme", "relationType": "works_at"}


async def call(client: Client, tool: str, **arguments: Any) -> Any:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return result.content[0].text, result.structured_content  # type: ignore[union-attr]


async def a_session(client: Client) -> None:
    """What that server's own tests go through, with its answers."""
    offered = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert list(offered) == [
        "create_entities", "create_relations", "add_observations", "delete_entities", "delete_observations",
        "delete_relations", "read_graph", "search_nodes", "open_nodes",
    ]  # fmt: skip
    needed = {name: tool.input_schema.get("required", []) for name, tool in offered.items()}
    assert needed == {
        "create_entities": ["entities"], "create_relations": ["relations"],
        "add_observations": ["observations"], "delete_entities": ["entityNames"],
        "delete_observations": ["deletions"], "delete_relations": ["relations"], "read_graph": [],
        "search_nodes": ["query"], "open_nodes": ["names"],
    }  # fmt: skip
    relation = offered["create_relations"].input_schema["$defs"]["RelationShape"]
    assert relation["required"] == ["from", "to", "relationType"]

    text, made = await call(client, "create_entities", entities=[ALEX, ACME])
    assert json.loads(text) == [ALEX, ACME]
    assert made == {"entities": [ALEX, ACME]}
    assert (await call(client, "create_entities", entities=[ALEX]))[1] == {"entities": []}
    text, made = await call(client, "create_relations", relations=[WORKS])
    assert (json.loads(text), made) == ([WORKS], {"relations": [WORKS]})
    assert (await call(client, "create_relations", relations=[WORKS]))[1] == {"relations": []}

    more = [{"entityName": "Alex", "contents": ["Likes tea", "Has a dog"]}]
    _, added = await call(client, "add_observations", observations=more)
    assert added == {"results": [{"entityName": "Alex", "addedObservations": ["Has a dog"]}]}
    nobody = await client.call_tool(
        "add_observations", {"observations": [*more, {"entityName": "Bob", "contents": ["x"]}]}
    )
    assert nobody.is_error
    assert "Entity with name Bob not found" in nobody.content[0].text  # type: ignore[union-attr]

    whole = {**ALEX, "observations": ["Likes tea", "Lives in Lisbon", "Has a dog"]}
    text, graph = await call(client, "read_graph")
    assert graph == json.loads(text) == {"entities": [whole, ACME], "relations": [WORKS]}
    assert (await call(client, "search_nodes", query="LISBON"))[1] == {
        "entities": [whole],
        "relations": [WORKS],
    }
    assert (await call(client, "search_nodes", query="company"))[1]["entities"] == [ACME]
    assert (await call(client, "search_nodes", query="zebra"))[1] == {"entities": [], "relations": []}
    assert (await call(client, "open_nodes", names=["Acme", "Bob"]))[1] == {
        "entities": [ACME],
        "relations": [WORKS],
    }

    done = {"success": True, "message": "Observations deleted successfully"}
    gone = [{"entityName": "Alex", "observations": ["Has a dog", "never said"]}]
    assert await call(client, "delete_observations", deletions=gone) == (done["message"], done)
    assert (await call(client, "open_nodes", names=["Alex"]))[1]["entities"] == [ALEX]
    assert (await call(client, "delete_relations", relations=[WORKS]))[1]["success"] is True
    assert (await call(client, "read_graph"))[1]["relations"] == []
    await call(client, "create_relations", relations=[WORKS])
    assert (await call(client, "delete_entities", entityNames=["Alex", "Bob"]))[1]["success"] is True
    assert (await call(client, "read_graph"))[1] == {"entities": [ACME], "relations": []}
    back, _ = await call(client, "create_entities", entities=[{**ALEX, "observations": ["Came back"]}])
    assert json.loads(back)[0]["observations"] == ["Came back"]


def run(server: Any, work: Any) -> None:
    async def session() -> None:
        async with Client(server) as client:
            await work(client)

    asyncio.run(session())


def test_a_session_over_stdio(tmp_path: Path) -> None:
    program = str(Path(sys.executable).with_name("recollect"))
    options = ["mcp", "--compat", "reference", "--db", str(tmp_path / "m.db"), "--embedder", "fake:hash-64"]
    run(StdioServerParameters(command=program, args=options, cwd=tmp_path), a_session)


def test_a_session_on_both_databases(memory: Memory) -> None:
    run(build(on(memory), tools=REFERENCE), a_session)


def test_read_only_offers_three(sqlite_memory: Memory) -> None:
    async def look(client: Client) -> None:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names == ["read_graph", "search_nodes", "open_nodes"]

    run(build(on(sqlite_memory), tools=REFERENCE, read_only=True), look)


def test_it_is_the_same_memory(memory: Memory) -> None:
    """What goes in through the graph is recalled, what was remembered about a name is observed."""

    async def work(client: Client) -> None:
        await call(client, "create_entities", entities=[ALEX, ACME])
        await call(client, "create_relations", relations=[WORKS])
        memory.remember("Alex is learning to sail", subject="Alex")
        memory.view("user:bob").remember("Alex owes Bob ten euros", subject="Alex")
        (alex,) = (await call(client, "open_nodes", names=["Alex"]))[1]["entities"]
        assert alex["observations"] == ["Likes tea", "Lives in Lisbon", "Alex is learning to sail"]

    run(build(on(memory), tools=REFERENCE), work)
    found = memory.recall("Where does Alex work?", limit=5)
    assert any(f.text == "Alex works_at Acme" for f in found)
    alex, acme = (
        next(r for r in memory.list().items if r.kind == "entity" and r.subject == n)
        for n in ("Alex", "Acme")
    )
    assert [step.id for step in memory.links.walk(alex.id)] == [acme.id]
    assert alex.trust == "assistant"


def test_another_view_has_another_graph(memory: Memory) -> None:
    async def work(client: Client) -> None:
        assert (await call(client, "read_graph"))[1] == {"entities": [], "relations": []}
        await call(client, "delete_entities", entityNames=["Alex"])

    from recollect import Entity

    memory.graph.add([Entity(name="Alex", type="person", observations=("Likes tea",))])
    run(build(on(memory.view("user:bob")), tools=REFERENCE), work)
    assert memory.graph.read().entities[0].name == "Alex"


@pytest.mark.parametrize(
    "bad", [{"entities": [{"name": "x"}]}, {"entities": "x"}, {}, {"entities": [{**ALEX, "name": ""}]}]
)
def test_bad_input_changes_nothing(sqlite_memory: Memory, bad: dict[str, Any]) -> None:
    async def work(client: Client) -> None:
        given = (
            {**bad, "entities": [ACME, *bad["entities"]]} if isinstance(bad.get("entities"), list) else bad
        )
        assert (await client.call_tool("create_entities", given)).is_error

    run(build(on(sqlite_memory), tools=REFERENCE), work)
    assert sqlite_memory.stats().memories == {}

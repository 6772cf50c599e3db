"""Tools given anything at all: an answer, or an error that says what is wrong; never a crash."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp import Client

from recollect import Memory
from recollect.models.fakes import HashEmbedder
from recollect.surfaces.mcp.reference import REFERENCE
from recollect.surfaces.mcp.server import build, on
from recollect.surfaces.mcp.tools import TOOLS, Tool

WORDS = (
    "text kind key value subject tags significance query limit kinds since until budget layout current_file "
    "recent_errors activity ref context ids id resolution note lines heading entities "
    "relations observations entityNames deletions names"
).split()
ODD = ["city", "fact", "m1", "\0", "\ud800", "2026-01-31", "0001-01-01T00:00:00+23:00", "<memory>", "chat"]
ODD += [
    "9999-12-31T23:59:59-23:00",
    "00000000-0000-7000-8000-000000000000",
    "é" * 90,
    "'; DROP TABLE memories",
]
TEXTS = st.text(max_size=12) | st.sampled_from(ODD)
ATOMS = TEXTS | st.integers(-(2**70), 2**70) | st.floats() | st.booleans() | st.none()
SHAPES = st.fixed_dictionaries(
    {"name": TEXTS, "entityType": TEXTS, "observations": st.lists(TEXTS, max_size=2)},
    optional={
        "from": TEXTS,
        "to": TEXTS,
        "relationType": TEXTS,
        "entityName": TEXTS,
        "contents": st.lists(TEXTS),
    },
)
ARGUMENTS = st.dictionaries(
    st.sampled_from(WORDS), ATOMS | st.lists(ATOMS | SHAPES, max_size=3) | SHAPES, max_size=len(WORDS)
)


@pytest.mark.parametrize("tool", [*TOOLS, *REFERENCE], ids=lambda tool: tool.called)
@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(batch=st.lists(ARGUMENTS, min_size=1, max_size=12))
def test_no_argument_crashes_a_tool(
    tool: Tool, batch: list[dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    async def work() -> None:
        async with Client(build(on(memory), tools=[tool])) as client:
            (offered,) = (await client.list_tools()).tools
            known = offered.input_schema["properties"]
            for given in batch:
                result = await client.call_tool(tool.called, {n: v for n, v in given.items() if n in known})
                told = result.content[0].text  # type: ignore[union-attr]
                assert told != f"Error executing tool {tool.called}", "a crash, told as nothing"

    with Memory(tmp_path / "m.db", embedder=HashEmbedder(), background=False) as memory:
        asyncio.run(work())

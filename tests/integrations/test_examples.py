"""Every example of the page about frameworks runs, in a process of its own."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "integrations.md").read_text("utf-8")
EXAMPLES = dict(re.findall(r"^## ([^\n]+)\n\n```python\n(.*?)```", PAGE, re.DOTALL | re.MULTILINE))
SAID = {
    "mem0": "Berlin",
    "LangGraph": "food {'likes': 'Neapolitan pizza', 'rating': 5}",
    "OpenAI Agents SDK": "[{'role': 'user', 'content': 'My name is Alex and I live in Lisbon.'}]",
    "Claude's memory tool": "Alex drinks black tea.",
}


def test_every_adapter_has_an_example() -> None:
    assert EXAMPLES.keys() == SAID.keys()


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_works(name: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", EXAMPLES[name]]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert SAID[name] in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("module", "lacking", "extra"),
    [
        ("langgraph", "langgraph.store.base", "langgraph"),
        ("openai_agents", "agents.items", "openai-agents"),
        ("anthropic_memory", "anthropic.lib.tools", "anthropic"),
    ],
)
def test_a_missing_framework_is_named(module: str, lacking: str, extra: str) -> None:
    code = f"import sys; sys.modules[{lacking!r}] = None; import recollect.integrations.{module}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert f"pip install 'recollect[{extra}]'" in done.stderr

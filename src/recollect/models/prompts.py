"""Prompts are files: `extract.md` beside `extract.py`, which holds the answer's dataclass.

A file has a part under the heading `# System` and a part under `# User`. `{{name}}` is replaced by
a value as it is; `{{fenced name}}` puts it between two lines that the value itself cannot hold,
for text that was written by others and must not be taken for instructions.

    EXTRACT = PromptFile(Path(__file__).with_suffix(".md"), Extracted, purpose="extract")
    extracted = EXTRACT.ask(llm, text=message)
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Generic, TypeVar

from recollect.errors import InvalidInput
from recollect.models.answers import json_schema
from recollect.models.llm import LLM, Prompt, ask

Answer = TypeVar("Answer")

_PARTS = re.compile(r"\A# System\n(?P<system>.+?)\n# User\n(?P<user>.+)\Z", re.DOTALL)
_PLACE = re.compile(r"\{\{(?P<fenced>fenced )?(?P<name>[a-z_]+)\}\}")


@dataclass(frozen=True, slots=True)
class PromptFile(Generic[Answer]):
    """A prompt in a file, together with the answer it asks for; read at first use."""

    path: Path
    answer: type[Answer]
    purpose: str
    max_tokens: int = 1_024

    @property
    def version(self) -> str:
        """Changes with the wording and with the answer: a memory records what made it."""
        schema = json.dumps(json_schema(self.answer), sort_keys=True)
        content = "\n".join((_read(self.path), schema))
        return f"{self.path.stem}@{hashlib.sha256(content.encode()).hexdigest()[:12]}"

    def render(self, **values: str) -> Prompt:
        """The prompt with every placeholder filled, in one pass: values are never filled again."""
        content = _read(self.path)
        parts = _PARTS.match(content)
        if parts is None:
            raise InvalidInput(f"{self.path.name} needs '# System' first and '# User' after it.")
        wanted = {place["name"] for place in _PLACE.finditer(content)}
        if wanted != set(values):
            differing = ", ".join(sorted(wanted ^ set(values)))
            raise InvalidInput(f"{self.path.name} and the values given differ in: {differing}.")

        def fill(place: re.Match[str]) -> str:
            value = values[place["name"]]
            return _fenced(value) if place["fenced"] else value

        return Prompt(
            system=_PLACE.sub(fill, parts["system"].strip()),
            user=_PLACE.sub(fill, parts["user"].strip()),
            purpose=self.purpose,
            max_tokens=self.max_tokens,
        )

    def ask(self, llm: LLM, **values: str) -> Answer:
        """The validated answer of that LLM."""
        return ask(llm, self.render(**values), self.answer)


def _fenced(value: str) -> str:
    """The value between marks made from its own digest, which no text can hold of itself."""
    mark = hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"<data-{mark}>\n{value}\n</data-{mark}>"


@lru_cache
def _read(path: Path) -> str:
    return path.read_text("utf-8").replace("\r\n", "\n")

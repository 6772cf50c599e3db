"""Write the reference pages that come from the code: `make docs`. A test compares them with the code."""

import argparse
import inspect
import os
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import recollect
from recollect import errors
from recollect.settings import PREFIX, Settings
from recollect.surfaces.cli.app import COMMANDS, EPILOG, parser

FOLDER = Path(__file__).parent.parent / "docs" / "reference"
NOTE = "<!-- Written by `make docs` from the code; do not edit. -->\n"


def pages() -> dict[str, str]:
    """Every generated page by its file name."""
    return {"cli.md": cli(), "settings.md": settings(), "errors.md": error_tree(), "python.md": python()}


def cli() -> str:
    """The help of every command."""
    os.environ["COLUMNS"] = "100"
    program = parser()
    parts = [NOTE, "# The command line\n", f"{EPILOG}\n", _block(program.format_help())]
    for name, command in _commands(program):
        parts += [f"## recollect {name}\n", _block(command.format_help())]
    assert {name.split()[0] for name, _ in _commands(program)} == set(COMMANDS)
    return "\n".join(parts)


def settings() -> str:
    """Every setting with its default."""
    rows = [
        f"| `{f.name}` | `{PREFIX}{f.name.upper()}` | {_default(f.default)} | {f.metadata['help']} |"
        for f in fields(Settings)
    ]
    return "\n".join(
        [
            NOTE,
            "# Settings\n",
            "What is passed in code wins over the environment, which wins over the config file",
            f"(`~/.config/recollect.toml`, or what `{PREFIX}CONFIG` names), which wins over the default.\n",
            "| name | environment | default | meaning |",
            "|---|---|---|---|",
            *rows,
            "",
        ]
    )


def error_tree() -> str:
    """The tree of errors, as drawn in the module."""
    tree = (errors.__doc__ or "").partition("\n\n")[2]
    return "\n".join(
        [
            NOTE,
            "# Errors\n",
            "Every error says what to do, and leaves nothing changed.\n",
            _block(tree.rstrip() + "\n"),
        ]
    )


def python() -> str:
    """The verbs of a Memory with their signatures."""
    from recollect import groups
    from recollect.apps.verbs import Apps
    from recollect.context.verbs import Contexts
    from recollect.files.verbs import Files
    from recollect.ingest.graph_verbs import Graphs
    from recollect.ingest.verbs import Conversations, Links, Review
    from recollect.upkeep.inbox import Contradictions
    from recollect.upkeep.vectors import Vectors
    from recollect.upkeep.verbs import Upkeep

    parts = [NOTE, "# Python\n", f"{inspect.getdoc(recollect.Memory)}\n"]
    doors = {"Memory": recollect.Memory, "memory.spaces": groups.Spaces}
    doors |= {"memory.conversations": Conversations, "memory.links": Links}
    doors |= {"memory.contexts": Contexts}
    doors |= {"memory.review": Review, "memory.contradictions": Contradictions, "memory.apps": Apps}
    doors |= {"memory.files": Files, "memory.vectors": Vectors, "memory.upkeep": Upkeep}
    doors |= {"memory.graph": Graphs}
    doors |= {"memory.jobs": groups.Jobs, "memory.transfers": groups.Transfers}
    for name, door in doors.items():
        parts.append(f"## {name}\n")
        for verb, value in vars(door).items():
            if inspect.isfunction(value) and (
                not verb.startswith("_") or (verb == "__init__" and name == "Memory")
            ):
                shown = "Memory" if verb == "__init__" else verb
                doc = inspect.getdoc(value) or "Open a memory."
                parts.append(f"- `{shown}{_signature(value)}`: {' '.join(doc.split())}")
        parts.append("")
    parts += ["## Values and errors\n", ", ".join(f"`{name}`" for name in recollect.__all__), ""]
    return "\n".join(parts)


def _signature(verb: object) -> str:
    found = inspect.signature(verb)  # type: ignore[arg-type]
    kept = [p.replace(annotation=inspect.Parameter.empty) for n, p in found.parameters.items() if n != "self"]
    text = str(found.replace(parameters=kept, return_annotation=inspect.Signature.empty))
    text = re.sub(r"<(\w+)\.(\w+): '(\w+)'>", r"'\3'", text)
    return re.sub(r"<function (\w+) at 0x[0-9a-f]+>", r"\1", text)


def _commands(
    program: argparse.ArgumentParser, prefix: str = ""
) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for action in program._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, command in action.choices.items():
                yield prefix + name, command
                yield from _commands(command, f"{prefix}{name} ")


def _default(value: object) -> str:
    return f"`{value}`" if value not in ("", None) else ""


def _block(text: str) -> str:
    return f"```text\n{text.rstrip()}\n```\n"


def main() -> None:
    """Write them all."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, "utf-8")
        print(f"wrote docs/reference/{name}")


if __name__ == "__main__":
    main()

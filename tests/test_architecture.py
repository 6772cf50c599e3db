"""The dependency rule and the budgets. Raising a budget is a visible one-line change with a reason."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect

SRC = Path(recollect.__file__).parent
MODULES = sorted(SRC.rglob("*.py"))

MODULE_LINES = 400
FUNCTION_LINES = 60
PARAMETERS = 7
OF_A_MEMORY = 8  # Memory's constructor: a server's key beside place, view, models and clock
PUBLIC_METHODS = 16  # Memory: `context` is its main verb beside recall, not part of a group
SETTINGS = 40

LAYERS = (
    {"errors"},
    {"model"},
    {"text", "store", "models", "jobs"},
    {"ingest", "recall", "context", "upkeep", "apps", "predict", "files"},
    {"settings", "wiring", "groups", "nouns", "memory", "aio", "remote"},
    {"surfaces", "integrations"},  # adapters are surfaces; a short name, because users import them
)
"""Lowest first. A package imports from its own layer and from lower ones."""

PURE = {"model", "text", "errors"}
"""These import nothing of ours but each other."""

MAY_CATCH_ALL = {"jobs/worker.py", "surfaces/"}
MAY_READ_ENVIRONMENT = {"settings.py"}


def name(path: Path) -> str:
    return path.relative_to(SRC).as_posix()


def home(path: Path) -> str:
    first = path.relative_to(SRC).parts[0]
    return first.removesuffix(".py")


def imports(tree: ast.AST) -> Iterator[str]:
    """The modules of ours that a file imports, wherever in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "recollect":
            assert node.level == 0, "imports are absolute"
            if node.module == "recollect":
                yield from (f"recollect.{alias.name}" for alias in node.names)
            else:
                yield node.module or ""
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("recollect."))


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def layer(package: str) -> int:
    return next(i for i, packages in enumerate(LAYERS) if package in packages)


@pytest.mark.parametrize("path", [p for p in MODULES if p != SRC / "__init__.py"], ids=name)
def test_the_dependency_rule(path: Path) -> None:
    own = home(path)
    for module in imports(parsed(path)):
        other = module.split(".")[1]
        if other == "__version__":
            continue
        assert layer(other) <= layer(own), f"{name(path)} must not import {module}"
        if own in PURE:
            assert other in PURE, f"{name(path)} is pure: it must not import {module}"


def test_no_import_cycles_between_modules() -> None:
    """Imports inside functions and for types do not count: they happen after everything is loaded."""
    graph: dict[str, set[str]] = {}
    for path in MODULES:
        module = "recollect." + name(path).removesuffix(".py").replace("/", ".").removesuffix(".__init__")
        top = ast.Module([node for node in parsed(path).body if not isinstance(node, ast.If)], [])
        top.body = [node for node in top.body if isinstance(node, ast.Import | ast.ImportFrom)]
        graph[module] = set()
        for found in imports(top):
            graph[module].add(found)
        for node in top.body:
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("recollect."):
                graph[module] |= {f"{node.module}.{alias.name}" for alias in node.names}
    graph = {module: {m for m in found if m in graph} for module, found in graph.items()}
    done: set[str] = set()

    def visit(module: str, trail: tuple[str, ...]) -> None:
        assert module not in trail, " → ".join((*trail, module))
        if module not in done:
            for other in sorted(graph[module]):
                visit(other, (*trail, module))
            done.add(module)

    for module in graph:
        visit(module, ())


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_modules_and_functions_stay_small(path: Path) -> None:
    source = path.read_text("utf-8")
    assert len(source.splitlines()) <= MODULE_LINES
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            length = node.end_lineno - node.lineno + 1
            assert length <= FUNCTION_LINES, f"{node.name} has {length} lines"
            arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            count = len([a for a in arguments if a.arg not in ("self", "cls")])
            most = OF_A_MEMORY if name(path).endswith("memory.py") and node.name == "__init__" else PARAMETERS
            assert count <= most, f"{node.name} has {count} parameters"
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            methods = [
                n for n in node.body
                if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef) and not n.name.startswith("_")
            ]  # fmt: skip
            assert len(methods) <= PUBLIC_METHODS, f"{node.name} has {len(methods)} public methods"


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_no_catch_all_and_no_environment(path: Path) -> None:
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.ExceptHandler) and not name(path).startswith(tuple(MAY_CATCH_ALL)):
            caught = ast.unparse(node.type) if node.type else "everything"
            rethrows = isinstance(node.body[-1], ast.Raise)
            assert rethrows or caught not in ("everything", "Exception", "BaseException"), node.lineno
        if name(path) not in MAY_READ_ENVIRONMENT and isinstance(node, ast.Attribute):
            assert node.attr not in ("environ", "getenv"), f"line {node.lineno} reads the environment"


def test_settings_stay_few() -> None:
    from dataclasses import fields

    from recollect.settings import Settings

    assert len(fields(Settings)) <= SETTINGS


HEAVY = (
    "numpy",
    "onnxruntime",
    "httpx2",
    "psycopg",
    "rich",
    "tokenizers",
    "mcp",
    "pydantic",
    "fastapi",
    "recollect.store.postgres",
)


def test_nothing_heavy_is_imported_to_start() -> None:
    """Checked in a process of its own, as a user starts it."""
    import subprocess
    import sys

    code = (
        "import sys, recollect.memory; from recollect.surfaces.cli.app import parser; parser(['get']); "
        f"print([m for m in {HEAVY!r} if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"

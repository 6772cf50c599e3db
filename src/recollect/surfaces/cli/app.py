"""The program: global options, the table of commands, and errors as exit codes."""

import argparse
import sys
import time
from collections.abc import Iterable, Sequence
from importlib import import_module

from recollect import __version__
from recollect.errors import (
    AccessError,
    Conflict,
    InvalidInput,
    ModelError,
    NotFound,
    RecollectError,
    ServerError,
    SettingsError,
    StoreError,
)
from recollect.surfaces.cli.output import Session

EXIT_CODES: dict[type[RecollectError], int] = {
    InvalidInput: 2,
    NotFound: 3,
    Conflict: 4,
    SettingsError: 5,
    StoreError: 6,
    ModelError: 7,
    AccessError: 8,
    ServerError: 9,
}
EPILOG = (
    "Exit codes: 0 done, 1 unexpected or unsound, 2 bad input, 3 not found, 4 conflict, 5 settings, "
    "6 database, 7 model, 8 not allowed, 9 server."
)
COMMANDS = {
    "add": "memories",
    "remember": "memories",
    "get": "memories",
    "list": "memories",
    "recall": "recall",
    "context": "context",
    "expand": "context",
    "feedback": "context",
    "update": "memories",
    "history": "memories",
    "forget": "memories",
    "restore": "memories",
    "erase": "memories",
    "explain": "review",
    "promote": "review",
    "review": "review",
    "contradictions": "contradictions",
    "link": "relations",
    "unlink": "relations",
    "links": "relations",
    "graph": "relations",
    "space": "conversations",
    "conversation": "conversations",
    "chat": "chat",
    "apps": "apps",
    "upkeep": "upkeep",
    "jobs": "jobs",
    "worker": "jobs",
    "reflect": "files",
    "fact": "files",
    "tier": "files",
    "vault": "files",
    "reembed": "files",
    "serve": "serve",
    "keys": "keys",
    "audit": "keys",
    "export": "whole",
    "import": "whole",
    "stats": "whole",
    "doctor": "whole",
    "demo": "whole",
    "bench": "bench",
    "mcp": "mcp",
    "hook": "hook",
    "install": "agents",
    "uninstall": "agents",
    "completion": "completion",
}
"""Every command and its module: only the one that is called is imported, so it starts fast."""


def parser(names: Iterable[str] = tuple(COMMANDS)) -> argparse.ArgumentParser:
    """The parser for some commands; global options may stand anywhere on the line."""
    program = argparse.ArgumentParser(
        prog="recollect",
        description="Memory for AI assistants: one SQLite file or PostgreSQL, no key, no LLM needed.",
        epilog=EPILOG,
        parents=[_common()],
        allow_abbrev=False,
    )
    program.add_argument("--version", action="version", version=f"recollect {__version__}")
    parsers = program.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name in names:
        module = import_module(f"recollect.surfaces.cli.{COMMANDS[name]}")
        next(c for c in module.COMMANDS if c.name == name).add_to(parsers, _common)
    return program


def _common() -> argparse.ArgumentParser:
    """The options that every command takes; made anew for each, because parsers change what they share."""
    common = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    shared = common.add_argument_group("global options")
    shared.add_argument("--db", help="a file path, a postgresql:// URL, or a server's http:// address")
    shared.add_argument("--tenant", help="the tenant")
    shared.add_argument("--view", help="spaces to see, comma-separated; writes go to the first")
    shared.add_argument("--embedder", help="the embedder as provider:name")
    shared.add_argument("--json", action="store_true", help="print JSON, for scripts")
    shared.add_argument("--later", action="store_true", help="leave follow-up work to a worker")
    return common


def run(arguments: Sequence[str], begun: float | None = None) -> int:
    """Run one command line; errors of ours become one line on stderr and an exit code."""
    begun = time.monotonic() if begun is None else begun
    called = [word for word in arguments if word in COMMANDS][:1]
    given = parser(called or COMMANDS).parse_args(arguments)
    session = Session(
        db=getattr(given, "db", None),
        tenant=getattr(given, "tenant", None),
        view=getattr(given, "view", None),
        embedder=getattr(given, "embedder", None),
        json=getattr(given, "json", False),
        later=getattr(given, "later", False),
        begun=begun,
    )
    try:
        code = given.run(session, given)
    except RecollectError as error:
        print(f"error: {error}", file=sys.stderr)
        return next(code for kind, code in EXIT_CODES.items() if isinstance(error, kind))
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of our output went away, as `head` does
        sys.stderr.close()
        return 0
    return int(code or 0)

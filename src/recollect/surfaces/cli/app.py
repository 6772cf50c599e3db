"""The commands, put together; global options may stand anywhere on the line."""

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from recollect import __version__
from recollect.errors import (
    Conflict,
    InvalidInput,
    ModelError,
    NotFound,
    RecollectError,
    SettingsError,
    StoreError,
)
from recollect.surfaces.cli import conversations, jobs, memories, relations, whole
from recollect.surfaces.cli.output import Session

EXIT_CODES: dict[type[RecollectError], int] = {
    InvalidInput: 2,
    NotFound: 3,
    Conflict: 4,
    SettingsError: 5,
    StoreError: 6,
    ModelError: 7,
}
"""0: done. 1: `doctor` found something, or an unexpected error. Others: by kind of error."""

_WITH_VALUE = ("--db", "--tenant", "--view", "--embedder")
_FLAGS = ("--json", "--later")

app = typer.Typer(
    name="recollect",
    help="Memory for AI assistants: one SQLite file or PostgreSQL, no key, no LLM needed.",
    epilog="Global options may stand anywhere on the line. Exit codes: 0 done, 1 unexpected or unsound, "
    "2 bad input, 3 not found, 4 conflict, 5 settings, 6 database, 7 model.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def options(
    context: typer.Context,
    db: Annotated[str | None, typer.Option(help="File path or postgresql:// URL.")] = None,
    tenant: Annotated[str | None, typer.Option(help="The tenant.")] = None,
    view: Annotated[
        str | None, typer.Option(help="Spaces to see, comma-separated; writes go to the first.")
    ] = None,
    embedder: Annotated[str | None, typer.Option(help="Embedder as provider:name.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")] = False,
    later: Annotated[bool, typer.Option("--later", help="Leave follow-up work to a worker.")] = False,
) -> None:
    """Memory for AI assistants: one SQLite file or PostgreSQL, no key, no LLM needed."""
    context.obj = Session(db=db, tenant=tenant, view=view, embedder=embedder, json=json, later=later)


@app.command()
def version() -> None:
    """Print the version."""
    print(f"recollect {__version__}")


memories.register(app)
app.add_typer(conversations.space, name="space")
app.add_typer(conversations.app, name="conversation")
relations.register(app)
app.add_typer(jobs.app, name="jobs")
app.command("worker")(jobs.worker)
whole.register(app)


def run(arguments: Sequence[str]) -> int:
    """Run one command line; errors of ours become one line on stderr and an exit code."""
    try:
        app(_globals_first(arguments), standalone_mode=False)
    except RecollectError as error:
        print(f"error: {error}", file=sys.stderr)
        return next(code for kind, code in EXIT_CODES.items() if isinstance(error, kind))
    except typer.Exit as stopped:
        return int(stopped.exit_code)
    except typer.Abort:
        print("aborted: nothing was changed", file=sys.stderr)
        return 1
    except Exception as error:
        if hasattr(error, "show") and hasattr(error, "exit_code"):  # a usage error of the parser
            error.show()
            return int(error.exit_code)
        raise
    return 0


def _globals_first(arguments: Sequence[str]) -> list[str]:
    """Move global options to the front, where the parser wants them; nothing after `--` is moved."""
    front: list[str] = []
    rest: list[str] = []
    pending = list(arguments)
    while pending:
        word = pending.pop(0)
        if word == "--":
            return [*front, *rest, word, *pending]
        if word in _FLAGS or word.startswith(tuple(f"{name}=" for name in _WITH_VALUE)):
            front.append(word)
        elif word in _WITH_VALUE and pending:
            front += [word, pending.pop(0)]
        else:
            rest.append(word)
    return front + rest

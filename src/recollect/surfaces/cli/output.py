"""What every command shares: opening the memory, and printing for people or for scripts."""

import json as json_module
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from recollect import settings
from recollect.errors import InvalidInput
from recollect.model.filter import Page
from recollect.model.wire import encoded

if TYPE_CHECKING:
    from recollect.memory import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """The global options of one command line."""

    db: str | None
    tenant: str | None
    view: str | None
    embedder: str | None
    json: bool
    later: bool
    begun: float
    """When the program was called, by the clock that hooks are in a hurry by."""

    @contextmanager
    def memory(self) -> Iterator["Memory"]:
        """The memory this command works on; what follows from it is done by the command itself, or left."""
        with self.opened(background=False) as memory:
            yield memory

    def opened(self, *, background: bool) -> "Memory":
        """The same, for whoever closes it; it is imported when one is opened, so that hooks start fast."""
        from recollect.memory import Memory

        return Memory(
            self.db, tenant=self.tenant, view=self.view, embedder=self.embedder, background=background
        )

    @contextmanager
    def writing(self) -> Iterator["Memory"]:
        """The same for a command that promises work: it is done after the answer is printed."""
        with self.memory() as memory:
            yield memory
            sys.stdout.flush()
            self.catch_up(memory)

    def catch_up(self, memory: "Memory") -> None:
        """Do the work that waits, unless it is left to a worker; a server does its own."""
        if not self.later and not settings.names_server(self.db):
            memory.jobs.run()

    def options(self) -> list[str]:
        """The options that say which memory this is, for another command line."""
        given = {"--db": self.db, "--tenant": self.tenant, "--view": self.view, "--embedder": self.embedder}
        return [part for name, held in given.items() if held is not None for part in (name, held)]

    def warn(self, warnings: Iterable[str]) -> None:
        """Tell what could not be done as asked, beside the answer."""
        for warning in warnings:
            print(f"warning: {warning}", file=sys.stderr)

    def show(self, value: Any, text: str) -> None:
        """Print a value as JSON, or the text made for people."""
        print(json_module.dumps(encoded(value), ensure_ascii=False) if self.json else text, flush=True)

    def show_table(
        self, values: Sequence[Any], columns: Sequence[str], rows: Iterable[Sequence[Any]]
    ) -> None:
        """Print values as a JSON array, a table on a terminal, or tab-separated lines in a pipe."""
        if self.json:
            print(json_module.dumps(encoded(values), ensure_ascii=False))
        elif sys.stdout.isatty():
            _rich_table(columns, rows)
        else:
            for row in rows:
                print("\t".join(_cell(cell) for cell in row))

    def show_page(self, page: Page[Any], columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Print part of a list, and how to go on."""
        if self.json:
            self.show(page, "")
            return
        self.show_table(page.items, columns, rows)
        if page.next:
            print(f"more: --after {page.next}", file=sys.stderr)

    def show_fields(self, value: Any) -> None:
        """Print one value as JSON, or its fields that say something, one a line."""
        held = {field.name.replace("_", " "): getattr(value, field.name) for field in fields(value)}
        told = [(name, _cell(part)) for name, part in held.items() if part or part == 0]
        widest = max(len(name) for name, _ in told)
        self.show(value, "\n".join(f"{name:<{widest}}  {cell}" for name, cell in told if cell))


def time(text: str | None, what: str = "the time") -> datetime | None:
    """A time as people and scripts write it; without a zone it is UTC."""
    if text is None:
        return None
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput(
            f"{what} {text!r} is not a time: write 2026-01-31 or 2026-01-31T12:00:00Z"
        ) from None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def progress(label: str) -> Any:
    """A callback that shows a running count on a terminal's stderr, and nothing in a pipe."""

    def report(done: int) -> None:
        if sys.stderr.isatty():
            print(f"\r{label}: {done:,}", end="", file=sys.stderr, flush=True)

    return report


@contextmanager
def step_progress() -> Iterator[Any]:
    """A callback that shows the step and a running count on a terminal's stderr, and nothing in a pipe."""
    seen = sys.stderr.isatty()

    def report(step: str, done: int) -> None:
        if seen:
            print(f"\r\x1b[K{step}: {done:,}", end="", file=sys.stderr, flush=True)

    yield report
    if seen:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _cell(held: Any) -> str:
    if isinstance(held, datetime):
        return held.strftime("%Y-%m-%d %H:%M")
    if isinstance(held, float):
        return f"{held:.4g}"
    if isinstance(held, tuple | list):
        return ", ".join(_cell(part) for part in held)
    if isinstance(held, dict):
        return ", ".join(f"{name} {_cell(part)}" for name, part in held.items())
    if is_dataclass(held):
        return _cell([part for f in fields(held) if (part := getattr(held, f.name)) is not None])
    return "" if held is None else str(held).replace("\t", " ").replace("\n", " ")


def _rich_table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(*columns, box=None, pad_edge=False, header_style="bold")
    for row in rows:
        table.add_row(*(Text(_cell(cell), overflow="ellipsis") for cell in row))
    Console().print(table)

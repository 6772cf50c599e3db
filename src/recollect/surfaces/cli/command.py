"""Command: one command of the program as data, so that help, docs and parser come from one place."""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from recollect.surfaces.cli.output import Session

Run = Callable[[Session, argparse.Namespace], int | None]


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument or option: its names and what argparse should know of it."""

    names: tuple[str, ...]
    about: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Command:
    """A command, or with `parts` a group of them; a group with `run` does that when no part is named."""

    name: str
    run: Run | None
    help: str
    arguments: Sequence[Argument] = ()
    parts: Sequence["Command"] = ()

    def add_to(self, parsers: Any, common: Callable[[], argparse.ArgumentParser]) -> None:
        """Make this command known to a parser, with the options that all commands share."""
        parser = parsers.add_parser(
            self.name,
            help=self.help,
            description=self.help,
            parents=[common()],
            allow_abbrev=False,
            conflict_handler="resolve",  # a command's own option wins over a global one
        )
        for argument in self.arguments:
            parser.add_argument(*argument.names, **argument.about)
        if self.run is not None:
            parser.set_defaults(run=self.run)
        if self.parts:
            inner = parser.add_subparsers(title="commands", metavar="COMMAND", required=self.run is None)
            for part in self.parts:
                part.add_to(inner, common)


def argument(*names: str, **about: Any) -> Argument:
    """An argument or option, in argparse's words."""
    return Argument(names, about)


def flag(name: str, help: str) -> Argument:
    """An option that is on or off."""
    return Argument((name,), {"action": "store_true", "help": help})


def repeated(name: str, help: str, **about: Any) -> Argument:
    """An option that may be given several times."""
    return Argument((name,), {"action": "append", "default": [], "help": f"{help}; may be repeated", **about})


def page(default: int = 50) -> tuple[Argument, Argument]:
    """The options of a command that lists."""
    return (
        argument("--limit", type=int, default=default, help=f"at most this many ({default})"),
        argument("--after", help="go on after this id"),
    )

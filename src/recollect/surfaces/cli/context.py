"""The context and expand commands: what an assistant would receive, and what stands behind a ref."""

import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

from recollect.errors import InvalidInput
from recollect.model.context import Context, Format
from recollect.surfaces.cli.command import Command, argument, flag, repeated
from recollect.surfaces.cli.output import Session


def context(session: Session, given: Namespace) -> None:
    """Print what an assistant should know for this turn."""
    with session.memory() as memory:
        session.catch_up(memory)
        made = memory.context(
            given.query,
            conversation=given.conversation,
            signals=_signals(given.signal),
            layout=_layout(given.layout),
            budget=given.budget,
            model=given.model,
            format=given.format,
        )
        session.warn(made.warnings)
        if session.json:
            session.show(made, "")
        elif given.explain:
            columns = ("ref", "section", "level", "tokens", "why", "text")
            rows = ((t.ref, t.section, t.level, t.tokens, t.why, t.text) for t in made.taken)
            session.show_table(made.taken, columns, rows)
            print(_summary(made), file=sys.stderr)
        else:
            print(_printed(made))


def _printed(made: Context) -> str:
    if made.format != Format.CHAT:
        return made.text
    import json

    return json.dumps(made.messages(), ensure_ascii=False, indent=1)


def _summary(made: Context) -> str:
    parts = ", ".join(f"{part.name} {part.tokens}/{part.allotted}" for part in made.sections)
    return f"{made.tokens} of {made.budget} tokens ({parts}); {len(made.left_out)} left out; {made.id}"


def _layout(named: str) -> Any:
    """A built-in layout by its name, or one of your own from a TOML file."""
    if not named.endswith(".toml"):
        return named
    from recollect.context.layouts import Layout

    try:
        return Layout.from_toml(Path(named).read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"the layout {named} cannot be read: {error}") from None


def _signals(given: list[str]) -> dict[str, Any]:
    """`--signal current_file=src/auth/login.ts`; errors may be given several times."""
    found: dict[str, Any] = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not equals:
            raise InvalidInput(f"the signal {one!r} has no value: write --signal name=value")
        if name == "recent_errors":
            found.setdefault(name, []).append(value)
        else:
            found[name] = value
    return found


def expand(session: Session, given: Namespace) -> None:
    """Print what stands behind a ref."""
    with session.memory() as memory:
        found = memory.contexts.expand(
            given.ref, context=given.context, budget=given.budget, model=given.model
        )
        session.warn(found.warnings)
        session.show(found, found.text)


def feedback(session: Session, given: Namespace) -> None:
    """Say what an answer used of a context, or let it be seen in the answer."""
    if given.reply is not None and (given.cited or given.ignored):
        raise InvalidInput("say it yourself or let it be seen: --cited and --ignored, or --reply, not both")
    with session.memory() as memory:
        if given.reply is None:
            found = memory.contexts.feedback(given.context, cited=given.cited, ignored=given.ignored)
        else:
            reply = sys.stdin.read() if given.reply == "-" else given.reply
            found = memory.contexts.detect(given.context, reply)
        lines = [f"cited {id}" for id in found.cited] + [f"passed over {id}" for id in found.ignored]
        session.show(found, "\n".join(lines) or "nothing was counted")


COMMANDS = (
    Command("context", context, "Print what an assistant should know for a turn, within a token budget.", (
        argument("query", nargs="?", help="what it is about; else the last thing the user said"),
        argument("--layout", default="chat", help="chat, tiers, profile, app, or a .toml file of your own"),
        argument("--budget", type=int, help="at most this many tokens; else the layout's own"),
        argument("--model", help="the model whose tokens are counted (o200k)"),
        argument("--format", default="text", choices=[str(f) for f in Format], help="how it is written"),
        argument("--conversation", help="the conversation to show; else the open one"),
        repeated("--signal", "current_file=…, recent_errors=…, activity=… or branch=…"),
        flag("--explain", "show what was taken, at which level and why"),
    )),
    Command("feedback", feedback, "Say which entries of a context an answer used or passed over.", (
        argument("context", help="the id of the context, as --json and --explain show it"),
        repeated("--cited", "an entry that was used, by its ref or id"),
        repeated("--ignored", "an entry that was passed over, by its ref or id"),
        argument("--reply", help="the answer itself: what it used is seen in it; - reads standard input"),
    )),
    Command("expand", expand, "Print what stands behind a ref of a context, with its sources.", (
        argument("ref", help="a ref such as m417, or an id"),
        argument("--context", help="the id of the context; else the newest that used the ref"),
        argument("--budget", type=int, default=2_000, help="at most this many tokens (2,000)"),
        argument("--model", help="the model whose tokens are counted (o200k)"),
    )),
)  # fmt: skip

"""Commands on messages and memories: add, remember, get, list, update, history, forget, erase."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from recollect.errors import InvalidInput, NotFound
from recollect.model.conversation import NewMessage, Role
from recollect.model.filter import Filter
from recollect.model.record import Kind, Record, Status
from recollect.model.wire import decoded
from recollect.surfaces.cli.output import Session, time

COLUMNS = ("id", "kind", "status", "key", "text", "valid from")


def register(app: typer.Typer) -> None:
    """Add these commands to the program."""
    for command in (add, remember, get, update, history, forget, restore, erase):
        app.command()(command)
    app.command("list")(list_)


def add(
    context: typer.Context,
    text: Annotated[str | None, typer.Argument(help="What was said; - reads it from standard input.")] = None,
    role: Annotated[Role, typer.Option(help="Who it speaks for.")] = Role.USER,
    speaker: Annotated[str | None, typer.Option(help="The speaker's name.")] = None,
    conversation: Annotated[str | None, typer.Option(help="Its conversation; else the open one.")] = None,
    at: Annotated[str | None, typer.Option(help="When it was said; else now.")] = None,
    file: Annotated[
        Path | None, typer.Option(help="JSON Lines of {text, role, speaker, said_at}, all or none.")
    ] = None,
) -> None:
    """Add a message, or a file of messages, to a conversation."""
    session: Session = context.obj
    if (text is None) == (file is None):
        raise InvalidInput("add what? Pass a text, or --file FILE")
    said = sys.stdin.read() if text == "-" else text
    with session.writing() as memory:
        if file is not None:
            receipt = memory.add_many(list(_messages(file)), conversation=conversation)
        else:
            receipt = memory.add(
                said or "",
                role=role,
                speaker=speaker,
                said_at=time(at),
                conversation=conversation,
            )
        counts = ", ".join(f"{n} {action}" for action, n in receipt.counts.items())
        session.show(receipt, f"{counts} in conversation {receipt.conversation}")


def remember(
    context: typer.Context,
    text: Annotated[str, typer.Argument(help="The memory, as a sentence that stands alone.")],
    kind: Annotated[Kind | None, typer.Option(help="What sort of memory.")] = None,
    key: Annotated[
        str | None, typer.Option(help="For a keyed fact: what it answers, such as 'name'.")
    ] = None,
    value: Annotated[str | None, typer.Option(help="For a keyed fact: the answer.")] = None,
    category: Annotated[str | None, typer.Option(help="identity, preference, constraint, …")] = None,
    subject: Annotated[str | None, typer.Option(help="Whom it is about, if not the user.")] = None,
    importance: Annotated[float | None, typer.Option(help="0 to 1.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="A tag; may be repeated.")] = None,
    pin: Annotated[bool, typer.Option("--pin", help="Never prune it.")] = False,
    since: Annotated[str | None, typer.Option(help="When it became true; else now.")] = None,
) -> None:
    """Store a memory by hand; with --key and --value, in place of the key's old value."""
    session: Session = context.obj
    fields: dict[str, Any] = {
        "kind": kind,
        "key": key,
        "value": value,
        "category": category,
        "subject": subject,
        "importance": importance,
        "tags": tag,
        "pinned": pin,
        "valid_from": time(since),
    }
    with session.writing() as memory:
        receipt = memory.remember(text, **{k: v for k, v in fields.items() if v is not None})
        (entry,) = receipt.entries
        session.show(receipt, f"{entry.action} {entry.id}" + (f" ({entry.reason})" if entry.reason else ""))


def get(
    context: typer.Context,
    id: Annotated[str, typer.Argument(help="The id of a memory or a message.")],
    as_of: Annotated[str | None, typer.Option(help="As it was known at this time.")] = None,
) -> None:
    """Show one memory, or one message."""
    session: Session = context.obj
    with session.memory() as memory:
        try:
            record = memory.get(id, as_of=time(as_of))
        except NotFound:
            try:
                message = memory.conversations.message(id)
            except NotFound:
                raise NotFound(f"no memory or message {id} in this view") from None
            session.show_fields(message, _told(message))
            return
        session.show_fields(record, _told(record))


def list_(
    context: typer.Context,
    kind: Annotated[list[Kind] | None, typer.Option(help="Only this kind; may be repeated.")] = None,
    status: Annotated[
        list[Status] | None, typer.Option(help="Only this status; else what is believed.")
    ] = None,
    key: Annotated[list[str] | None, typer.Option(help="Only this key; may be repeated.")] = None,
    category: Annotated[list[str] | None, typer.Option(help="Only this category; may be repeated.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="Only with this tag; may be repeated.")] = None,
    words: Annotated[str | None, typer.Option(help="Only with any of these words.")] = None,
    importance: Annotated[float, typer.Option(help="At least this important.")] = 0.0,
    as_of: Annotated[str | None, typer.Option(help="As it was known at this time.")] = None,
    limit: Annotated[int, typer.Option(help="At most this many.")] = 50,
    after: Annotated[str | None, typer.Option(help="Go on after this id.")] = None,
) -> None:
    """List memories, newest first."""
    session: Session = context.obj
    wanted = Filter(
        kinds=tuple(kind or ()),
        statuses=tuple(status or ()),
        keys=tuple(key or ()),
        categories=tuple(category or ()),
        tags=tuple(tag or ()),
        words=words,
        min_importance=importance,
    )
    with session.memory() as memory:
        page = memory.list(wanted, limit=limit, after=after, as_of=time(as_of))
        if session.json:
            session.show(page, "")
            return
        _table(session, page.items)
        if page.next:
            print(f"more: --after {page.next}", file=sys.stderr)


def update(
    context: typer.Context,
    id: Annotated[str, typer.Argument(help="The memory to change.")],
    text: Annotated[str | None, typer.Option(help="Its new text.")] = None,
    value: Annotated[str | None, typer.Option(help="Its new value.")] = None,
    importance: Annotated[float | None, typer.Option(help="0 to 1.")] = None,
    confidence: Annotated[float | None, typer.Option(help="0 to 1.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="Its new tags; may be repeated.")] = None,
    pin: Annotated[bool | None, typer.Option("--pin/--unpin", help="Never prune it, or do.")] = None,
    until: Annotated[str | None, typer.Option(help="When it stopped being true.")] = None,
) -> None:
    """Make a new version of a memory; the old one stays in its history."""
    session: Session = context.obj
    changes: dict[str, Any] = {
        "text": text,
        "value": value,
        "importance": importance,
        "confidence": confidence,
        "tags": tag,
        "pinned": pin,
        "valid_to": time(until),
    }
    with session.writing() as memory:
        record = memory.update(id, **{k: v for k, v in changes.items() if v is not None})
        session.show(record, f"updated {record.id} to version {record.version}")


def history(
    context: typer.Context,
    what: Annotated[str, typer.Argument(help="A key such as 'name', or the id of a memory.")],
    subject: Annotated[str | None, typer.Option(help="Whose key, if not the user's.")] = None,
) -> None:
    """Show every version of a key or of a memory, oldest first."""
    session: Session = context.obj
    with session.memory() as memory:
        by_id = len(what) == 36 and what.count("-") == 4
        found = memory.history(what) if by_id else memory.history(key=what, subject=subject)
        rows = (
            (
                r.id,
                r.version,
                r.status,
                r.value or r.text,
                r.valid_from,
                r.valid_to,
                r.recorded_at,
                r.retired_at,
            )
            for r in found
        )
        columns = ("id", "version", "status", "value", "valid from", "valid to", "recorded", "retired")
        session.show_table(found, columns, rows)


def forget(context: typer.Context, ids: Annotated[list[str], typer.Argument(help="Memories.")]) -> None:
    """Set memories aside; `restore` brings them back."""
    session: Session = context.obj
    with session.memory() as memory:
        receipt = memory.forget(*ids)
        session.show(receipt, "\n".join(f"{e.action} {e.id}" for e in receipt.entries))


def restore(context: typer.Context, ids: Annotated[list[str], typer.Argument(help="Memories.")]) -> None:
    """Bring forgotten or archived memories back."""
    session: Session = context.obj
    with session.memory() as memory:
        receipt = memory.restore(*ids)
        session.show(receipt, "\n".join(f"{e.action} {e.id}" for e in receipt.entries))


def erase(
    context: typer.Context,
    message: Annotated[str | None, typer.Option(help="A message, by id.")] = None,
    conversation: Annotated[str | None, typer.Option(help="A conversation, by id.")] = None,
    memory: Annotated[str | None, typer.Option(help="A memory, by id.")] = None,
    space: Annotated[str | None, typer.Option(help="A space and all within, by path.")] = None,
    user: Annotated[str | None, typer.Option(help="A user: every space of theirs.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Remove for good: text, versions, vectors, words, and what was derived from it alone."""
    session: Session = context.obj
    if not yes:
        if not sys.stdin.isatty():
            raise InvalidInput("erasing cannot be undone: say --yes")
        typer.confirm("This cannot be undone. Erase?", abort=True)
    with session.memory() as opened:
        receipt = opened.erase(
            message=message, conversation=conversation, memory=memory, space=space, user=user
        )
        counts = ", ".join(f"{n} {table.replace('_', ' ')}" for table, n in receipt.removed.items())
        kept = f"; {len(receipt.rebuild)} memories to rebuild" if receipt.rebuild else ""
        session.show(receipt, f"erased {receipt.target}: {counts}{kept}")


def _messages(path: Path) -> Iterator[NewMessage]:
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} cannot be read as UTF-8 text: {error}") from None
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield decoded(NewMessage, json.loads(line))
            except (json.JSONDecodeError, InvalidInput) as error:
                raise InvalidInput(f"{path} line {number}: {error}") from None


def _told(value: Any) -> dict[str, Any]:
    """The fields of a value by name, without the empty ones."""
    return {name.replace("_", " "): getattr(value, name) for name in value.__dataclass_fields__}


def _table(session: Session, records: Any) -> None:
    def row(r: Record) -> tuple[Any, ...]:
        return (r.id, r.kind, r.status, r.key, r.text, r.valid_from)

    session.show_table(records, COLUMNS, map(row, records))

"""Commands on messages and memories: add, remember, get, list, update, history, forget, erase."""

import json
import sys
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from recollect.errors import InvalidInput, NotFound
from recollect.ingest import gate
from recollect.model.conversation import NewMessage, Role
from recollect.model.filter import Filter
from recollect.model.receipt import Receipt
from recollect.model.record import Kind, Record, Status
from recollect.model.wire import decoded
from recollect.surfaces.cli.command import Command, argument, flag, page, repeated
from recollect.surfaces.cli.output import Session, time


def add(session: Session, given: Namespace) -> None:
    """Add a message, or a file of messages."""
    if (given.text is None) == (given.file is None):
        raise InvalidInput("add what? Pass a text, or --file FILE")
    with session.writing() as memory:
        if given.file is not None:
            receipt = memory.add_many(list(_messages(given.file)), conversation=given.conversation)
        else:
            receipt = memory.add(
                sys.stdin.read() if given.text == "-" else given.text,
                role=given.role,
                speaker=given.speaker,
                said_at=time(given.at),
                conversation=given.conversation,
            )
        counts = ", ".join(f"{n} {action}" for action, n in receipt.counts.items())
        session.show(receipt, f"{counts} in conversation {receipt.conversation}")


def remember(session: Session, given: Namespace) -> None:
    """Store a memory by hand."""
    fields: dict[str, Any] = {
        "kind": given.kind,
        "key": given.key,
        "value": given.value,
        "category": given.category,
        "subject": given.subject,
        "importance": given.importance,
        "tags": given.tag,
        "pinned": given.pin,
        "valid_from": time(given.since),
    }
    with session.writing() as memory:
        _show(session, memory.remember(given.text, **_set(fields)))


def get(session: Session, given: Namespace) -> None:
    """Show one memory, or one message."""
    with session.memory() as memory:
        found: Any
        try:
            found = memory.get(given.id, as_of=time(given.as_of))
        except NotFound:
            try:
                found = memory.conversations.message(given.id)
            except NotFound:
                raise NotFound(f"no memory or message {given.id} in this view") from None
        session.show_fields(found)


def list_(session: Session, given: Namespace) -> None:
    """List memories, newest first."""
    wanted = Filter(
        kinds=gate.choices(given.kind, Kind, "kind"),
        statuses=gate.choices(given.status, Status, "status"),
        keys=tuple(given.key),
        categories=tuple(given.category),
        tags=tuple(given.tag),
        words=given.words,
        min_importance=given.importance,
    )
    with session.memory() as memory:
        found = memory.list(wanted, limit=given.limit, after=given.after, as_of=time(given.as_of))
        rows = ((r.id, r.kind, _status(r), r.key, r.text, r.valid_from) for r in found.items)
        session.show_page(found, ("id", "kind", "status", "key", "text", "valid from"), rows)


def _status(r: Record) -> str:
    return f"{r.status}, doubtful" if r.doubtful else str(r.status)


def update(session: Session, given: Namespace) -> None:
    """Make a new version of a memory."""
    changes: dict[str, Any] = {
        "text": given.text,
        "value": given.value,
        "importance": given.importance,
        "confidence": given.confidence,
        "tags": given.tag or None,
        "pinned": given.pin,
        "doubtful": given.doubtful,
        "valid_to": time(given.until),
    }
    with session.writing() as memory:
        record = memory.update(given.id, **_set(changes))
        session.show(record, f"updated {record.id} to version {record.version}")


def history(session: Session, given: Namespace) -> None:
    """Show every version of a key or of a memory, oldest first."""
    with session.memory() as memory:
        by_id = len(given.what) == 36 and given.what.count("-") == 4
        found = memory.history(given.what) if by_id else memory.history(key=given.what, subject=given.subject)
        rows = (
            (r.id, r.version, r.status, r.value or r.text, r.valid_from, r.valid_to, r.recorded_at)
            for r in found
        )
        columns = ("id", "version", "status", "value", "valid from", "valid to", "recorded")
        session.show_table(found, columns, rows)


def forget(session: Session, given: Namespace) -> None:
    """Set memories aside."""
    with session.memory() as memory:
        _show(session, memory.forget(*given.ids))


def restore(session: Session, given: Namespace) -> None:
    """Bring forgotten or archived memories back."""
    with session.memory() as memory:
        _show(session, memory.restore(*given.ids))


def erase(session: Session, given: Namespace) -> None:
    """Remove for good, after asking."""
    if not given.yes:
        if not sys.stdin.isatty():
            raise InvalidInput("erasing cannot be undone: say --yes")
        if input("This cannot be undone. Erase? [y/N] ").strip().lower() not in ("y", "yes"):
            raise InvalidInput("nothing was erased")
    with session.memory() as memory:
        receipt = memory.erase(
            message=given.message,
            conversation=given.conversation,
            memory=given.memory,
            space=given.space,
            user=given.user,
        )
        counts = ", ".join(f"{n} {table.replace('_', ' ')}" for table, n in receipt.removed.items())
        kept = f"; {len(receipt.rebuild)} memories to rebuild" if receipt.rebuild else ""
        session.show(receipt, f"erased {receipt.target}: {counts}{kept}")


def _set(fields: dict[str, Any]) -> Any:
    """Only what was given on the line."""
    return {name: held for name, held in fields.items() if held is not None}


def _show(session: Session, receipt: Receipt) -> None:
    lines = (f"{e.action} {e.id}" + (f" ({e.reason})" if e.reason else "") for e in receipt.entries)
    session.show(receipt, "\n".join(lines))


def _messages(path: str) -> Iterator[NewMessage]:
    try:
        lines = Path(path).read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} cannot be read as UTF-8 text: {error}") from None
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield decoded(NewMessage, json.loads(line))
            except (json.JSONDecodeError, InvalidInput) as error:
                raise InvalidInput(f"{path} line {number}: {error}") from None


_KINDS, _STATUSES = [str(kind) for kind in Kind], [str(status) for status in Status]
_AS_OF = argument("--as-of", help="as it was known at this time")
_IDS = argument("ids", nargs="+", metavar="ID", help="memories")

COMMANDS = (
    Command("add", add, "Add a message, or a file of messages, to a conversation.", (
        argument("text", nargs="?", help="what was said; - reads it from standard input"),
        argument("--role", choices=[str(role) for role in Role], default="user", help="who it speaks for"),
        argument("--speaker", help="the speaker's name"),
        argument("--conversation", help="its conversation; else the open one"),
        argument("--at", help="when it was said; else now"),
        argument("--file", help="JSON Lines of {text, role, speaker, said_at, …}: all, or none"),
    )),
    Command("remember", remember, "Store a memory by hand; --key and --value replace the old value.", (
        argument("text", help="the memory, as a sentence that stands alone"),
        argument("--kind", choices=_KINDS, help="what sort of memory"),
        argument("--key", help="for a keyed fact: what it answers, such as 'name'"),
        argument("--value", help="for a keyed fact: the answer"),
        argument("--category", help="identity, preference, constraint, …"),
        argument("--subject", help="whom it is about, if not the user"),
        argument("--importance", type=float, help="0 to 1"),
        repeated("--tag", "a tag"),
        flag("--pin", "never prune it"),
        argument("--since", help="when it became true; else now"),
    )),
    Command("get", get, "Show one memory, or one message.", (
        argument("id", help="the id of a memory or a message"),
        _AS_OF,
    )),
    Command("list", list_, "List memories, newest first.", (
        repeated("--kind", "only this kind", choices=_KINDS),
        repeated("--status", "only this status; else what is believed", choices=_STATUSES),
        repeated("--key", "only this key"),
        repeated("--category", "only this category"),
        repeated("--tag", "only with this tag"),
        argument("--words", help="only with any of these words"),
        argument("--importance", type=float, default=0.0, help="at least this important"),
        _AS_OF,
        *page(),
    )),
    Command("update", update, "Make a new version of a memory; the old one stays in its history.", (
        argument("id", help="the memory to change"),
        argument("--text", help="its new text"),
        argument("--value", help="its new value"),
        argument("--importance", type=float, help="0 to 1"),
        argument("--confidence", type=float, help="0 to 1"),
        repeated("--tag", "its new tags"),
        argument("--pin", action="store_true", default=None, help="never prune it"),
        argument("--unpin", dest="pin", action="store_false", help="let it be pruned"),
        argument("--sure", dest="doubtful", action="store_false", default=None, help="it still holds"),
        argument("--doubtful", action="store_true", default=None, help="it may no longer hold"),
        argument("--until", help="when it stopped being true"),
    )),
    Command("history", history, "Show every version of a key or of a memory, oldest first.", (
        argument("what", help="a key such as 'name', or the id of a memory"),
        argument("--subject", help="whose key, if not the user's"),
    )),
    Command("forget", forget, "Set memories aside; `restore` brings them back.", (_IDS,)),
    Command("restore", restore, "Bring forgotten or archived memories back.", (_IDS,)),
    Command("erase", erase, "Remove for good: text, versions, vectors, and what came from it alone.", (
        argument("--message", help="a message, by id"),
        argument("--conversation", help="a conversation, by id"),
        argument("--memory", help="a memory, by id"),
        argument("--space", help="a space and all within, by path"),
        argument("--user", help="a user: every space of theirs"),
        flag("--yes", "do not ask"),
    )),
)  # fmt: skip

"""Commands on who may come in through a server, and on what they did there."""

from argparse import Namespace
from datetime import datetime, timedelta
from typing import Any

from recollect.errors import InvalidInput
from recollect.ingest import gate
from recollect.memory import Memory, scope_of
from recollect.model.access import ApiKey
from recollect.model.filter import Page
from recollect.model.ids import checked_id
from recollect.model.wire import encoded
from recollect.store import audit as audit_table
from recollect.surfaces.access import EVERYWHERE, Right
from recollect.surfaces.cli.command import Command, argument, page, repeated
from recollect.surfaces.cli.output import Session, time
from recollect.surfaces.keys import Keys

_UNITS = {"d": "days", "h": "hours", "m": "minutes"}


def create(session: Session, given: Namespace) -> None:
    """Make a key and show it, this once."""
    with session.memory() as memory:
        secret, key = Keys(scope_of(memory)).create(
            given.name,
            spaces=given.space or [EVERYWHERE],
            rights=given.right or [Right.READ, Right.WRITE],
            expires_at=_expiry(memory, given.expires),
        )
        held: dict[str, Any] = {"key": secret, **encoded(key)}
        opens = f"{', '.join(key.rights)} in {', '.join(key.spaces)} of tenant {key.tenant}"
        session.show(held, f"{secret}\n\nShown once: only its hash is kept. It opens: {opens}.")


def list_(session: Session, _: Namespace) -> None:
    """List the keys of the tenant."""
    with session.memory() as memory:
        found = Keys(scope_of(memory)).list()
        rows = ((k.id, k.prefix + "…", k.name, k.rights, k.spaces, _state(k), k.last_used_at) for k in found)
        session.show_table(found, ("id", "key", "name", "rights", "spaces", "state", "last used"), rows)


def revoke(session: Session, given: Namespace) -> None:
    """Close a key for good."""
    with session.memory() as memory:
        key = Keys(scope_of(memory)).revoke(given.key)
        session.show(key, f"revoked {key.prefix}… ({key.name})")


def audit(session: Session, given: Namespace) -> None:
    """List what was done through a server."""
    gate.count(given.limit, "limit", 1, 10_000)
    before = None if given.after is None else checked_id(given.after, "after")
    with session.memory() as memory:
        found = scope_of(memory).read(lambda tx: audit_table.page(tx, before, given.limit))
        shown = Page(found, found[-1].id if len(found) == given.limit else None)
        rows = ((e.at, e.who, e.operation, e.space, e.ids) for e in found)
        session.show_page(shown, ("at", "who", "operation", "space", "ids"), rows)


def _expiry(memory: Memory, text: str | None) -> datetime | None:
    """A moment, or a span from now such as `30d`."""
    if text is None:
        return None
    if text[-1:] in _UNITS and text[:-1].isdigit():
        return scope_of(memory).now() + timedelta(**{_UNITS[text[-1]]: int(text[:-1])})
    try:
        return time(text, "the expiry")
    except InvalidInput:
        raise InvalidInput(f"the expiry {text!r} is neither a time nor a span such as 30d, 12h, 5m") from None


def _state(key: ApiKey) -> str:
    if key.revoked_at is not None:
        return f"revoked {key.revoked_at:%Y-%m-%d}"
    return "open" if key.expires_at is None else f"until {key.expires_at:%Y-%m-%d %H:%M}"


COMMANDS = (
    Command("keys", None, "Make, list and revoke the keys that a server asks for.", parts=(
        Command("create", create, "Make a key and show it, this once: only its hash is kept.", (
            argument("name", help="whose key it is, for lists and the audit log"),
            repeated("--space", "a space it opens: a path, 'path/*' for what is nested, '*' for all (*)"),
            repeated("--right", "what it may do (read and write)", choices=[str(right) for right in Right]),
            argument("--expires", help="a time, or a span such as 30d, 12h, 5m; else never"),
        )),
        Command("list", list_, "List the keys of the tenant, newest first."),
        Command("revoke", revoke, "Close a key for good.", (
            argument("key", help="its id, or its beginning as `recollect keys list` shows it"),
        )),
    )),
    Command("audit", audit, "List writes, erasures and uses of keys, newest first; no text.", page(100)),
)  # fmt: skip

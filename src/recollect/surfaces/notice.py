"""Notice: a server tells the processes of its own user where it is, in a file that only they can read.

It lies beside the SQLite file and holds a key that is good for as long as the server runs. Whoever can read
it can read the database too, so it opens nothing that was closed.
"""

import json
import os
import secrets
import socket
from dataclasses import asdict, dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from recollect import settings

PATIENCE = 0.1
"""Seconds to find out whether a server is there."""


@dataclass(frozen=True, slots=True)
class Notice:
    """Where a server answers, for which tenant, and the key that it takes."""

    url: str
    tenant: str
    key: str = field(default_factory=lambda: f"rcl_run_{secrets.token_urlsafe(32)}", repr=False)
    pid: int = field(default_factory=os.getpid)


def path_of(database: str) -> Path | None:
    """Where the notice of a database lies; only a file has one."""
    if "://" in database:
        return None
    place = Path(database).expanduser() if database else settings.default_path()
    return place.with_name(f"{place.name}-server.json")


def put(path: Path, notice: Notice) -> None:
    """Leave a notice, whole, for the eyes of this user only."""
    made = path.with_name(f"{path.name}.{notice.pid}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    with os.fdopen(os.open(made, flags, 0o600), "w", encoding="utf-8") as file:
        json.dump(asdict(notice), file)
    made.replace(path)


def take_away(path: Path, notice: Notice) -> None:
    """Remove a notice, unless another server has left its own since."""
    if read(path) == notice:
        path.unlink(missing_ok=True)


def read(path: Path) -> Notice | None:
    """The notice that lies there, if it is one."""
    try:
        return Notice(**json.loads(path.read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def found(database: str, tenant: str) -> Notice | None:
    """The notice of a server that runs on a database for a tenant and can be reached, if there is one."""
    path = path_of(database)
    notice = None if path is None else read(path)
    if notice is None or notice.tenant != tenant or not _runs(notice.pid):
        return None
    where = urlsplit(notice.url)
    try:
        with socket.create_connection((where.hostname or "", where.port or 0), timeout=PATIENCE):
            return notice
    except OSError:
        return None


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True

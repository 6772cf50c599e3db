"""Who may do what: one table of operations that REST, MCP and every other surface ask.

An operation is a verb of `Memory` by its name (`recall`, `conversations.start`); one that is not in the
table is refused. A `Grant` is what a key opens: one tenant, some of its spaces, some rights.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from recollect.errors import Forbidden, InvalidInput
from recollect.model.space import checked_space

EVERYWHERE = "*"


class Right(StrEnum):
    """What a key may do. `admin` includes the others; `write` alone cannot read."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


OPERATIONS: dict[str, Right] = {
    "add": Right.WRITE,
    "add_many": Right.WRITE,
    "remember": Right.WRITE,
    "get": Right.READ,
    "list": Right.READ,
    "recall": Right.READ,
    "context": Right.READ,
    "update": Right.WRITE,
    "history": Right.READ,
    "forget": Right.WRITE,
    "restore": Right.WRITE,
    "erase": Right.ADMIN,
    "stats": Right.READ,
    "doctor": Right.ADMIN,
    "spaces.create": Right.WRITE,
    "spaces.get": Right.READ,
    "spaces.list": Right.READ,
    "conversations.start": Right.WRITE,
    "conversations.pause": Right.WRITE,
    "conversations.resume": Right.WRITE,
    "conversations.end": Right.WRITE,
    "conversations.get": Right.READ,
    "conversations.list": Right.READ,
    "conversations.messages": Right.READ,
    "conversations.message": Right.READ,
    "conversations.said": Right.READ,
    "conversations.recent": Right.READ,
    "conversations.narrative": Right.READ,
    "links.add": Right.WRITE,
    "links.remove": Right.WRITE,
    "links.walk": Right.READ,
    "review.pending": Right.READ,
    "review.quarantined": Right.READ,
    "review.promote": Right.ADMIN,
    "review.explain": Right.READ,
    "contexts.expand": Right.READ,
    "contexts.feedback": Right.WRITE,
    "contexts.detect": Right.WRITE,
    "jobs.list": Right.ADMIN,
    "jobs.retry": Right.ADMIN,
    "jobs.run": Right.ADMIN,
    "jobs.schedule": Right.ADMIN,
    "jobs.unschedule": Right.ADMIN,
    "jobs.schedules": Right.ADMIN,
    "contradictions.list": Right.READ,
    "contradictions.get": Right.READ,
    "contradictions.resolve": Right.WRITE,
    "contradictions.reopen": Right.WRITE,
    "upkeep": Right.WRITE,
    "upkeep.runs": Right.READ,
    "upkeep.undo": Right.WRITE,
    "upkeep.merge": Right.ADMIN,
    "apps.list": Right.READ,
    "apps.register": Right.WRITE,
    "apps.get": Right.READ,
    "apps.of_conversation": Right.READ,
    "apps.uninstall": Right.WRITE,
    "apps.memories": Right.READ,
    "apps.search": Right.READ,
    "apps.purge": Right.ADMIN,
    "apps.delete": Right.ADMIN,
    "apps.restore": Right.WRITE,
    "apps.export": Right.READ,
    "apps.stats": Right.READ,
    "apps.context": Right.READ,
    "apps.stats_of_all": Right.READ,
    "apps.energy": Right.ADMIN,
    "graph.read": Right.READ,
    "graph.add": Right.WRITE,
    "graph.observe": Right.WRITE,
    "graph.forget": Right.WRITE,
    "graph.forget_observations": Right.WRITE,
    "graph.forget_relations": Right.WRITE,
    "files.get_context": Right.ADMIN,
    "files.update_project_memory": Right.ADMIN,
    "transfers.export": Right.ADMIN,
    "transfers.load": Right.ADMIN,
    "metrics": Right.ADMIN,
}
"""The right that each operation needs. What a person must decide (`review.promote`) and what cannot be
undone (`erase`) needs `admin`, so that no text an assistant reads can talk it into either."""

TENANT_WIDE = frozenset(
    {
        "doctor",
        "jobs.list",
        "jobs.retry",
        "jobs.run",
        "jobs.schedule",
        "jobs.unschedule",
        "jobs.schedules",
        "transfers.load",
        "metrics",
        "apps.stats_of_all",
        "apps.energy",
    }
)
"""Operations that look beyond a view: they need a grant for every space of the tenant."""


ON_DISK = frozenset({"files.get_context", "files.update_project_memory"})
"""Operations on files of the machine: through a server, only for the tenant that it was started with."""

DISK_JOBS = frozenset({"reflect"})
"""Kinds of job that read and write files of the machine: nobody schedules them through a server."""


@dataclass(frozen=True, slots=True)
class Grant:
    """What a caller may do: in which tenant, in which spaces, with which rights; `name` is for the log.

    A space is an exact path, `prefix/*` for everything nested in a path, or `*` for all of them.
    """

    tenant: str
    spaces: tuple[str, ...]
    rights: frozenset[Right]
    name: str

    def covers(self, space: str) -> bool:
        """Whether a space is within this grant."""
        return any(_matches(pattern, space) for pattern in self.spaces)

    def has(self, right: Right) -> bool:
        """Whether this grant includes a right."""
        return right in self.rights or Right.ADMIN in self.rights

    @property
    def home(self) -> tuple[str, ...]:
        """The view of a caller that names none: the spaces that are granted by their exact path."""
        return tuple(p for p in self.spaces if not p.endswith(EVERYWHERE))


def check(grant: Grant, operation: str, spaces: Iterable[str] = (), *, host: str | None = None) -> None:
    """Refuse an operation, or a view with spaces, that the grant does not include.

    `host` is the tenant whose machine it is: the files there are no other tenant's.
    """
    right = OPERATIONS.get(operation)
    if right is None or not grant.has(right):
        raise Forbidden(f"{operation} needs a key with the right {right or 'to do it'}, not {grant.name!r}")
    if operation in TENANT_WIDE and EVERYWHERE not in grant.spaces:
        raise Forbidden(f"{operation} concerns the whole tenant: it needs a key for all spaces ('*')")
    if operation in ON_DISK and grant.tenant != host:
        raise Forbidden(f"{operation} works on files of the server, which belong to its own tenant")
    for space in spaces:
        if not grant.covers(space):
            raise Forbidden(f"the key {grant.name!r} does not open {space}")


def checked_patterns(patterns: Iterable[str]) -> tuple[str, ...]:
    """Space patterns of a new key, or InvalidInput."""
    found = tuple(dict.fromkeys(patterns))
    if not found:
        raise InvalidInput("a key needs at least one space, such as 'user:alex', 'project:phoenix/*' or '*'")
    for pattern in found:
        path = pattern.removesuffix("/*")
        if pattern != EVERYWHERE and (EVERYWHERE in path or not checked_space(path)):
            raise InvalidInput(f"{pattern!r} is not a pattern: write a whole path, 'path/*' or '*'")
    return found


def _matches(pattern: str, space: str) -> bool:
    if pattern == EVERYWHERE:
        return True
    if pattern.endswith("/*"):
        return space.startswith(pattern[:-1])
    return space == pattern

"""Erase: what a person asks to be gone is gone, with a receipt of what went."""

from dataclasses import dataclass

from recollect.errors import InvalidInput, NotFound
from recollect.ingest import conversations, remember
from recollect.model.ids import checked_id
from recollect.model.receipt import Erasure
from recollect.model.record import SAME_AS
from recollect.model.relation import LinkType
from recollect.model.space import checked_space
from recollect.store import answers, links, memories, spaces, texts
from recollect.store import conversations as table
from recollect.store.database import Tx
from recollect.store.erase import Eraser
from recollect.store.scope import Scope
from recollect.store.sqlite import SqliteDatabase


@dataclass(frozen=True, slots=True)
class Target:
    """What to erase: one message, conversation, memory, space or user by id, path or name.

    A memory may take others along; `memories` are all those of a space.
    """

    what: str
    name: str
    others: tuple[str, ...] = ()


def target(**given: str | None) -> Target:
    """The one thing that was named, or InvalidInput."""
    named = [(what, name) for what, name in given.items() if name is not None]
    if len(named) != 1:
        raise InvalidInput(f"say what to erase, one thing at a time: {', '.join(given)}")
    what, name = named[0]
    if what == "user":
        checked_space(f"user:{name}")
    elif what == "space":
        checked_space(name)
    else:
        name = checked_id(name, f"the {what} id")
    return Target(what, name)


def erase(scope: Scope, aim: Target) -> Erasure:
    """Erase for good; on SQLite the bytes are gone from the file when this returns."""

    def work(tx: Tx) -> Erasure:
        eraser = Eraser(tx)
        _aim(eraser, tx, scope, aim)
        eraser.contexts()
        answers.empty(tx)
        texts.compact(tx)
        for id in eraser.unfinished:
            conversations.follow_up(tx, id, scope.now())
        counts = {table: n for table, n in sorted(eraser.removed.items()) if n}
        return Erasure(target=f"{aim.what} {aim.name}", removed=counts, rebuild=tuple(eraser.rebuild))

    receipt = scope.write(work)
    if isinstance(scope.database, SqliteDatabase):
        scope.database.scrub()
    return receipt


def _aim(eraser: Eraser, tx: Tx, scope: Scope, aim: Target) -> None:
    match aim.what:
        case "message":
            if not table.messages_by_id(tx, [aim.name], scope.view.spaces):
                raise NotFound(f"no message {aim.name} in {', '.join(scope.view.spaces)}")
            eraser.messages([aim.name])
        case "conversation":
            conversations.existing(tx, scope, aim.name)
            eraser.conversations([aim.name])
        case "memory":
            remember.existing(tx, scope, aim.name)
            eraser.memories([*_all_that_say_it(tx, scope, aim.name), *aim.others])
        case "memories":
            eraser.memories_in([aim.name])
        case _:
            eraser.spaces(_paths(tx, aim))


def _all_that_say_it(tx: Tx, scope: Scope, id: str) -> list[str]:
    """A memory with those that upkeep joined to it: whoever erases what it says means them too."""
    found = [id]
    for one in found:
        joined = links.touching(tx, [one], (LinkType.SUPERSEDES,), scope.view.spaces)
        ends = memories.by_id(tx, [link.target for link in joined], scope.view.spaces).values()
        found += [r.id for r in ends if r.metadata.get(SAME_AS) == one and r.id not in found]
    return found


def _paths(tx: Tx, aim: Target) -> list[str]:
    """The spaces meant: one with those nested in it, or all that belong to a user."""
    every = [space.path for space in spaces.every(tx)]
    if aim.what == "user":
        owner = f"user:{aim.name}"
        found = [path for path in every if owner in path.split("/")]
    else:
        found = [path for path in every if path == aim.name or path.startswith(aim.name + "/")]
    if not found:
        raise NotFound(f"no {aim.what} {aim.name}: see `recollect space list`")
    return found

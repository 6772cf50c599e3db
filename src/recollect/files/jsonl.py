"""Export and import of everything as JSON Lines: one header, then one thing a line, in a fixed order.

Vectors and words are left out: they are made again from the texts. An import is one transaction: a
file that is wrong anywhere changes nothing, and a file imported twice is stored once.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any, TextIO

from recollect.errors import Conflict, InvalidInput
from recollect.files.rows import everything
from recollect.ingest import gate
from recollect.ingest.conversations import follow_up
from recollect.ingest.remember import written
from recollect.model.conversation import Chunk, Conversation, Message
from recollect.model.decision import Decision
from recollect.model.ids import checked_id
from recollect.model.record import Record
from recollect.model.relation import Contradiction, Link
from recollect.model.space import Space, checked_space
from recollect.model.wire import decoded, encoded
from recollect.store import chunks, contradictions, conversations, decisions, links, memories, spaces, usage
from recollect.store.database import Tx
from recollect.store.scope import Scope

FORMAT = 1
TYPES: dict[str, type] = {
    "space": Space,
    "conversation": Conversation,
    "message": Message,
    "chunk": Chunk,
    "memory": Record,
    "version": Record,
    "link": Link,
    "contradiction": Contradiction,
    "decision": Decision,
}
BATCH = 1_000


@dataclass(slots=True)
class Transfer:
    """What an export or import moved, by type, what was already there, and what could not be read.

    `conversations` are those that chats of another program are kept in here.
    """

    moved: dict[str, int] = field(default_factory=dict)
    known: int = 0
    unread: list[str] = field(default_factory=list)
    conversations: list[str] = field(default_factory=list)


def export_file(scope: Scope, path: Path, only: Sequence[str] | None) -> Transfer:
    """Export to a file that is complete or not there: it is written beside and renamed."""
    partial = path.with_name(path.name + ".partial")
    try:
        with partial.open("w", encoding="utf-8") as out:
            transfer = export(scope, out, only)
            out.flush()
            os.fsync(out.fileno())
        partial.replace(path)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}") from error
    finally:
        partial.unlink(missing_ok=True)
    return transfer


def import_file(scope: Scope, path: Path, progress: Callable[[int], None]) -> Transfer:
    """Import from a file."""
    try:
        with path.open(encoding="utf-8") as lines:
            return import_(scope, lines, progress)
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not UTF-8 (byte {error.start}): nothing was imported") from None
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}") from error


def export(scope: Scope, out: TextIO, only: Sequence[str] | None = None) -> Transfer:
    """Write everything of the tenant, or of some spaces, from one consistent snapshot."""
    transfer = Transfer()

    def work(tx: Tx) -> None:
        header = {"recollect": FORMAT, "exported_at": encoded(scope.now())}
        out.write(json.dumps(header) + "\n")
        chosen = [s for s in spaces.every(tx) if only is None or s.path in only]
        for type_name, value in everything(tx, chosen):
            out.write(json.dumps({type_name: encoded(value)}, ensure_ascii=False) + "\n")
            transfer.moved[type_name] = transfer.moved.get(type_name, 0) + 1

    scope.read(work)
    return transfer


def import_(scope: Scope, lines: Iterable[str], progress: Callable[[int], None]) -> Transfer:
    """Read what `export` wrote; ids stay, and what is already there is left alone."""
    transfer = Transfer()
    parsed = _parsed(lines)

    def work(tx: Tx) -> None:
        done = 0
        for name, group in groupby(parsed, key=lambda item: item[0]):
            for batch in _batched(value for _, value in group):
                _STORE[name](tx, batch, transfer)
                done += len(batch)
                progress(done)
        written(tx, scope.now())

    scope.write(work)
    return transfer


def _parsed(lines: Iterable[str]) -> Iterator[tuple[str, Any]]:
    """(type, value) of every line, each checked; an error names its line."""
    numbered = enumerate(lines, 1)
    _check_header(next(numbered, (1, ""))[1])
    for number, line in numbered:
        if not line.strip():
            continue
        try:
            held = json.loads(line)
            name, data = next(iter(held.items())) if isinstance(held, dict) and len(held) == 1 else ("", None)
            if name not in TYPES:
                raise InvalidInput(f"it must be an object with one key out of {', '.join(TYPES)}")
            yield name, _checked(decoded(TYPES[name], data))
        except (json.JSONDecodeError, RecursionError) as error:
            raise InvalidInput(f"line {number} is not JSON: {error}") from None
        except InvalidInput as error:
            raise InvalidInput(f"line {number}: {error}") from None


def _check_header(line: str) -> None:
    try:
        header = json.loads(line)
        version = header["recollect"]
    except (json.JSONDecodeError, KeyError, TypeError):
        raise InvalidInput(
            'this is not a recollect export: its first line is not {"recollect": 1, …}'
        ) from None
    if version != FORMAT:
        raise InvalidInput(f"this export has format {version}, known here is {FORMAT}: upgrade recollect")


def _checked(value: Any) -> Any:
    """The gate, for values that come from a file: storable texts, real ids and spaces."""
    for name in ("text", "summary", "title", "body", "reason"):
        held = getattr(value, name, None)
        if held is not None:
            gate.text(held, name)
    for name in ("id", "conversation", "source", "target", "memory_a", "memory_b", "message", "memory"):
        held = getattr(value, name, None)
        if held is not None:
            checked_id(held, name)
    for name in ("space", "path"):
        held = getattr(value, name, None)
        if held is not None:
            checked_space(held)
    gate.metadata(getattr(value, "metadata", None))
    return value


def _batched(values: Iterable[Any]) -> Iterator[list[Any]]:
    batch: list[Any] = []
    for value in values:
        batch.append(value)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _count(transfer: Transfer, name: str, given: Sequence[Any], stored: int) -> None:
    transfer.moved[name] = transfer.moved.get(name, 0) + stored
    transfer.known += len(given) - stored


def _spaces(tx: Tx, given: Sequence[Space], transfer: Transfer) -> None:
    _count(transfer, "space", given, sum(spaces.create(tx, space) for space in given))


def _conversations(tx: Tx, given: Sequence[Conversation], transfer: Transfer) -> None:
    new = [c for c in given if not conversations.exists(tx, c.id)]
    for conversation in new:
        conversations.insert(tx, conversation)
    _count(transfer, "conversation", given, len(new))


def _messages(tx: Tx, given: Sequence[Message], transfer: Transfer) -> None:
    known = conversations.known(tx, [m.id for m in given])
    new = [m for m in given if m.id not in known]
    for (conversation, space), group in groupby(new, key=lambda m: (m.conversation, m.space)):
        messages = list(group)
        home = conversations.get(tx, conversation, [space])
        if home is None:
            raise Conflict(f"messages of conversation {conversation} come before the conversation")
        last = conversations.last_turn(tx, conversation)
        if messages[0].turn <= last:
            raise Conflict(f"conversation {conversation} has other messages here than in the file")
        conversations.append(tx, home, messages)
        follow_up(tx, conversation, messages[-1].recorded_at)
    _count(transfer, "message", given, len(new))


def _chunks(tx: Tx, given: Sequence[Chunk], transfer: Transfer) -> None:
    known = chunks.by_id(tx, [c.id for c in given])
    new = [c for c in given if c.id not in known]
    chunks.insert(tx, new)
    _count(transfer, "chunk", given, len(new))


def _memories(tx: Tx, given: Sequence[Record], transfer: Transfer) -> None:
    known = memories.known(tx, [r.id for r in given])
    new = [r for r in given if r.id not in known]
    memories.insert(tx, new)
    usage.put(tx, new)
    _count(transfer, "memory", given, len(new))


def _versions(tx: Tx, given: Sequence[Record], transfer: Transfer) -> None:
    _count(transfer, "version", given, memories.insert_versions(tx, given))


def _links(tx: Tx, given: Sequence[Link], transfer: Transfer) -> None:
    links.put(tx, given)
    _count(transfer, "link", given, len(given))


def _contradictions(tx: Tx, given: Sequence[Contradiction], transfer: Transfer) -> None:
    _count(transfer, "contradiction", given, sum(contradictions.put(tx, c) for c in given))


def _decisions(tx: Tx, given: Sequence[Decision], transfer: Transfer) -> None:
    _count(transfer, "decision", given, decisions.put(tx, given))


_STORE: dict[str, Callable[[Tx, Sequence[Any], Transfer], None]] = {
    "space": _spaces,
    "conversation": _conversations,
    "message": _messages,
    "chunk": _chunks,
    "memory": _memories,
    "version": _versions,
    "link": _links,
    "contradiction": _contradictions,
    "decision": _decisions,
}

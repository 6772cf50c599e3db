"""Storing what the parsers read: ids come from the sources, so the same thing twice is stored once."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from recollect.errors import InvalidInput
from recollect.files.importers import chatgpt, claude, claude_code, codex, cursor, gemini, graph, mem0, plain
from recollect.files.importers.talk import Drawn, Noted, Read, Said, Talk, Unread
from recollect.files.jsonl import Transfer
from recollect.ingest import conversations as talk
from recollect.ingest import gate, remember
from recollect.ingest import graph as drawing
from recollect.jobs import queue
from recollect.model.conversation import Conversation, ConversationStatus, NewMessage, Trust
from recollect.model.ids import derived_id
from recollect.model.record import DEFAULT_IMPORTANCE, Kind, Record
from recollect.model.space import Space
from recollect.store import conversations, memories, spaces
from recollect.store.database import Tx
from recollect.store.scope import Scope

UNDATED = datetime(1970, 1, 1, tzinfo=UTC)
"""Where the ids of things without a time sort."""
Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Source:
    """A program whose files can be read: its parser, and which files of a folder are its own."""

    parse: Callable[[str, str], Iterator[Read]]
    files: tuple[str, ...]


SOURCES = {
    "claude-code": Source(claude_code.parse, ("*.jsonl",)),
    "codex": Source(codex.parse, ("rollout-*.jsonl",)),
    "gemini": Source(gemini.parse, ("session-*.json", "session-*.jsonl")),
    "cursor": Source(cursor.parse, ("*.jsonl",)),
    "chatgpt": Source(chatgpt.parse, ("conversations*.json",)),
    "claude": Source(claude.parse, ("conversations*.json",)),
    "mem0": Source(mem0.parse, ("*.json",)),
    "mcp-memory": Source(graph.parse, ("*.jsonl", "memory.json")),
    "jsonl": Source(plain.parse_jsonl, ("*.jsonl",)),
    "markdown": Source(plain.parse_markdown, ("*.md", "*.markdown")),
}


@dataclass(frozen=True, slots=True)
class Way:
    """How chats come: `live` ones were said to us just now and go on; `mine` are those of the user.

    Both are believed by who said what; everything else has the trust `imported`.
    """

    live: bool = False
    mine: bool = False

    @property
    def trust(self) -> Trust | None:
        """How far they are trusted; None: by who said what."""
        return None if self.live or self.mine else Trust.IMPORTED


def load(scope: Scope, path: Path, source: str, progress: Progress, way: Way) -> Transfer:
    """Read a file, or the files of a folder, into the view's home: a conversation at a time."""
    if source not in SOURCES:
        raise InvalidInput(f"no source {source[:60]!r}; known are: {', '.join(SOURCES)}")
    transfer = Transfer(moved={"conversation": 0, "message": 0, "memory": 0})
    for file in _files(path, SOURCES[source]):
        _load_file(scope, file, source, partial(_report, progress, transfer), transfer, way)
    if not any(transfer.moved.values()) and not transfer.known and not way.live:
        why = f": {transfer.unread[0]}" if transfer.unread else ""
        raise InvalidInput(f"{path} holds nothing that reads as {source}{why}")
    return transfer


def _report(progress: Progress, transfer: Transfer) -> None:
    progress(transfer.moved["message"] + transfer.moved["memory"] + transfer.known)


def _files(path: Path, source: Source) -> list[Path]:
    if not path.is_dir():
        return [path]
    found = sorted({file for pattern in source.files for file in path.rglob(pattern) if file.is_file()})
    if not found:
        raise InvalidInput(f"{path} has no {' or '.join(source.files)} in it")
    return found


def _load_file(
    scope: Scope, file: Path, source: str, told: Callable[[], None], transfer: Transfer, way: Way
) -> None:
    try:
        text = file.read_bytes().decode("utf-8-sig", "replace")
        changed = datetime.fromtimestamp(file.stat().st_mtime, UTC)
    except OSError as error:
        raise InvalidInput(f"{file} cannot be read: {error.strerror}") from error
    noted: list[Noted] = []
    for read in SOURCES[source].parse(text, file.stem):
        if isinstance(read, Unread):
            transfer.unread.append(f"{file}: {read.why}")
        elif isinstance(read, Noted):
            noted.append(read)
        elif isinstance(read, Drawn):
            _keep_drawn(scope, read, transfer)
            told()
        else:
            _keep_talk(scope, source, read, transfer, changed, way)
            told()
    if noted:
        _keep_noted(scope, source, noted, transfer, changed)
        told()


def _keep_talk(
    scope: Scope, source: str, read: Talk, transfer: Transfer, changed: datetime, way: Way
) -> None:
    """Add what is new of a conversation; one that is not live is over with its last message."""
    home = _id(scope, read.at or read.said[0].at, source, "conversation", read.key)
    transfer.conversations.append(home)
    by_id = {_id(scope, said.at, source, "message", said.key): said for said in read.said}
    known = scope.read(lambda tx: conversations.known(tx, list(by_id)))
    new = [_message(id, said, changed, way) for id, said in by_id.items() if id not in known]
    transfer.known += len(by_id) - len(new)
    if not new:
        return
    first = Conversation(
        id=home,
        space=scope.view.home,
        status=ConversationStatus.ACTIVE,
        started_at=read.at or read.said[0].at or changed,
        title=read.title[:200] if read.title else None,
        metadata={"source": source, "key": read.key[:200]},
    )
    transfer.moved["conversation"] += talk.adopt(scope, first)
    talk.add(scope, new, first.id)
    transfer.moved["message"] += len(new)
    if not way.live:
        talk.close(scope, first.id, max(m.said_at or changed for m in new))


def _message(id: str, said: Said, changed: datetime, way: Way) -> NewMessage:
    return NewMessage(
        id=id,
        text=said.text,
        role=said.role,
        speaker=said.speaker,
        said_at=said.at or changed,
        trust=way.trust,
    )


def _keep_noted(
    scope: Scope, source: str, noted: Iterable[Noted], transfer: Transfer, changed: datetime
) -> None:
    """Store memories of another program, those that are not there yet."""
    by_id = {_id(scope, one.at, source, "memory", one.key): one for one in noted}
    now = scope.now()

    def work(tx: Tx) -> int:
        known = memories.known(tx, list(by_id))
        new = [_record(scope, id, one, changed) for id, one in by_id.items() if id not in known]
        spaces.create(tx, Space(path=scope.view.home, created_at=now))
        memories.insert(tx, new)
        queue.enqueue(tx, "embed", now, key="embed")
        return len(new)

    stored = scope.write(work)
    transfer.moved["memory"] += stored
    transfer.known += len(by_id) - stored


def _keep_drawn(scope: Scope, read: Drawn, transfer: Transfer) -> None:
    """Store a graph: entities by their names, and what is new about those that are there."""
    new = drawing.add(scope, read.entities, read.relations, Trust.IMPORTED)
    made = {entity.name for entity in new.entities}
    more = [(e.name, e.observations) for e in read.entities if e.name not in made]
    added = sum(len(texts) for _, texts in drawing.observe(scope, more, Trust.IMPORTED))
    counts = [len(e.observations) + 1 for e in read.entities]
    stored = sum(len(e.observations) + 1 for e in new.entities) + len(new.relations) + added
    transfer.moved["memory"] += stored
    transfer.known += sum(counts) + len(read.relations) - stored


def _record(scope: Scope, id: str, one: Noted, changed: datetime) -> Record:
    return remember.levelled(
        Record(
            id=id,
            space=scope.view.home,
            kind=Kind.NOTE,
            text=gate.redacted(one.text)[0],
            trust=Trust.IMPORTED,
            recorded_at=scope.now(),
            valid_from=one.at or changed,
            importance=DEFAULT_IMPORTANCE[Kind.NOTE],
            tags=one.tags[:64],
            metadata=one.metadata,
        )
    )


def _id(scope: Scope, at: datetime | None, *parts: str) -> str:
    return derived_id(at or UNDATED, scope.tenant, scope.view.home, *parts)

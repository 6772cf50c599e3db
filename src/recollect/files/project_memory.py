"""The readable JSON folder (`.project-memory/`): four files a person can open, out and back in.

    long-term-memory.json     facts, decisions, preferences … with their relationships
    episodic-memory.json      episodes
    conversations.json        conversations with the messages that are in no chunk
    conversation-chunks.json  chunks with their messages

Ids that are not UUIDs become UUIDs, the same ones each time, so a folder read twice is stored once.
"""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from recollect.errors import InvalidInput
from recollect.files.jsonl import Transfer
from recollect.files.project_values import (
    Reader,
    chunk_out,
    conversation_out,
    episode_out,
    memory_out,
)
from recollect.files.rows import everything
from recollect.ingest.conversations import follow_up
from recollect.ingest.remember import written
from recollect.model.conversation import Chunk, Conversation, Message
from recollect.model.record import Kind, Record, Status
from recollect.model.relation import Link
from recollect.model.space import Space
from recollect.store import chunks, conversations, links, memories, spaces, usage
from recollect.store.database import Tx
from recollect.store.scope import Scope

LONG_TERM = "long-term-memory.json"
EPISODES = "episodic-memory.json"
CONVERSATIONS = "conversations.json"
CHUNKS = "conversation-chunks.json"
_SHOWN = (Status.ACTIVE, Status.SUPERSEDED, Status.ARCHIVED)


def export(scope: Scope, folder: Path) -> Transfer:
    """Write the spaces of the view from one consistent snapshot, each file complete or not there."""
    files, counts = scope.read(lambda tx: _files(tx, scope))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, items in files.items():
            beside = folder / (name + ".partial")
            beside.write_text(json.dumps(items, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
            beside.replace(folder / name)
    except OSError as error:
        raise InvalidInput(f"{folder} cannot be written: {error.strerror}") from error
    return Transfer(moved=counts)


def load(scope: Scope, folder: Path) -> Transfer:
    """Read a folder into the view's home space: all of it, or nothing."""
    files = {name: _array(folder / name) for name in (LONG_TERM, EPISODES, CONVERSATIONS, CHUNKS)}
    if not any(files.values()):
        raise InvalidInput(f"{folder} holds none of {LONG_TERM}, {EPISODES}, {CONVERSATIONS}, {CHUNKS}")
    read = Reader(space=scope.view.home, now=scope.now())
    talks = [read.conversation(item) for item in files[CONVERSATIONS]]
    pieces = [read.chunk(item) for item in files[CHUNKS]]
    said: dict[str, list[Message]] = defaultdict(list)
    for item in sorted(files[CHUNKS], key=lambda item: item.get("chunkNumber", 0)):
        for message in item.get("messages") or []:
            home = read.id(item, "conversationId")
            said[home].append(read.message(message, home, len(said[home]) + 1))
    for item in files[CONVERSATIONS]:
        home = read.id(item, "id")
        for message in item.get("recentMessages") or []:
            said[home].append(read.message(message, home, len(said[home]) + 1))
    records = [read.memory(item) for item in files[LONG_TERM]]
    records += [read.episode(item) for item in files[EPISODES]]
    edges = [edge for item in files[LONG_TERM] + files[EPISODES] for edge in read.links(item)]
    transfer = Transfer()
    scope.write(lambda tx: _store(tx, scope, (talks, said, pieces, records, edges), transfer))
    return transfer


def _files(tx: Tx, scope: Scope) -> tuple[dict[str, list[Any]], dict[str, int]]:
    chosen = [s for s in spaces.every(tx) if s.path in scope.view.spaces]
    found: dict[str, list[Any]] = defaultdict(list)
    for name, value in everything(tx, chosen):
        found[name].append(value)
    edges: dict[str, list[Link]] = defaultdict(list)
    for link in found["link"]:
        edges[link.source].append(link)
    said: dict[str, list[Message]] = defaultdict(list)
    for message in found["message"]:
        said[message.conversation].append(message)
    first = [c for c in found["chunk"] if c.level == 0]
    shown = [r for r in found["memory"] if r.status in _SHOWN]
    plain = [r for r in shown if r.kind != Kind.EPISODE]
    told = [r for r in shown if r.kind == Kind.EPISODE]
    now = scope.now()
    files: dict[str, list[Any]] = {
        LONG_TERM: [memory_out(r, edges[r.id], now) for r in plain],
        EPISODES: [episode_out(r, edges[r.id], now) for r in told],
        CONVERSATIONS: [conversation_out(c, said[c.id], first, told) for c in found["conversation"]],
        CHUNKS: [chunk_out(c, i, said[c.conversation]) for i, c in enumerate(first, 1)],
    }
    return files, {"memory": len(plain), "episode": len(told), "conversation": len(found["conversation"]),
                   "message": len(found["message"]), "chunk": len(first)}  # fmt: skip


def _array(path: Path) -> list[Mapping[str, Any]]:
    """The objects in one file; a file that is not there is empty."""
    if not path.exists():
        return []
    try:
        items = json.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise InvalidInput(f"{path} cannot be read as JSON: {error}") from None
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise InvalidInput(f"{path} must be an array of objects")
    return items


Contents = tuple[
    Sequence[Conversation],
    Mapping[str, Sequence[Message]],
    Sequence[Chunk],
    Sequence[Record],
    Sequence[Link],
]


def _store(tx: Tx, scope: Scope, contents: Contents, transfer: Transfer) -> None:
    talks, said, pieces, records, edges = contents
    now = scope.now()
    spaces.create(tx, Space(path=scope.view.home, created_at=now))
    fresh = [c for c in talks if not conversations.exists(tx, c.id)]
    for conversation in fresh:
        conversations.insert(tx, conversation)
        conversations.append(tx, conversation, said[conversation.id])
        follow_up(tx, conversation.id, now)
    homes = {c.id for c in fresh}
    new_pieces = [c for c in pieces if c.conversation in homes]
    chunks.insert(tx, new_pieces)
    known = memories.known(tx, [r.id for r in records])
    new = [r for r in records if r.id not in known]
    memories.insert(tx, new)
    usage.put(tx, new)
    there = known | {r.id for r in new}
    links.put(tx, [edge for edge in edges if edge.source in there and edge.target in there])
    written(tx, now)
    transfer.moved = {
        "conversation": len(fresh),
        "message": sum(len(said[c.id]) for c in fresh),
        "chunk": len(new_pieces),
        "memory": len(new),
    }
    transfer.known = len(talks) - len(fresh) + len(known)

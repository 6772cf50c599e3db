"""Everything out and back in, exactly; on both databases."""

import json
from pathlib import Path

import pytest

from clock import Clock
from recollect import (
    Artifact,
    ArtifactType,
    Conflict,
    Episode,
    EpisodeType,
    InvalidInput,
    Memory,
    NewMessage,
    Source,
    SourceKind,
)
from recollect.models.fakes import HashEmbedder
from recollect.store import usage


@pytest.fixture
def full(memory: Memory, clock: Clock) -> Memory:
    """A memory with one of everything."""
    chat = memory.conversations.start("Plans", metadata={"a": 1})
    said = memory.add_many(
        [NewMessage(text="We ship on Friday", speaker="Alex"), NewMessage(text="Noted", role="assistant")],  # type: ignore[arg-type]
        conversation=chat.id,
    )
    fact = memory.remember(
        "Ships on Friday",
        key="ship",
        value="Friday",
        tags=["plan"],
        sources=[Source(SourceKind.MESSAGE, said.ids[0])],
    )
    clock.forward(days=1)
    memory.remember("Ships on Monday", key="ship", value="Monday")
    told = Episode(
        type=EpisodeType.PIVOT,
        title="Moved the date",
        participants=("Alex",),
        conversation=chat.id,
        first_turn=1,
        last_turn=2,
    )
    episode = memory.remember(
        "The date was moved", kind="episode", episode=told, artifacts=[Artifact(ArtifactType.FILE, "plan.md")]
    )
    memory.links.add(episode.id, fact.id, "caused_by", strength=0.7)
    memory.update(episode.id, importance=0.9)
    memory._scope.write(lambda tx: usage.count(tx, [episode.id], "cited", clock()))
    memory.view("project:phoenix").remember("another space")
    forgotten = memory.remember("never mind").id
    memory.forget(forgotten)
    return memory


def lines(path: Path) -> list[str]:
    """The export without its header, which holds the time."""
    return path.read_text("utf-8").splitlines()[1:]


def fresh(where: str, clock: Clock) -> Memory:
    return Memory(
        where, tenant="copy", view="user:alex", embedder=HashEmbedder(), clock=clock, background=False
    )


def test_an_import_of_an_export_exports_the_same(
    full: Memory, where: str, clock: Clock, tmp_path: Path
) -> None:
    moved = full.transfers.export(tmp_path / "a.jsonl").moved
    assert moved == {
        "space": 2, "conversation": 1, "message": 2, "memory": 5, "version": 3, "link": 2,
    }  # fmt: skip
    with fresh(where, clock) as copy:
        counts = copy.transfers.load(tmp_path / "a.jsonl")
        assert (counts.moved, counts.known) == (moved, 0)
        copy.transfers.export(tmp_path / "b.jsonl")
        assert sorted(lines(tmp_path / "b.jsonl")) == sorted(lines(tmp_path / "a.jsonl"))
        again = copy.transfers.load(tmp_path / "a.jsonl")
        assert not any(n for name, n in again.moved.items() if name != "link")
        copy.jobs.run()
        assert copy.stats().unembedded == {"fake:hash-64": 0}
        assert all(finding.ok for finding in copy.doctor())


def test_export_of_some_spaces(full: Memory, tmp_path: Path) -> None:
    full.transfers.export(tmp_path / "a.jsonl", spaces=["project:phoenix"])
    assert [next(iter(json.loads(line))) for line in lines(tmp_path / "a.jsonl")] == ["space", "memory"]
    assert "Friday" not in (tmp_path / "a.jsonl").read_text("utf-8")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("not json", "line 3 is not JSON"),
        ('{"dragon": {}}', "line 3: it must be an object with one key"),
        ('{"memory": {"id": "x"}}', "line 3: a Record needs"),
        ('{"space": {"path": "../etc", "created_at": "2026-01-01T00:00:00Z"}}', "line 3"),
        ('{"space": {"path": "user:x", "created_at": "yesterday"}}', "line 3: Space.created_at"),
        ("[" * 100_000, "line 3 is not JSON"),
    ],
)
def test_a_broken_line_changes_nothing(memory: Memory, tmp_path: Path, line: str, says: str) -> None:
    path = tmp_path / "broken.jsonl"
    good = '{"space": {"path": "user:new", "created_at": "2026-01-01T00:00:00Z"}}'
    path.write_text('{"recollect": 1}\n' + good + "\n" + line + "\n", "utf-8")
    with pytest.raises(InvalidInput, match=says):
        memory.transfers.load(path)
    assert memory.spaces.list() == []


def test_what_is_no_export_is_refused(memory: Memory, tmp_path: Path) -> None:
    for content in (b"", b"{}", b"hello", b'{"recollect": 99}', b"\xff\xfe\x00"):
        path = tmp_path / "x.jsonl"
        path.write_bytes(content)
        with pytest.raises(InvalidInput):
            memory.transfers.load(path)
    with pytest.raises(InvalidInput, match="cannot be read"):
        memory.transfers.load(tmp_path / "missing.jsonl")
    with pytest.raises(InvalidInput, match="cannot be written"):
        memory.transfers.export(tmp_path / "no" / "folder" / "x.jsonl")


def test_a_conversation_that_went_on_elsewhere_is_a_conflict(
    full: Memory, where: str, clock: Clock, tmp_path: Path
) -> None:
    full.transfers.export(tmp_path / "a.jsonl")
    with fresh(where, clock) as copy:
        copy.transfers.load(tmp_path / "a.jsonl")
        chat = copy.conversations.list().items[0].id
        copy.add("said in the copy", conversation=chat)
        full.add("said in the original", conversation=chat)
        full.transfers.export(tmp_path / "b.jsonl")
        before = copy.stats().messages
        with pytest.raises(Conflict, match="other messages here"):
            copy.transfers.load(tmp_path / "b.jsonl")
        assert copy.stats().messages == before


def test_the_readable_folder_comes_back(full: Memory, where: str, clock: Clock, tmp_path: Path) -> None:
    folder = tmp_path / ".project-memory"
    full.transfers.export_folder(folder)
    assert sorted(p.name for p in folder.iterdir()) == [
        "conversation-chunks.json",
        "conversations.json",
        "episodic-memory.json",
        "long-term-memory.json",
    ]
    facts = json.loads((folder / "long-term-memory.json").read_text("utf-8"))
    assert {(m["content"], m["type"]) for m in facts} == {
        ("Ships on Friday", "fact"),
        ("Ships on Monday", "fact"),
    }, "what was forgotten is not shown"
    (episode,) = json.loads((folder / "episodic-memory.json").read_text("utf-8"))
    assert (episode["title"], episode["significance"]) == ("Moved the date", 0.9)
    with fresh(where, clock) as copy:
        copy.transfers.load_folder(folder)
        assert {r.text: r.status for r in copy.list().items} == {
            "Ships on Monday": "active",
            "The date was moved": "active",
        }
        chat = copy.conversations.list().items[0]
        assert [m.text for m in copy.conversations.messages(chat.id)] == ["We ship on Friday", "Noted"]
        assert copy.transfers.load_folder(folder).known == 4


def test_a_folder_by_another_program(memory: Memory, tmp_path: Path) -> None:
    """As the first document describes it: ids that are no UUIDs, messages inside chunks."""
    folder = tmp_path / ".project-memory"
    folder.mkdir()
    message = {"role": "user", "content": "What database?", "timestamp": "2026-01-01T10:00:00Z"}
    (folder / "conversations.json").write_text(
        json.dumps(
            [
                {
                    "id": "lxyz123-a1b2c3d4",
                    "projectId": "p",
                    "startedAt": "2026-01-01T10:00:00Z",
                    "status": "active",
                    "totalTurns": 3,
                    "chunks": ["c1"],
                    "recentMessages": [message | {"role": "assistant", "content": "PostgreSQL"}],
                }
            ]
        )
    )
    (folder / "conversation-chunks.json").write_text(
        json.dumps(
            [
                {
                    "id": "c1",
                    "conversationId": "lxyz123-a1b2c3d4",
                    "chunkNumber": 1,
                    "messages": [message, message | {"content": "For JSON"}],
                    "summary": "The user asked for a database.",
                    "keyTopics": ["database"],
                    "tokenCount": 8,
                    "createdAt": "2026-01-01T10:05:00Z",
                }
            ]
        )
    )
    (folder / "long-term-memory.json").write_text(
        json.dumps(
            [
                {
                    "id": "m1",
                    "type": "decision",
                    "content": "Use PostgreSQL",
                    "category": "db",
                    "tags": ["db"],
                    "relationships": [{"targetId": "m2", "type": "related_to", "strength": 0.5}],
                    "validFrom": "2026-01-01T10:00:00Z",
                    "metadata": {
                        "importance": 0.7,
                        "accessCount": 3,
                        "lastAccessedAt": "2026-02-01T00:00:00Z",
                    },
                },
                {"id": "m2", "type": "fact", "content": "The team knows SQL"},
            ]
        )
    )
    moved = memory.transfers.load_folder(folder).moved
    assert moved == {"conversation": 1, "message": 3, "chunk": 1, "memory": 2}
    decision = next(r for r in memory.list().items if r.kind == "decision")
    assert (decision.importance, decision.usage.retrieved, decision.trust) == (0.7, 3, "imported")
    assert [s.via.strength for s in memory.links.walk(decision.id)] == [0.5]
    assert memory.transfers.load_folder(folder).moved["memory"] == 0


def test_a_broken_folder_changes_nothing(memory: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "broken"
    folder.mkdir()
    with pytest.raises(InvalidInput, match="holds none of"):
        memory.transfers.load_folder(folder)
    for content in ("{", "{}", "[1]", '[{"id": "m", "type": "myth", "content": "x"}]', '[{"id": "m"}]'):
        (folder / "long-term-memory.json").write_text(content)
        with pytest.raises(InvalidInput):
            memory.transfers.load_folder(folder)
    assert memory.stats().memories == {}

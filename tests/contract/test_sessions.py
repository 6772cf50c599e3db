"""Episodes, narratives and the end of a session, on both databases."""

from clock import Clock
from recollect import Filter, Kind, Memory, NewMessage, Role
from recollect.surfaces.demo_talk import long_talk

STORY = [
    (Role.USER, "Which database should we use for the orders service?"),
    (Role.USER, "We decided to use PostgreSQL for the orders service because of JSON."),
    (Role.ASSISTANT, "Sounds good."),
    (Role.USER, "We found a bug: the importer crashes on empty files."),
    (Role.ASSISTANT, "I fixed the importer crash in PR #42, see src/importer.py and ADR-7."),
    (Role.USER, "Great, it works now!"),
]


def tell(memory: Memory, *more: NewMessage) -> str:
    said = [NewMessage(text=text, role=role) for role, text in STORY]
    chat = memory.add_many([*said, *more]).conversation or ""
    memory.jobs.run()
    return chat


def episodes(memory: Memory) -> list[str]:
    found = memory.list(Filter(kinds=(Kind.EPISODE,)), limit=1_000).items
    told = sorted((r.episode for r in found if r.episode), key=lambda e: e.first_turn or 0)
    return [f"{e.type} {e.first_turn}-{e.last_turn}" for e in told]


def test_moments_become_episodes_when_the_conversation_ends(memory: Memory) -> None:
    chat = tell(memory)
    assert episodes(memory) == []
    memory.conversations.end(chat)
    memory.jobs.run()
    assert episodes(memory) == ["decision_made 1-3", "problem_solved 4-6"]
    solved = next(
        r for r in memory.list(Filter(kinds=(Kind.EPISODE,))).items if r.episode and r.episode.first_turn == 4
    )
    assert {(a.type.value, a.ref) for a in solved.artifacts} == {
        ("pr", "PR #42"),
        ("adr", "ADR-7"),
        ("file", "src/importer.py"),
    }
    assert solved.trust == "assistant"
    assert len(solved.sources) == 3
    decision = next(r for r in memory.list(Filter(kinds=(Kind.DECISION,))).items)
    steps = memory.links.walk(decision.id)
    assert [step.via.type for step in steps] == ["part_of"]


def test_episodes_of_chunks_do_not_wait_for_the_end(memory: Memory) -> None:
    tell(memory, *long_talk(16))
    assert episodes(memory) == ["decision_made 1-3", "problem_solved 4-6"]


def test_an_episode_across_a_border_is_one(memory: Memory) -> None:
    """The decision is turn 10, the agreement turn 11: they fall into two chunks."""
    padding = [NewMessage(text=f"Number {i} it is.") for i in range(8)]
    chat = memory.add_many(padding).conversation or ""
    for role, text in STORY[:3]:
        memory.add(text, role=role, conversation=chat)
    memory.add_many(padding * 4, conversation=chat)
    memory.jobs.run()
    assert episodes(memory) == ["decision_made 9-11"]
    (found,) = memory.list(Filter(kinds=(Kind.EPISODE,))).items
    assert found.version == 2
    assert len(found.sources) == 3


def test_the_arc_of_a_conversation(memory: Memory) -> None:
    chat = tell(memory)
    memory.conversations.end(chat)
    memory.jobs.run()
    arc = memory.conversations.narrative(chat)
    assert [r.episode.type for r in arc.beginning if r.episode] == ["decision_made"]
    assert [r.episode.type for r in arc.middle if r.episode] == ["problem_solved"]
    assert arc.end == ()
    assert all(r.importance >= 0.7 for r in arc.key_moments)
    assert arc.key_moments


def test_a_session_leaves_a_summary_and_one_concise_memory(memory: Memory) -> None:
    chat = tell(memory, NewMessage(text="My name is Alex and I live in Lisbon."))
    memory.conversations.end(chat)
    memory.jobs.run()
    summary = memory.conversations.get(chat).summary
    assert summary
    assert "PostgreSQL" in summary
    (note,) = memory.list(Filter(categories=("session",))).items
    assert note.kind == "note"
    assert 2 <= note.text.count(". ") + 1 <= 4
    assert "User lives in Lisbon." in note.text
    assert note.sources
    assert memory.jobs.list() == []
    memory.conversations.end(chat)
    memory.jobs.run()
    assert [r.version for r in memory.list(Filter(categories=("session",))).items] == [1]


def test_small_talk_leaves_no_memory(memory: Memory) -> None:
    chat = memory.add_many([NewMessage(text="Hi there!"), NewMessage(text="Thanks, bye!")]).conversation or ""
    memory.conversations.end(chat)
    memory.jobs.run()
    assert memory.list().items == []
    assert memory.conversations.get(chat).summary


def test_a_conversation_left_open_ends_by_itself(memory: Memory, clock: Clock) -> None:
    chat = tell(memory)
    clock.forward(hours=20)
    memory.add("Still here.", conversation=chat)
    memory.jobs.run()
    clock.forward(hours=20)
    memory.jobs.run()
    assert memory.conversations.get(chat).status == "active", "there was something newer"
    clock.forward(hours=5)
    memory.jobs.run()
    ended = memory.conversations.get(chat)
    assert ended.status == "ended"
    assert ended.summary
    assert memory.jobs.list() == []


def test_a_paused_conversation_is_left_alone(memory: Memory, clock: Clock) -> None:
    chat = tell(memory)
    memory.conversations.pause(chat)
    clock.forward(hours=100)
    memory.jobs.run()
    assert memory.conversations.get(chat).status == "paused"


def test_an_erased_message_is_gone_from_what_retells_it(memory: Memory) -> None:
    chat = tell(memory, NewMessage(text="The secret garden is in Zanzibar."), *long_talk(20))
    memory.conversations.end(chat)
    memory.jobs.run()
    gone = memory.conversations.messages(chat)[1]
    memory.erase(message=gone.id)
    memory.jobs.run()
    texts = [r.text for r in memory.list(limit=1_000).items]
    assert not any("PostgreSQL for the orders" in text for text in texts)
    summary = memory.conversations.get(chat).summary
    assert summary
    assert "orders service" not in summary
    assert "orders service because" not in str(memory.conversations.recent(chat).chunks)
    assert all(finding.ok for finding in memory.doctor())

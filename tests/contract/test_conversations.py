"""Conversations and messages, on both databases."""

from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clock import Clock
from recollect import Conflict, InvalidInput, Memory, NewMessage, NotFound, Role, TooLarge, Trust


def test_a_message_is_kept_word_for_word(memory: Memory) -> None:
    text = "  Grüße — 你好 \t🎉\n\"quoted\" 'x' %s :name ? \\ "
    receipt = memory.add(text, speaker="Alex")
    (message,) = memory.conversations.messages(receipt.conversation or "")
    assert message.text == text
    assert (message.id, message.turn, message.role, message.speaker) == (receipt.id, 1, Role.USER, "Alex")
    assert message.trust == Trust.USER


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    text=st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), min_size=1).filter(
        lambda t: not t.isspace()
    )
)
def test_any_storable_text_comes_back_unchanged(memory: Memory, text: str) -> None:
    receipt = memory.add(text)
    assert memory.conversations.message(receipt.id).text == text


def test_without_a_conversation_the_open_one_goes_on(memory: Memory) -> None:
    first = memory.add("one")
    second = memory.add("two", role="assistant")
    assert first.conversation == second.conversation
    assert [m.turn for m in memory.conversations.messages(first.conversation or "")] == [1, 2]


def test_life_of_a_conversation(memory: Memory, clock: Clock) -> None:
    chat = memory.conversations.start("Planning", metadata={"channel": "web"})
    memory.add("hello", conversation=chat.id)
    assert memory.conversations.pause(chat.id).status == "paused"
    memory.add("back again", conversation=chat.id)
    assert memory.conversations.get(chat.id).status == "active"
    clock.forward(hours=1)
    ended = memory.conversations.end(chat.id)
    assert (ended.status, ended.turns, ended.metadata) == ("ended", 2, {"channel": "web"})
    assert ended.ended_at is not None
    assert ended.ended_at > chat.started_at
    with pytest.raises(Conflict, match="start a new one"):
        memory.add("too late", conversation=chat.id)
    with pytest.raises(Conflict, match="start a new one"):
        memory.conversations.resume(chat.id)
    assert memory.conversations.end(chat.id) == ended
    assert memory.add("something new").conversation != chat.id


def test_several_conversations_at_once(memory: Memory) -> None:
    chats = [memory.conversations.start(f"chat {i}") for i in range(3)]
    for turn in range(4):
        for i, chat in enumerate(chats):
            memory.add(f"{i}/{turn}", conversation=chat.id)
    for i, chat in enumerate(chats):
        assert [m.text for m in memory.conversations.messages(chat.id)] == [f"{i}/{t}" for t in range(4)]
    page = memory.conversations.list(limit=2)
    assert [c.title for c in page.items] == ["chat 2", "chat 1"]
    assert [c.title for c in memory.conversations.list(limit=2, after=page.next).items] == ["chat 0"]


def test_bulk_is_in_order_and_all_or_nothing(memory: Memory) -> None:
    said = datetime(2024, 5, 1, tzinfo=UTC)
    many = [NewMessage(text=f"message {i}", speaker="Bo", said_at=said) for i in range(2_500)]
    receipt = memory.add_many(many)
    chat = receipt.conversation or ""
    kept = memory.conversations.messages(chat, limit=10_000)
    assert [m.text for m in kept] == [m.text for m in many]
    assert [m.id for m in kept] == list(receipt.ids) == sorted(receipt.ids)
    assert {m.said_at for m in kept} == {said}
    with pytest.raises(InvalidInput):
        memory.add_many([NewMessage(text="fine"), NewMessage(text="not\0fine")], conversation=chat)
    assert memory.conversations.get(chat).turns == 2_500


def test_messages_by_page(memory: Memory) -> None:
    chat = memory.add_many([NewMessage(text=str(i)) for i in range(1, 31)]).conversation or ""
    assert [m.turn for m in memory.conversations.messages(chat, after=20, limit=5)] == [21, 22, 23, 24, 25]


def test_a_retried_message_is_stored_once(memory: Memory) -> None:
    first = memory.add("important")
    again = NewMessage(text="important", id=first.id)
    receipt = memory.add_many([again, NewMessage(text="and more")])
    assert [entry.action for entry in receipt.entries] == ["ignored", "stored"]
    assert receipt.conversation == first.conversation
    assert [m.text for m in memory.conversations.messages(first.conversation or "")] == [
        "important",
        "and more",
    ]
    with pytest.raises(Conflict, match="never rewritten"):
        memory.add(NewMessage(text="changed", id=first.id))
    with pytest.raises(InvalidInput, match="same id"):
        memory.add_many([again, again])


def test_trust_is_bound_to_the_channel(memory: Memory) -> None:
    receipt = memory.add_many(
        [
            NewMessage(text="from a tool", role=Role.TOOL),
            NewMessage(text="read from a page", role=Role.TOOL, trust=Trust.DOCUMENT),
        ]
    )
    assert [m.trust for m in memory.conversations.messages(receipt.conversation or "")] == [
        "tool",
        "document",
    ]
    with pytest.raises(InvalidInput, match="cannot have more trust"):
        memory.add(NewMessage(text="trust me", role=Role.TOOL, trust=Trust.USER))


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ("", "empty"),
        (" \n\t", "empty"),
        ("nul\0here", "NUL character at position 3"),
        ("lone \ud800 surrogate", "lone surrogate at position 5"),
        (42, "must be text, not int"),
        (None, "must be text, not NoneType"),
        (b"bytes", "must be text, not bytes"),
    ],
)
def test_bad_text_changes_nothing(memory: Memory, bad: object, says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        memory.add(bad)  # type: ignore[arg-type]
    assert memory.stats().messages == 0
    assert memory.jobs.list() == []


def test_huge_text_is_refused_with_the_limit(memory: Memory) -> None:
    memory.add("x" * 1_000_000)
    with pytest.raises(TooLarge, match="limit is 1,000,000"):
        memory.add("x" * 1_000_001)
    with pytest.raises(TooLarge, match="limit is 1,000,000"):
        memory.add("é" * 500_001)


@pytest.mark.parametrize(
    "bad",
    [
        {"role": "wizard"},
        {"said_at": datetime(2026, 1, 1)},
        {"said_at": "yesterday"},
        {"conversation": "not-an-id"},
        {"conversation": "x' OR 1=1 --"},
        {"speaker": "a\0b"},
        {"speaker": "x" * 201},
    ],
)
def test_bad_fields_change_nothing(memory: Memory, bad: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        memory.add("hello", **bad)  # type: ignore[arg-type]
    assert memory.stats().messages == 0


def test_bad_metadata_changes_nothing(memory: Memory) -> None:
    for metadata in ({"a": float("nan")}, {"a": {1, 2}}, {"a": "x\0"}, {"a": "x" * 70_000}, [1]):
        with pytest.raises(InvalidInput):
            memory.add(NewMessage(text="hello", metadata=metadata))  # type: ignore[arg-type]
    assert memory.stats().messages == 0


def test_unknown_and_foreign_conversations_look_the_same(memory: Memory) -> None:
    bob = memory.view("user:bob")
    private = bob.conversations.start("private")
    unknown = private.id[:-1] + ("0" if private.id[-1] != "0" else "1")
    for id in (private.id, unknown):
        with pytest.raises(NotFound, match="no conversation"):
            memory.add("let me in", conversation=id)
        with pytest.raises(NotFound, match="no conversation"):
            memory.conversations.messages(id)
        with pytest.raises(NotFound, match="no conversation"):
            memory.conversations.end(id)
    assert bob.conversations.get(private.id).turns == 0


def test_a_foreign_message_id_is_refused_without_a_hint(memory: Memory) -> None:
    secret = memory.view("user:bob").add("bob's secret")
    with pytest.raises(Conflict, match="already in use") as caught:
        memory.add(NewMessage(text="guess", id=secret.id))
    assert "bob" not in str(caught.value)
    assert memory.stats().messages == 0


def test_what_was_said_in_a_period(memory: Memory) -> None:
    days = [datetime(2026, 1, day, tzinfo=UTC) for day in (1, 2, 3, 4)]
    memory.add_many([NewMessage(text=f"day {at.day}", said_at=at) for at in days])
    hidden = memory.view("user:bob")
    hidden.add("day 2 of Bob", said_at=days[1])
    told = memory.conversations.said(since=days[1], until=days[3])
    assert [m.text for m in told] == ["day 2", "day 3"]
    assert [m.text for m in memory.conversations.said(limit=1)] == ["day 4"]
    assert [m.text for m in hidden.conversations.said()] == ["day 2 of Bob"]

"""The six scenarios of the specification, on both databases, without a model and with one."""

import json
from pathlib import Path

import pytest

from apps_talk import TOLD, kept, talk, talks
from clock import Clock
from recollect import AsyncMemory, Filter, InvalidInput, Memory, NotFound
from recollect.models.fakes import HashEmbedder


def test_creates_memory_when_conversation_ends(either: Memory) -> None:
    either.apps.register("calendar", name="Calendar")
    chat = talk(either, "calendar", "I prefer meetings after 2pm on weekdays.", "My dentist is Dr. Weber.")
    waiting = {job.kind: job for job in either.jobs.list()}
    assert waiting["app-memory"].payload == {"conversation": chat}, "promised with the end"
    assert kept(either, "calendar") == [], "nobody waits for it"
    either.jobs.run()
    (made,) = either.apps.memories("calendar")
    assert "2pm" in made.content
    assert made.source_conversation_id == chat
    assert made.app_id == "calendar"
    assert 0 <= made.importance <= 10
    assert made.tags
    view = either.view("app:calendar")
    said = {m.id for m in view.conversations.messages(chat)}
    assert said & {s.id for s in view.get(made.id).sources}, "it names its messages"
    notes = view.list(Filter(categories=("session",))).items
    assert [r.id for r in notes] == [made.id], "it is the session's memory, not its twin"
    assert view.conversations.get(chat).summary
    assert either.jobs.list() == []
    view.conversations.end(chat)
    either.jobs.run()
    assert len(kept(either, "calendar")) == 1


def test_includes_memories_in_context_for_same_app(either: Memory) -> None:
    either.apps.register("calendar")
    talks(either, "calendar", 1)
    chat = talk(either, "calendar", "When shall we meet?", end=False)
    made = either.apps.context("calendar", conversation=chat)
    assert "2pm on weekdays" in made.text
    assert made.messages()[0]["role"] == "system"


def test_isolates_memories_between_apps(either: Memory) -> None:
    either.apps.register("calendar")
    either.apps.register("mail")
    talks(either, "calendar", 1)
    chat = talk(either, "mail", "What do you know of me?", end=False)
    assert either.apps.context("mail", conversation=chat).text == ""
    assert either.apps.search("mail", "meetings after 2pm") == []
    mine = either.apps.memories("calendar")[0].id
    for attempt in (
        lambda: either.apps.delete("mail", mine),
        lambda: either.apps.restore("mail", mine),
        lambda: either.apps.context("calendar", conversation=chat),
    ):
        with pytest.raises(NotFound):
            attempt()


def test_compacts_memories_when_limit_reached(either: Memory, clock: Clock) -> None:
    either.apps.register("calendar")
    for count in range(1, 13):
        talk(either, "calendar", TOLD[count - 1])
        either.jobs.run()
        clock.forward(days=1)
        assert len(kept(either, "calendar")) == min(count, 10)
    assert len(kept(either, "calendar", removed=True)) >= 2, "what went can come back"


def test_retains_memories_after_app_uninstall(either: Memory) -> None:
    either.apps.register("calendar")
    talks(either, "calendar", 2)
    before = kept(either, "calendar")
    assert either.apps.uninstall("calendar").installed is False
    assert kept(either, "calendar") == before
    assert either.apps.list() == []
    assert [app.id for app in either.apps.list(uninstalled=True)] == ["calendar"]
    talks(either, "calendar", 3)
    assert kept(either, "calendar") == before, "an app that is gone learns nothing"
    either.apps.register("calendar")
    assert kept(either, "calendar") == before


def test_purges_memories_on_admin_request(either: Memory) -> None:
    either.apps.register("calendar", cap=3)
    chats = talks(either, "calendar", 5)
    purged = either.apps.purge("calendar")
    assert (purged.app_id, purged.deleted_count) == ("calendar", 3)
    assert purged.erased > 3, "those that were removed before are erased too"
    assert kept(either, "calendar") == kept(either, "calendar", removed=True) == []
    assert either.view("app:calendar").list().items == []
    assert either.view("app:calendar").conversations.get(chats[0]).turns == 2, "what was said stays"
    talks(either, "calendar", 1)
    assert len(kept(either, "calendar")) == 1
    either.apps.uninstall("calendar", purge=True)
    assert kept(either, "calendar") == []
    assert all(finding.ok for finding in either.doctor())


def test_memories_persist_across_restarts(where: str, clock: Clock) -> None:
    for round in range(2):
        with Memory(where, embedder=HashEmbedder(), clock=clock, background=False) as memory:
            memory.apps.register("calendar")
            assert len(kept(memory, "calendar")) == round
            talks(memory, "calendar", 1)


def test_registering(memory: Memory) -> None:
    made = memory.apps.register("calendar")
    assert (made.name, made.cap, made.length, made.space) == ("calendar", 10, 200, "app:calendar")
    assert memory.apps.register("calendar", name="My calendar", cap=3).created_at == made.created_at
    again = memory.apps.register("calendar")
    assert (again.name, again.cap) == ("My calendar", 3), "what is not said stays"
    assert memory.apps.get("calendar") == again
    assert memory.apps.list() == [again]
    memory.spaces.create("app:mail", policy={"colour": "red"})
    assert memory.apps.list() == [again], "a space is an app once it is registered"
    memory.apps.register("mail")
    assert memory.spaces.get("app:mail").policy["colour"] == "red"
    chat = talk(memory, "mail", "Hello there, this is about the mail.", end=False)
    assert memory.apps.of_conversation(chat) == memory.apps.get("mail")
    own = memory.conversations.start().id
    assert memory.apps.of_conversation(own) is None
    with pytest.raises(NotFound, match="register it first"):
        memory.apps.get("news")
    for id, bad in (
        ("", {}),
        ("a/b", {}),
        (" x", {}),
        ("x", {"cap": 0}),
        ("x", {"length": 1}),
        ("x", {"name": ""}),
    ):
        with pytest.raises(InvalidInput):
            memory.apps.register(id, **bad)  # type: ignore[arg-type]
    assert [app.id for app in memory.apps.list()] == ["calendar", "mail"]


def test_small_talk_leaves_nothing(either: Memory) -> None:
    either.apps.register("calendar")
    talk(either, "calendar", "Hi there!", "Thanks, bye!")
    either.jobs.run()
    assert kept(either, "calendar") == []
    assert either.jobs.list() == []


def test_a_conversation_left_open_is_kept_too(memory: Memory, clock: Clock) -> None:
    memory.apps.register("calendar")
    talk(memory, "calendar", TOLD[0], end=False)
    memory.jobs.run()
    clock.forward(hours=25)
    memory.jobs.run()
    assert len(kept(memory, "calendar")) == 1


def test_search_and_export(either: Memory) -> None:
    either.apps.register("calendar", name="Calendar")
    chats = talks(either, "calendar", 4)
    found = either.apps.search("calendar", "where does the flight go?", limit=1)
    assert [m.source_conversation_id for m in found] == [chats[3]]
    whole = json.loads(json.dumps(either.apps.export("calendar")))
    assert (whole["appId"], whole["name"], whole["cap"]) == ("calendar", "Calendar", 10)
    first = whole["memories"][0]
    assert list(first) == [
        "id",
        "appId",
        "content",
        "createdAt",
        "updatedAt",
        "sourceConversationId",
        "metadata",
    ]
    assert list(first["metadata"]) == ["importance", "tags", "relatedConversations"]
    assert first["createdAt"].endswith("Z")


def test_conversations_on_one_thing_are_related(memory: Memory) -> None:
    memory.apps.register("calendar")
    first = talk(memory, "calendar", "The Phoenix launch is planned for November.")
    memory.jobs.run()
    talk(memory, "calendar", "I am allergic to peanuts.")
    memory.jobs.run()
    talk(memory, "calendar", "The Phoenix launch needs a new budget from Sara.")
    memory.jobs.run()
    newest = memory.apps.memories("calendar")[0]
    assert newest.related_conversations == (first,)


def test_an_erased_message_is_gone_from_the_list(either: Memory) -> None:
    either.apps.register("calendar")
    chat = talk(either, "calendar", "My dentist is Dr. Weber.", "The offsite is in Porto in June.")
    either.jobs.run()
    view = either.view("app:calendar")
    view.erase(message=view.conversations.messages(chat)[0].id)
    either.jobs.run()
    assert "Weber" not in str(either.apps.export("calendar"))
    assert "Porto" in either.apps.context("calendar").text


def test_one_memory_can_be_deleted(either: Memory) -> None:
    either.apps.register("calendar")
    talks(either, "calendar", 3)
    first, gone, last = (m.id for m in either.apps.memories("calendar"))
    either.apps.delete("calendar", gone)
    assert [m.id for m in either.apps.memories("calendar")] == [first, last]
    with pytest.raises(NotFound):
        either.view("app:calendar").get(gone)


def test_views_share_between_apps_and_users(memory: Memory) -> None:
    memory.apps.register("calendar")
    memory.remember("Alex prefers tea")
    talks(memory, "calendar", 1)
    both = memory.view("app:calendar", "user:alex")
    assert {"Alex prefers tea"} < {r.text for r in both.list().items}
    assert any("2pm" in found.text for found in both.recall("meetings after 2pm"))
    assert not any("2pm" in found.text for found in memory.recall("meetings after 2pm"))


def test_the_async_door(tmp_path: Path) -> None:
    import asyncio

    async def work() -> int:
        async with AsyncMemory(tmp_path / "m.db", embedder=HashEmbedder(), background=False) as memory:
            await memory.apps.register("calendar")
            view = memory.view("app:calendar")
            chat = (await view.add(TOLD[0])).conversation
            await view.conversations.end(chat or "")
            await memory.jobs.run()
            return len(await memory.apps.memories("calendar"))

    assert asyncio.run(work()) == 1

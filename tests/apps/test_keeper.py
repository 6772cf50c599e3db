"""The keeper's rules for failures, decisions, energy and concurrency, with a real loopback model."""

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from apps_talk import TOLD, by_chat, kept, model, mood, talk, talks
from clock import Clock
from model_server import BROKEN, ModelServer, Mood, Request, answered, patient
from recollect import Filter, Memory, Status
from recollect.apps.keeper import Keeper
from recollect.apps.prompts.compaction import COMPACTION
from recollect.apps.prompts.creation import CREATION
from recollect.ingest.llms import LLMs
from recollect.jobs.worker import GivenUp
from recollect.models.chat import OpenAIChat
from recollect.models.fakes import HashEmbedder
from recollect.models.http import Endpoint
from recollect.models.options import ModelOptions

DELETE_SECOND = {"action": "delete", "targetMemoryId": 2, "newContent": None, "reason": "outdated"}
BAD = BROKEN | {
    "wrong schema": Mood(body=answered({"memory": 7})),
    "out of range": Mood(body=answered({"memory": "x", "importance": 70, "tags": []})),
}
BAD_DECISIONS = {
    "no such memory": {"action": "delete", "targetMemoryId": 99, "newContent": None, "reason": "x"},
    "unknown action": {"action": "burn", "targetMemoryId": 1, "newContent": None, "reason": "x"},
    "edit without content": {"action": "edit", "targetMemoryId": 1, "newContent": " ", "reason": "x"},
    "no JSON": "I would rather not say.",
}


def jobs(memory: Memory, status: str) -> list[str]:
    return [job.error or "" for job in memory.jobs.list([status]) if job.kind == "app-memory"]


def test_the_models_memory(smart: Memory) -> None:
    smart.apps.register("calendar")
    chat = talk(smart, "calendar", "I prefer meetings after 2pm.")
    smart.jobs.run()
    (made,) = smart.apps.memories("calendar")
    assert made.content == "The user said: I prefer meetings after 2pm. It was noted."
    assert (made.importance, made.tags, made.source_conversation_id) == (7, ("talk",), chat)
    record = smart.view("app:calendar").get(made.id)
    assert record.made_by == f"{CREATION.version} openai:test"
    assert record.trust == "assistant", "the least of what the model was shown"
    assert smart.apps.energy().total == 110


def test_a_long_answer_loses_whole_sentences(smart: Memory, server: ModelServer) -> None:
    long = " ".join(f"Sentence number {i} tells about the project and its many owners." for i in range(8))
    server.moods = [mood(DELETE_SECOND, {"memory": long, "importance": 3, "tags": []})]
    smart.apps.register("calendar")
    talks(smart, "calendar", 1)
    (text,) = kept(smart, "calendar")
    assert text == " ".join(long.split(". ")[i] + "." for i in range(3))
    assert len(text) <= 250


@pytest.mark.parametrize("name", BAD)
def test_a_model_that_fails_is_skipped_and_the_conversation_ends(
    smart: Memory, server: ModelServer, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    server.moods = [BAD[name]]
    smart.apps.register("calendar")
    chat = talk(smart, "calendar", TOLD[0])
    smart.jobs.run()
    assert smart.view("app:calendar").conversations.get(chat).status == "ended"
    assert kept(smart, "calendar") == []
    (error,) = jobs(smart, "dead")
    assert error.startswith("skipped, ModelUnavailable: ")
    assert smart.apps.stats().counters == {"skipped": 1}
    assert f"memory creation failed for {chat}" in caplog.text
    server.moods = [mood(DELETE_SECOND)]
    smart.jobs.retry()
    if name not in ("500", "breaks off", "hangs"):  # there, the client leaves the service alone for a minute
        smart.jobs.run()
        assert len(kept(smart, "calendar")) == 1, "a person may try again"


def test_a_models_decision_to_delete(smart: Memory, server: ModelServer) -> None:
    server.moods = [mood(DELETE_SECOND)]
    smart.apps.register("calendar", cap=3)
    chats = talks(smart, "calendar", 4)
    assert set(by_chat(smart, "calendar")) == {chats[0], chats[2], chats[3]}
    (gone,) = smart.apps.memories("calendar", removed=True)
    assert gone.source_conversation_id == chats[1]
    (decision,) = smart.view("app:calendar").review.explain(gone.id).decisions
    assert (decision.outcome, decision.reason) == ("remove", "outdated")
    assert decision.rule == f"{COMPACTION.version} openai:test"
    assert smart.apps.stats().counters["deleted"] == 1
    asked = [r.body["messages"] for r in server.requests if "memory management" in str(r.body)][-1]
    assert "You have 4 memories but can only keep 3." in asked[0]["content"]
    assert "1. [2026-03-02] The user said: I prefer meetings" in asked[1]["content"]


def test_a_models_decision_to_merge(smart: Memory, server: ModelServer) -> None:
    merged = "The user prefers meetings after 2pm, and their flight to Lisbon leaves on Friday."
    server.moods = [
        mood({"action": "edit", "targetMemoryId": 1, "newContent": merged, "reason": "both plans"})
    ]
    smart.apps.register("calendar", cap=3)
    chats = talks(smart, "calendar", 4)
    found = by_chat(smart, "calendar")
    assert set(found) == {chats[0], chats[1], chats[2]}
    assert found[chats[0]].content == merged
    assert chats[3] in found[chats[0]].related_conversations
    assert found[chats[0]].created_at < found[chats[0]].updated_at
    removed = smart.apps.memories("calendar", removed=True)
    assert {m.source_conversation_id for m in removed} == {chats[0], chats[3]}
    view = smart.view("app:calendar")
    record = view.get(found[chats[0]].id)
    sources = {s.id for s in record.sources}
    assert {m.id for m in removed} < sources
    assert {m.id for m in view.conversations.messages(chats[3]) if m.role == "user"} < sources
    assert smart.apps.stats().counters["merged"] == 1


@pytest.mark.parametrize("name", BAD_DECISIONS)
def test_after_an_invalid_decision_the_oldest_goes(
    smart: Memory, server: ModelServer, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    server.moods = [mood(BAD_DECISIONS[name])]
    smart.apps.register("calendar", cap=3)
    chats = talks(smart, "calendar", 5)
    assert set(by_chat(smart, "calendar")) == set(chats[2:])
    assert smart.apps.stats().counters["oldest_first"] == 2
    assert "the oldest goes" in caplog.text
    assert jobs(smart, "dead") == []


def test_a_model_that_hangs_is_left_behind(memory: Memory, server: ModelServer, clock: Clock) -> None:
    """The patience of the HTTP client is longer than the time that the keeper gives it."""
    server.moods = [Mood(hangs=True)]
    memory.apps.register("calendar")
    chat = talk(memory, "calendar", TOLD[0])
    memory.jobs.run()
    memory.apps.purge("calendar")
    endpoint = Endpoint(server.url, timeout=60.0, sleep=lambda _: None)  # so it is over when the server is
    waiting = OpenAIChat("openai:test", "test", endpoint)
    keeper = Keeper(memory._scope, LLMs(waiting, ModelOptions(), 100_000, 100_000), seconds=0.05)
    with pytest.raises(GivenUp, match="no answer within 0.05 s"):
        keeper.keep(chat)
    assert kept(memory, "calendar") == []


@pytest.mark.parametrize("cap", [1, 3])
def test_every_ended_conversation_counts_at_once(where: str, clock: Clock, cap: int) -> None:
    """Many workers and conversations of one app: the cap holds, nothing is lost, nothing twice."""
    with Memory(where, embedder=HashEmbedder(), clock=clock, background=False) as memory:
        memory.apps.register("calendar", cap=cap)
        chats = [talk(memory, "calendar", TOLD[i]) for i in range(10)]
        with ThreadPoolExecutor(4) as pool:
            for done in [pool.submit(memory.jobs.run) for _ in range(4)]:
                done.result()
        memory.jobs.run()
        assert len(kept(memory, "calendar")) == cap
        assert memory.jobs.list() == []
        assert memory.apps.stats().counters["created"] == 10
        told = " ".join(kept(memory, "calendar") + kept(memory, "calendar", removed=True))
        for word in ("2pm", "Phoenix", "Lisbon", "Sara", "Mio", "peanuts"):
            assert word in told
        assert len(chats) == 10


def test_a_lower_cap_takes_effect(memory: Memory) -> None:
    memory.apps.register("calendar")
    talks(memory, "calendar", 6)
    memory.apps.register("calendar", cap=2)
    assert [job.kind for job in memory.jobs.list()] == ["app-compact"]
    memory.jobs.run()
    assert len(kept(memory, "calendar")) == 2
    assert len(kept(memory, "calendar", removed=True)) >= 4


def test_pinned_memories_stay(memory: Memory) -> None:
    memory.apps.register("calendar", cap=2)
    talks(memory, "calendar", 1)
    (first,) = memory.apps.memories("calendar")
    memory.view("app:calendar").update(first.id, pinned=True, importance=0.1)
    talks(memory, "calendar", 6)
    assert first.id in {m.id for m in memory.apps.memories("calendar")}


def test_without_energy_the_work_waits(
    where: str, clock: Clock, monkeypatch: pytest.MonkeyPatch, server: ModelServer
) -> None:
    """Five creations by the rules cost 60 of 70: less than 20 % are left, and the sixth waits."""
    monkeypatch.setenv("RECOLLECT_ENERGY_CAPACITY", "70")
    monkeypatch.setenv("RECOLLECT_ENERGY_REFILL", "70")
    with Memory(where, embedder=HashEmbedder(), clock=clock, background=False) as memory:
        memory.apps.register("calendar")
        talks(memory, "calendar", 6)
        assert len(kept(memory, "calendar")) == 5
        (error,) = jobs(memory, "ready")
        assert "Energy is at 14%" in error
        assert memory.apps.stats().counters == {"created": 5, "deferred": 1}
        spent = memory.apps.energy()
        assert (spent.since_last_poll, spent.total, spent.by_app) == (60, 60, {"calendar": 60})
        assert (spent.level, spent.left, spent.low_at) == (pytest.approx(1 / 7), 10, spent.low_at)
        assert spent.low_at is not None, "it is low already"
        clock.forward(hours=1.1)
        memory.jobs.run()
        assert len(kept(memory, "calendar")) == 6, "late, not lost"
        spent = memory.apps.energy()
        assert (spent.since_last_poll, spent.total, spent.next_day) == (12, 72, 72)
        assert spent.per_hour == 3.0


def test_a_models_work_waits_too(
    where: str, clock: Clock, monkeypatch: pytest.MonkeyPatch, server: ModelServer
) -> None:
    monkeypatch.setenv("RECOLLECT_ENERGY_CAPACITY", "3000")
    monkeypatch.setenv("RECOLLECT_ENERGY_REFILL", "3000")
    cheap = model(DELETE_SECOND)

    def dear(request: Request) -> dict[str, Any]:
        usage = {"prompt_tokens": 2_600 if "memory creation" in str(request.body) else 1}
        return cheap(request) | {"usage": usage | {"completion_tokens": 0}}

    server.moods = [Mood(body=dear)]
    llm = patient(server)
    with Memory(where, embedder=HashEmbedder(), llm=llm, clock=clock, background=False) as memory:
        memory.apps.register("calendar")
        talk(memory, "calendar", TOLD[0])
        memory.jobs.run()
        talk(memory, "calendar", TOLD[1])
        memory.jobs.run()
        assert len(kept(memory, "calendar")) == 1
        (error,) = jobs(memory, "ready")
        assert "Energy is at 13%: app-memory" in error
        clock.forward(hours=2)
        memory.jobs.run()
        assert len(kept(memory, "calendar")) == 2


BREAK = {
    "sqlite": (
        "CREATE TRIGGER broken BEFORE INSERT ON memories WHEN NEW.category = 'session' "
        "BEGIN SELECT RAISE(ABORT, 'the disk is full'); END;",
        "DROP TRIGGER broken;",
    ),
    "postgres": (
        "CREATE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "RAISE EXCEPTION 'the disk is full'; END $$; "
        "CREATE TRIGGER broken BEFORE INSERT ON memories FOR EACH ROW "
        "WHEN (NEW.category = 'session') EXECUTE FUNCTION broken();",
        "DROP TRIGGER broken ON memories; DROP FUNCTION broken();",
    ),
}


def script(memory: Memory, which: int) -> None:
    database = memory._scope.database
    database.queue(lambda tx: tx.script(BREAK[database.dialect][which]))  # type: ignore[attr-defined]


class Repair(logging.Handler):
    """Repairs the database when the first error is told."""

    def __init__(self, repair: Callable[[], None]) -> None:
        super().__init__(logging.ERROR)
        self.repair = repair
        self.told: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.told.append(record.getMessage())
        if len(self.told) == 1:
            self.repair()


@pytest.mark.parametrize("repaired", [True, False])
def test_a_database_error_is_tried_once_more(memory: Memory, repaired: bool) -> None:
    memory.apps.register("calendar")
    chat = talk(memory, "calendar", "The printer on floor 3 is broken.")
    handler = Repair(lambda: script(memory, 1) if repaired else None)
    log = logging.getLogger("recollect.apps")
    log.addHandler(handler)
    script(memory, 0)
    try:
        memory.jobs.run()
    finally:
        log.removeHandler(handler)
    assert "the disk is full" in handler.told[0]
    assert memory.view("app:calendar").conversations.get(chat).status == "ended"
    assert len(kept(memory, "calendar")) == int(repaired)
    if not repaired:
        script(memory, 1)
        (error,) = jobs(memory, "dead")
        assert error.startswith("skipped, StoreError: ")
        assert len(handler.told) == 3, "two tries, and that it was skipped"
        assert memory.apps.stats().counters == {"skipped": 1}
        memory.jobs.retry()
        memory.jobs.run()
        assert len(kept(memory, "calendar")) == 1


def test_what_was_erased_does_not_take_its_partner_along(smart: Memory, server: ModelServer) -> None:
    """Erasing a message takes a merger along that tells of it; the other half comes back by itself."""
    merged = "The user prefers meetings after 2pm and is allergic to peanuts."
    server.moods = [mood({"action": "edit", "targetMemoryId": 1, "newContent": merged, "reason": "plans"})]
    smart.apps.register("calendar", cap=1)
    first = talk(smart, "calendar", "I prefer meetings after 2pm.")
    smart.jobs.run()
    second = talk(smart, "calendar", "I am allergic to peanuts.")
    smart.jobs.run()
    assert kept(smart, "calendar") == [merged]
    view = smart.view("app:calendar")
    view.erase(conversation=second)
    assert kept(smart, "calendar") == []
    smart.apps.register("calendar", cap=5)
    third = talk(smart, "calendar", "The offsite is in Porto.")
    smart.jobs.run()
    assert set(by_chat(smart, "calendar")) == {first, third}
    everything = view.list(Filter(statuses=tuple(Status)), limit=100).items
    assert not any("peanuts" in r.text for r in everything)

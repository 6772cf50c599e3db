"""An LLM that improves what the rules made, served by a real loopback server in all its moods."""

from collections.abc import Iterator
from typing import Any

import pytest

from clock import Clock
from model_server import BROKEN, ModelServer, Mood, Request, answered, patience, patient
from recollect import Filter, Memory, NewMessage, Record, Role, Status
from recollect.ingest.prompts.extraction import EXTRACTION
from recollect.ingest.prompts.session import SESSION
from recollect.ingest.prompts.summary import SUMMARY
from recollect.models.fakes import HashEmbedder

FACT = {
    "turn": 1,
    "kind": "preference",
    "text": "User enjoys hiking in the Alps",
    "subject": "User",
    "key": "",
    "value": "",
    "cardinality": "many",
    "confidence": 0.9,
    "importance": 0.6,
    "correction": False,
    "negated": False,
}
SAID = "Nothing beats hiking in the Alps, honestly. I live in Lisbon."


def model(request: Request) -> dict[str, Any]:
    """A model that understands what it is asked."""
    asked = request.body["messages"][0]["content"]
    if asked.startswith("You find"):
        return answered({"facts": [FACT] if "Alps" in request.body["messages"][1]["content"] else []})
    if asked.startswith("You summarise"):
        return answered({"summary": "They talked.", "topics": ["talk"]})
    return answered({"summary": "A talk.", "memory": "The user talked. It was fine."})


GOOD = Mood(body=model)
BAD = BROKEN | {
    "wrong schema": Mood(body=answered({"facts": [{"turn": "one"}]})),
    "out of range": Mood(body=answered({"facts": [FACT | {"confidence": 7}]})),
    "too long": Mood(status=400, body={"error": {"message": "maximum context length exceeded"}}),
}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        running.moods = [GOOD]
        yield running


@pytest.fixture
def smart(request: pytest.FixtureRequest, where: str, clock: Clock, server: ModelServer) -> Iterator[Memory]:
    """A memory with an LLM whose pauses pass at once."""
    llm = patient(server, patience(request))
    with Memory(
        where, view="user:alex", embedder=HashEmbedder(), llm=llm, clock=clock, background=False
    ) as memory:
        yield memory


def texts(memory: Memory) -> set[str]:
    return {r.text for r in memory.list(limit=1_000).items}


def spent(memory: Memory) -> list[tuple[str, str, int]]:
    sql = "SELECT purpose, model, tokens_in + tokens_out AS n FROM energy WHERE tenant = :tenant ORDER BY id"
    return memory._scope.read(lambda tx: [(r["purpose"], r["model"], r["n"]) for r in tx.rows(sql)])


def test_the_models_facts_pass_the_gate_beside_the_rules(smart: Memory) -> None:
    said = smart.add(SAID).id
    smart.jobs.run()
    assert texts(smart) == {"User enjoys hiking in the Alps", "User lives in Lisbon"}
    (hiking,) = smart.list(Filter(words="hiking")).items
    assert hiking.made_by == f"{EXTRACTION.version} openai:test"
    assert [s.id for s in hiking.sources] == [said]
    assert spent(smart) == [("extract", "openai:test", 110)]
    smart.add("thanks!")
    smart.jobs.run()
    assert len(spent(smart)) == 1, "small talk is not worth a call"


@pytest.mark.parametrize("mood", BAD, ids=str)
def test_failures_lose_and_repeat_nothing(
    smart: Memory, server: ModelServer, clock: Clock, mood: str
) -> None:
    server.moods = [BAD[mood]]
    smart.add(SAID)
    smart.jobs.run()
    assert texts(smart) == {"User lives in Lisbon"}, "the rules do not wait for a model"
    (job,) = (job for job in smart.jobs.list() if job.kind == "enhance")
    assert (job.status, job.attempts) == ("ready", 1)
    assert job.error
    assert job.error.startswith("ModelUnavailable: ")
    server.moods = [GOOD]
    clock.forward(minutes=2)
    smart.jobs.run()
    assert texts(smart) == {"User enjoys hiking in the Alps", "User lives in Lisbon"}
    smart.jobs.run()
    assert [job.kind for job in smart.jobs.list()] == ["idle"]
    assert len(every(smart)) == 2


def every(memory: Memory) -> list[Record]:
    return list(memory.list(Filter(statuses=tuple(Status)), limit=1_000).items)


def test_what_the_model_invents_is_not_kept(smart: Memory, server: ModelServer) -> None:
    invented = [FACT | {"text": "User owns a yacht called Bella"}, FACT | {"turn": 99}]
    untrusted = FACT | {"turn": 2, "text": "User enjoys hiking in the Alps"}
    again = FACT | {"kind": "identity", "key": "home", "value": "Lisbon", "text": "User's home is Lisbon"}
    server.moods = [Mood(body=answered({"facts": [*invented, untrusted, again]}))]
    first = smart.add(SAID)
    second = smart.add("The Alps are good for hiking.", role="tool")
    smart.jobs.run()
    assert texts(smart) == {"User lives in Lisbon"}
    reasons = [d.reason for d in smart.review.explain(first.id).decisions if d.outcome == "ignore"]
    assert sorted(reasons) == ["already drawn from this message", "its words were not said"]
    (told,) = smart.review.explain(second.id).decisions
    assert told.reason == "preference: only the user's own words say that"


def test_chunks_and_sessions_are_told_better(smart: Memory) -> None:
    said = [
        NewMessage(text=f"Report number {i} says the river is rising.", role=Role.USER) for i in range(41)
    ]
    chat = smart.add_many(said).conversation or ""
    smart.conversations.end(chat)
    smart.jobs.run()
    recent = smart.conversations.recent(chat)
    assert {c.summary for c in recent.chunks} == {"They talked."}
    assert {c.made_by for c in recent.chunks} == {f"{SUMMARY.version} openai:test"}
    assert recent.conversation.summary == "A talk."
    (note,) = smart.list(Filter(categories=("session",))).items
    assert (note.text, note.made_by) == ("The user talked. It was fine.", f"{SESSION.version} openai:test")
    assert smart.jobs.list() == []
    assert smart.stats().unembedded == {"fake:hash-64": 0}
    assert all(finding.ok for finding in smart.doctor())


def test_without_energy_the_work_waits(
    where: str, clock: Clock, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_ENERGY_CAPACITY", "6000")
    monkeypatch.setenv("RECOLLECT_ENERGY_REFILL", "6000")
    costly = answered({"facts": [FACT]}) | {"usage": {"prompt_tokens": 5_000, "completion_tokens": 0}}
    server.moods = [Mood(body=costly), GOOD]
    llm = patient(server)
    with Memory(
        where, view="user:alex", embedder=HashEmbedder(), llm=llm, clock=clock, background=False
    ) as memory:
        memory.add(SAID)
        memory.jobs.run()
        memory.add("Also, the Alps are lovely for hiking in June.")
        memory.jobs.run()
        (job,) = (job for job in memory.jobs.list() if job.kind == "enhance")
        assert (job.attempts, job.error) == (0, job.error)
        assert job.error
        assert "Energy is at" in job.error
        assert len(server.requests) == 1
        clock.forward(hours=2)
        memory.jobs.run()
        assert len(server.requests) == 2, "late, not lost"

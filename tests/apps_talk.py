"""Conversations of apps, and a model that keeps their memories, for the tests of apps."""

from typing import Any

from model_server import Mood, Request, answered
from recollect import AppMemory, Memory, NewMessage, Role

TOLD = [
    "I prefer meetings after 2pm on weekdays.",
    "I am working on a project called Phoenix with deadline Nov 1.",
    "The database connection failed, and restarting the service resolved it.",
    "My flight to Lisbon leaves on Friday at 9.",
    "Sara wants the budget by Tuesday.",
    "I live in Berlin and work at Acme.",
    "We moved the standup to 10am because the audit is late.",
    "My favourite lunch place is Mio.",
    "The printer on floor 3 is broken.",
    "I am allergic to peanuts.",
    "The offsite is in Porto in June.",
    "My brother Tom plays the cello.",
]


def talk(memory: Memory, app: str, *said: str, end: bool = True) -> str:
    """A conversation of an app, ended but not yet worked on."""
    view = memory.view(f"app:{app}")
    chat = view.conversations.start().id
    view.add_many([NewMessage(text=text) for text in said], conversation=chat)
    view.add("Noted.", role=Role.ASSISTANT, conversation=chat)
    if end:
        view.conversations.end(chat)
    return chat


def talks(memory: Memory, app: str, count: int) -> list[str]:
    """So many conversations of an app, each worked on before the next."""
    chats = []
    for i in range(count):
        chats.append(talk(memory, app, TOLD[i % len(TOLD)]))
        memory.jobs.run()
    return chats


def kept(memory: Memory, app: str, **wanted: bool) -> list[str]:
    return [m.content for m in memory.apps.memories(app, **wanted)]


def by_chat(memory: Memory, app: str) -> dict[str, AppMemory]:
    return {m.source_conversation_id or "": m for m in memory.apps.memories(app)}


def model(decision: object, creation: object | None = None) -> Any:
    """A model that retells what the user said, and decides on compaction as it is told to."""

    def answer(request: Request) -> dict[str, Any]:
        system, user = (m["content"] for m in request.body["messages"])
        if system.startswith("You are a memory creation"):
            said = next(line for line in user.splitlines() if " (user, " in line)
            memory = f"The user said: {said.partition('): ')[2]} It was noted."
            made = creation or {"memory": memory, "importance": 7, "tags": ["talk"]}
            return answered(made)
        if system.startswith("You are a memory management"):
            return answered(decision)
        if system.startswith("You find"):
            return answered({"facts": []})
        return answered({"summary": "They talked.", "topics": ["talk"]})

    return answer


def mood(decision: object, creation: object | None = None) -> Mood:
    return Mood(body=model(decision, creation))

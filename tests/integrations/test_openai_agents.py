"""A session of the Agents SDK: whole items in order, as its own SQLite session gives them; a real run."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from agents import (
    Agent,
    Model,
    ModelResponse,
    Runner,
    SQLiteSession,
    Usage,
    function_tool,
    set_tracing_disabled,
)
from agents.memory.session import Session
from hypothesis import given, settings
from hypothesis import strategies as st
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from clock import Clock
from recollect import Memory, TooLarge
from recollect.integrations.openai_agents import RecollectSession
from recollect.models.fakes import HashEmbedder

ITEMS: list[Any] = [
    {"role": "user", "content": "My name is Alex. What is the weather in Berlin?"},
    {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAAAB" + "x9" * 40},
    {"type": "function_call", "call_id": "call_1", "name": "weather", "arguments": '{"city": "Berlin"}'},
    {"type": "function_call_output", "call_id": "call_1", "output": "18 °C\nsunny"},
    {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [
            {"type": "output_text", "text": "It is sunny.", "annotations": [], "logprobs": None},
            {"type": "refusal", "refusal": "no"},
        ],
    },
    {
        "role": "user",
        "content": [{"type": "input_image", "image_url": "data:…"}, {"type": "input_text", "text": "?"}],
    },
    {"type": "item_reference", "id": "x", "nested": {"n": 1.5, "b": True, "none": None, "list": [[]]}},
]


@pytest.fixture
def session(memory: Memory) -> RecollectSession:
    return RecollectSession("s1", memory)


def test_items_come_back_whole_and_in_order(session: RecollectSession, memory: Memory) -> None:
    async def talk() -> None:
        assert isinstance(session, Session)
        await session.add_items(ITEMS[:4])
        await session.add_items([])
        await session.add_items(ITEMS[4:])
        assert await session.get_items() == ITEMS
        assert await session.get_items(2) == ITEMS[-2:]
        assert await session.get_items(0) == []
        assert await RecollectSession("other", memory).get_items() == []
        assert await RecollectSession("s1", memory).get_items() == ITEMS
        assert await session.pop_item() == ITEMS[-1]
        assert await session.get_items() == ITEMS[:-1]
        await session.clear_session()
        assert await session.get_items() == []
        assert await session.pop_item() is None

    asyncio.run(talk())
    assert memory.stats().messages == 0


def test_memory_learns_from_what_was_said(session: RecollectSession, memory: Memory) -> None:
    asyncio.run(session.add_items(ITEMS))
    memory.jobs.run()
    assert any("Alex" in r.text for r in memory.list().items)
    (conversation,) = memory.conversations.list().items
    told = [(str(m.role), m.text) for m in memory.conversations.messages(conversation.id)]
    assert told[1:5] == [
        ("tool", "(reasoning)"),
        ("tool", 'weather({"city": "Berlin"})'),
        ("tool", "18 °C\nsunny"),
        ("assistant", "It is sunny."),
    ]


def test_a_session_goes_on_after_its_conversation_has_ended(
    session: RecollectSession, memory: Memory, clock: Clock
) -> None:
    asyncio.run(session.add_items(ITEMS[:1]))
    memory.conversations.end(memory.conversations.list().items[0].id)
    clock.forward(days=3)
    asyncio.run(session.add_items(ITEMS[5:6]))
    assert asyncio.run(session.get_items()) == [ITEMS[0], ITEMS[5]]
    assert len(memory.conversations.list().items) == 2
    asyncio.run(session.clear_session())
    assert memory.conversations.list().items == []


def test_big_items_secrets_and_what_is_too_big(session: RecollectSession) -> None:
    big = {
        "type": "function_call_output",
        "call_id": "c",
        "output": [{"type": "input_text", "text": "word " * 50_000}],
    }
    secret = {"role": "user", "content": "the password is hunter2-Zebra9"}
    asyncio.run(session.add_items([big, secret]))  # type: ignore[list-item]
    first, second = asyncio.run(session.get_items())
    assert first == big
    assert "hunter2" not in str(second)
    with pytest.raises(TooLarge):
        asyncio.run(session.add_items([ITEMS[0], {"role": "user", "content": "x " * 600_000}]))
    assert len(asyncio.run(session.get_items())) == 2


LEAVES = st.one_of(st.none(), st.booleans(), st.integers(-9, 9), st.text(alphabet="ab \n", max_size=5))
DATA = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["text", "content", "x"]), inner, max_size=3),
    ),
    max_leaves=6,
)
ACTIONS = st.one_of(
    st.tuples(
        st.just("add"), st.lists(st.fixed_dictionaries({"type": st.just("t"), "output": DATA}), max_size=3)
    ),
    st.tuples(st.just("get"), st.one_of(st.none(), st.integers(0, 4))),
    st.tuples(st.just("pop"), st.none()),
    st.tuples(st.just("clear"), st.none()),
)


@settings(max_examples=15, deadline=None)
@given(actions=st.lists(ACTIONS, max_size=8))
def test_it_does_what_the_sdks_own_session_does(
    actions: list[tuple[str, Any]], tmp_path_factory: Any
) -> None:
    path = tmp_path_factory.mktemp("session") / "m.db"

    async def both(memory: Memory) -> None:
        reference, ours = SQLiteSession("s"), RecollectSession("s", memory)
        for action, what in actions:
            for_each: list[Any] = []
            for one in (reference, ours):
                if action == "add":
                    await one.add_items(what)
                elif action == "get":
                    for_each.append(await one.get_items(what))
                elif action == "pop":
                    for_each.append(await one.pop_item())
                else:
                    await one.clear_session()
            assert len(for_each) < 2 or for_each[0] == for_each[1]
        assert await reference.get_items() == await ours.get_items()
        reference.close()

    with Memory(path, embedder=HashEmbedder(), background=False) as memory:
        asyncio.run(both(memory))


class Scripted(Model):
    """A model that calls a tool, then answers; it keeps what it was given."""

    def __init__(self) -> None:
        self.given: list[Any] = []

    async def get_response(
        self, system_instructions: Any, input: Any, *args: Any, **kwargs: Any
    ) -> ModelResponse:
        self.given.append(input)
        text = ResponseOutputText(type="output_text", text=f"answer {len(self.given)}", annotations=[])
        output: Any = ResponseOutputMessage(
            id="m", type="message", role="assistant", status="completed", content=[text]
        )
        if len(self.given) == 1:
            output = ResponseFunctionToolCall(
                type="function_call", call_id="c1", name="weather", arguments="{}"
            )
        return ModelResponse(output=[output], usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


def test_a_real_run_has_its_history_the_next_time(session: RecollectSession) -> None:
    set_tracing_disabled(True)

    @function_tool
    def weather() -> str:
        """The weather."""
        return "sunny"

    model = Scripted()
    agent = Agent(name="a", model=model, tools=[weather])

    async def talk() -> list[str]:
        first = await Runner.run(agent, "How is the weather?", session=session)
        second = await Runner.run(agent, "And now?", session=session)
        return [first.final_output, second.final_output]

    assert asyncio.run(talk()) == ["answer 2", "answer 3"]
    kinds = [item.get("type", item.get("role")) for item in model.given[-1]]
    assert kinds == ["user", "function_call", "function_call_output", "message", "user"]

"""A state machine drives the store and compares it with a plain dictionary, on both databases."""

import tempfile
import uuid
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    invariant,
    rule,
    run_state_machine_as_test,
)

from clock import Clock
from recollect import Filter, Memory, NewMessage, Status
from recollect.models.fakes import HashEmbedder

SPACES = ("user:alex", "user:bob", "project:phoenix")
WORDS = st.lists(st.sampled_from("tea coffee berlin lisbon python 你好 café".split()), min_size=1).map(
    " ".join
)


@dataclass
class Known:
    """What the dictionary holds of one memory."""

    space: str
    texts: list[str]
    key: str | None = None
    value: str | None = None
    status: str = "active"


@dataclass
class Model:
    """The plain dictionary."""

    memories: dict[str, Known] = field(default_factory=dict)
    talks: dict[str, tuple[str, list[str]]] = field(default_factory=dict)


class Store(RuleBasedStateMachine):
    """The rules; `where` is set by the test for each database."""

    where = ""
    records = Bundle("records")
    chats = Bundle("chats")

    def __init__(self) -> None:
        super().__init__()
        self.clock = Clock()
        self.tenant = f"t-{uuid.uuid4().hex}"
        self.model = Model()
        self.memory = self.open()

    def open(self) -> Memory:
        return Memory(
            self.where,
            tenant=self.tenant,
            view=SPACES,
            embedder=HashEmbedder(),
            clock=self.clock,
            background=False,
        )

    def teardown(self) -> None:
        self.memory.close()

    @rule(target=records, space=st.sampled_from(SPACES), text=WORDS)
    def remember(self, space: str, text: str) -> str:
        id = self.memory.view(space).remember(text).id
        self.model.memories[id] = Known(space, [text])
        return id

    @rule(
        target=records, space=st.sampled_from(SPACES), key=st.sampled_from("ab"), value=st.sampled_from("xyz")
    )
    def remember_keyed(self, space: str, key: str, value: str) -> str:
        rivals = [
            (id, m) for id, m in self.model.memories.items()
            if (m.space, m.key, m.status) == (space, key, "active")
        ]  # fmt: skip
        receipt = self.memory.view(space).remember(f"{key} is {value}", key=key, value=value)
        same = [id for id, m in rivals if m.value == value]
        if same:
            assert (receipt.entries[0].action, receipt.id) == ("merged", same[0])
            return receipt.id
        for _, rival in rivals:
            rival.status = "superseded"
            rival.texts.append(rival.texts[-1])
        self.model.memories[receipt.id] = Known(space, [f"{key} is {value}"], key, value)
        return receipt.id

    @rule(id=records, text=WORDS)
    def update(self, id: str, text: str) -> None:
        if id in self.model.memories:
            self.memory.update(id, text=text)
            self.model.memories[id].texts.append(text)

    @rule(id=records)
    def forget(self, id: str) -> None:
        known = self.model.memories.get(id)
        if known and known.key is None and known.status == "active":
            self.memory.forget(id)
            known.status = "forgotten"
            known.texts.append(known.texts[-1])

    @rule(id=records)
    def restore(self, id: str) -> None:
        known = self.model.memories.get(id)
        if known and known.status == "forgotten":
            self.memory.restore(id)
            known.status = "active"
            known.texts.append(known.texts[-1])

    @rule(id=consumes(records))
    def erase_memory(self, id: str) -> None:
        if id in self.model.memories:
            self.memory.erase(memory=id)
            del self.model.memories[id]

    @rule(target=chats, space=st.sampled_from(SPACES))
    def start(self, space: str) -> str:
        chat = self.memory.view(space).conversations.start().id
        self.model.talks[chat] = (space, [])
        return chat

    @rule(chat=chats, texts=st.lists(WORDS, max_size=4))
    def add(self, chat: str, texts: list[str]) -> None:
        if chat in self.model.talks:
            self.memory.add_many([NewMessage(text=text) for text in texts], conversation=chat)
            self.model.talks[chat][1].extend(texts)

    @rule(chat=consumes(chats))
    def erase_conversation(self, chat: str) -> None:
        if chat in self.model.talks:
            self.memory.erase(conversation=chat)
            del self.model.talks[chat]

    @rule()
    def work(self) -> None:
        self.memory.jobs.run()

    @rule()
    def reopen(self) -> None:
        self.memory.close()
        self.memory = self.open()

    @invariant()
    def memories_match(self) -> None:
        found = {r.id: r for r in self.memory.list(Filter(statuses=tuple(Status)), limit=1_000).items}
        assert {id: (r.space, r.text, str(r.status), r.version) for id, r in found.items()} == {
            id: (m.space, m.texts[-1], m.status, len(m.texts)) for id, m in self.model.memories.items()
        }

    @invariant()
    def conversations_match(self) -> None:
        for chat, (space, texts) in self.model.talks.items():
            assert self.memory.conversations.get(chat).space == space
            assert [m.text for m in self.memory.conversations.messages(chat)] == texts

    @invariant()
    def words_match(self) -> None:
        found = {r.id for r in self.memory.list(Filter(words="berlin"), limit=1_000).items}
        assert found == {
            id for id, m in self.model.memories.items()
            if "berlin" in m.texts[-1] and m.status == "active"
        }  # fmt: skip


SETTINGS = settings(max_examples=15, stateful_step_count=20, deadline=None)


@pytest.mark.hypothesis
def test_sqlite_is_like_a_dictionary() -> None:
    with tempfile.TemporaryDirectory() as folder:

        class OnSqlite(Store):
            where = str(Path(folder) / "memory.db")

        run_state_machine_as_test(OnSqlite, settings=SETTINGS)


@pytest.mark.hypothesis
def test_postgres_is_like_a_dictionary(postgres_url: str) -> None:
    class OnPostgres(Store):
        where = postgres_url

    run_state_machine_as_test(OnPostgres, settings=SETTINGS)

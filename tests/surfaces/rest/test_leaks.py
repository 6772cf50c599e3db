"""Two tenants at random through every door of one server: nothing of one is ever seen by the other.

The doors are the remote client (and so REST), MCP and the command line. Every text of a tenant has a mark, by
which the other one asks for it, and a seal, which only its own answers may show.
"""

import io
import json
import random
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

from recollect import Memory, NotFound, RecollectError
from recollect.surfaces.cli.app import run
from served import Served

WORDS = ("harbour", "violin", "saffron", "glacier", "lantern", "orchard")
NOBODYS = "0190a8c0-0000-7000-8000-000000000000"
Step = Callable[[], object]


@dataclass
class Tenant:
    """One tenant with its doors, and what it has put in."""

    name: str
    url: str
    key: str
    memory: Memory
    tools: Callable[..., Any]
    mark: str
    seal: str
    ids: list[str] = field(default_factory=list)
    chats: list[str] = field(default_factory=list)

    def cli(self, *words: str) -> str:
        """What a command line prints, on either stream."""
        said = io.StringIO()
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(said), redirect_stderr(said):
            patch.setenv("RECOLLECT_KEY", self.key)
            run([*words, "--db", self.url, "--json"])
        return said.getvalue()

    def kept(self, receipt: Any) -> object:
        """Note the ids that a write gave, from whichever door."""
        held = receipt if isinstance(receipt, dict) else {}
        entries = held["entries"] if held else [{"id": e.id} for e in receipt.entries]
        self.ids += [entry["id"] for entry in entries]
        self.chats += filter(None, [held.get("conversation") if held else receipt.conversation])
        return receipt


@contextmanager
def opened(shared: Served, name: str, portal: BlockingPortal) -> Iterator[Tenant]:
    """A new tenant of the server with a session at each door."""
    rare = uuid.uuid4().hex
    key = shared.key("user:shared", "*", tenant=f"{name}-{rare[:8]}")
    http = httpx2.AsyncClient(headers={"authorization": f"Bearer {key}"})
    client = Client(streamable_http_client(f"{shared.url}/mcp", http_client=http))
    with (
        Memory(shared.url, key=key) as memory,
        portal.wrap_async_context_manager(http),
        portal.wrap_async_context_manager(client) as session,
    ):

        def tools(verb: str, *given: Any) -> Any:
            return portal.call(partial(getattr(session, verb), *given))

        mark, seal = f"{name}mark{rare[:10]}", f"{name}seal{rare[10:20]}"
        yield Tenant(name, shared.url, key, memory, tools, mark, seal)


def text_of(me: Tenant, chance: random.Random) -> str:
    return f"{me.mark} {me.seal} {chance.choice(WORDS)}"


def by_client(me: Tenant, asked: str, theirs: str, chance: random.Random, folder: Path) -> list[list[Step]]:
    """Steps by the remote client: in what is one's own, and at what is the other's."""
    memory, text, mine = me.memory, text_of(me, chance), chance.choice(me.ids or [NOBODYS])

    def export() -> object:
        memory.transfers.export(folder / f"{me.name}.jsonl")
        return (folder / f"{me.name}.jsonl").read_text("utf-8")

    own: list[Step] = [
        lambda: me.kept(memory.add(text)),
        lambda: me.kept(memory.remember(text, key=chance.choice(WORDS), value=me.seal, tags=[me.mark])),
        export,
        memory.list,
        memory.stats,
        memory.spaces.list,
        memory.jobs.run,
        memory.jobs.list,
        memory.conversations.list,
        memory.review.pending,
        memory.contradictions.list,
        lambda: memory.history(key=chance.choice(WORDS)),
        lambda: memory.recall(asked),
        lambda: memory.context(asked, budget=400),
        lambda: memory.view("user:shared", "user:extra").list(),
    ]
    foreign: list[Step] = [
        lambda: memory.get(theirs),
        lambda: memory.history(theirs),
        lambda: memory.update(theirs, text="mine now"),
        lambda: memory.forget(theirs),
        lambda: memory.erase(memory=theirs),
        lambda: memory.review.explain(theirs),
        lambda: memory.links.add(theirs, mine),
        lambda: memory.conversations.messages(theirs),
        lambda: memory.contexts.expand(theirs),
        lambda: memory.add("hello", conversation=theirs),
    ]
    return [own, foreign]


def by_mcp(me: Tenant, asked: str, theirs: str, chance: random.Random, _: Path) -> list[list[Step]]:
    """The same by the tools, resources and prompts of MCP."""
    text = text_of(me, chance)

    def tool(name: str, **given: Any) -> Step:
        return lambda: me.tools("call_tool", name, given)

    def told(name: str, **given: Any) -> Step:
        return lambda: me.kept(me.tools("call_tool", name, given).structured_content)

    def read(uri: str) -> Step:
        return lambda: me.tools("read_resource", uri)

    own = [
        told("remember", text=text, key=chance.choice(WORDS), value=me.seal),
        told("record_fact", text=text),
        tool("recall", query=asked),
        tool("context", query=asked, budget=400),
        tool("timeline", since="2020-01-01"),
        tool("timeline", key=chance.choice(WORDS)),
        tool("resolve_contradiction"),
        tool("update_project_memory", lines=[text]),
        read("recollect://tier/project"),
        read("recollect://tier/session"),
        lambda: me.tools("get_prompt", "start", {"task": asked}),
    ]
    foreign = [
        tool("expand", ref=theirs),
        tool("forget", ids=[theirs]),
        tool("resolve_contradiction", id=theirs, resolution="a_wins"),
        read(f"recollect://memory/{theirs}"),
    ]
    return [own, foreign]


def by_command(me: Tenant, asked: str, theirs: str, chance: random.Random, folder: Path) -> list[list[Step]]:
    """The same by the command line."""
    text, mine = text_of(me, chance), chance.choice(me.ids or [NOBODYS])
    file = str(folder / f"{me.name}-command.jsonl")

    def command(*words: str) -> Step:
        return lambda: me.cli(*words)

    def told(*words: str) -> Step:
        return lambda: me.kept(json.loads(me.cli(*words)))

    def export() -> object:
        return me.cli("export", file) + Path(file).read_text("utf-8")

    own = [
        told("add", text),
        told("remember", text, "--key", chance.choice(WORDS), "--value", me.seal),
        export,
        command("list", "--words", asked),
        command("recall", asked),
        command("context", asked),
        command("stats"),
        command("history", chance.choice(WORDS)),
        command("space", "list"),
        command("conversation", "list"),
        command("review"),
        command("jobs", "list"),
    ]
    foreign = [
        command("get", theirs),
        command("history", theirs),
        command("update", theirs, "--text", "mine now"),
        command("forget", theirs),
        command("erase", "--memory", theirs, "--yes"),
        command("explain", theirs),
        command("link", theirs, mine),
        command("conversation", "show", theirs),
        command("conversation", "end", theirs),
        command("expand", theirs),
        command("add", "hello", "--conversation", theirs),
    ]
    return [own, foreign]


class Decks:
    """Draws by chance in which every step of a door comes round before any comes again."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._left: dict[tuple[object, ...], list[int]] = {}

    def draw(self, steps: list[Step], *deck: object) -> Step:
        left = self._left.get(deck) or self._chance.sample(range(len(steps)), len(steps))
        self._left[deck] = left[1:]
        return steps[left[0]]


def test_nothing_leaks(shared: Served, tmp_path: Path) -> None:
    chance = random.Random(8)
    decks = Decks(chance)
    with (
        start_blocking_portal() as portal,
        opened(shared, "ann", portal) as ann,
        opened(shared, "bob", portal) as bob,
    ):
        for _ in range(15):
            for door in (by_client, by_mcp, by_command):
                for me, other in chance.sample([(ann, bob), (bob, ann)], 2):
                    asked = f"{other.mark} {chance.choice(WORDS)}"
                    theirs = chance.choice([*other.ids, *other.chats] or [NOBODYS])
                    for foreign, steps in enumerate(door(me, asked, theirs, chance, tmp_path)):
                        try:
                            seen = decks.draw(steps, me.name, door, foreign)()
                        except (RecollectError, MCPError) as error:
                            seen = error
                        assert other.seal not in repr(seen), (me.name, seen)
        for one in (ann, bob):
            _everything_is_its_own(one, chance)


def _everything_is_its_own(one: Tenant, chance: random.Random) -> None:
    """What a tenant put in is there as it was, and its own doors do show it."""
    one.kept(one.memory.remember(text_of(one, chance)))
    for id in one.ids:
        try:
            one.memory.get(id)
        except NotFound:
            assert one.seal in one.memory.conversations.message(id).text
    assert all(one.seal in r.text for r in one.memory.list().items)
    assert one.seal in repr(one.memory.recall(one.mark))
    assert one.seal in repr(one.tools("call_tool", "recall", {"query": one.mark}))
    assert one.seal in one.cli("recall", one.mark)
    assert not Path("memory.md").exists(), "the server's own files are no tenant's"

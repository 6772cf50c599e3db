"""Many apps, many conversations at once: every app at its cap, and nothing of one in another."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps_talk import talk
from recollect import Filter, Memory, Status
from recollect.models.fakes import HashEmbedder

APPS = ("a", "b", "a%", "A", "a_", "ab")
STEP = st.one_of(
    st.tuples(st.just("talk"), st.sampled_from(APPS)),
    st.tuples(st.just("talk"), st.sampled_from(APPS)),
    st.tuples(st.just("cap"), st.sampled_from(APPS)),
    st.tuples(st.just("restore"), st.sampled_from(APPS)),
    st.tuples(st.just("uninstall"), st.sampled_from(APPS)),
    st.tuples(st.just("purge"), st.sampled_from(APPS)),
    st.tuples(st.just("context"), st.sampled_from(APPS)),
)


def marks(text: str) -> set[str]:
    """The apps that a text tells of: every conversation names its own."""
    return {APPS[int(n)] for n in re.findall(r"Zebra(\d)", text)}


def act(memory: Memory, verb: str, app: str, turn: int) -> None:
    match verb:
        case "talk":
            own = f"Zebra{APPS.index(app)}"
            talk(memory, app, f"We decided to use {own} number {turn} for the launch.", "I live in Berlin.")
            memory.jobs.run()
        case "cap":
            memory.apps.register(app, cap=1 + turn % 3)
            memory.jobs.run()
        case "restore":
            removed = memory.apps.memories(app, removed=True)
            if removed and memory.apps.get(app).cap > 1:
                memory.apps.restore(app, removed[0].id)
        case "uninstall":
            memory.apps.uninstall(app)
            memory.apps.register(app)
        case "purge":
            memory.apps.purge(app)
        case _:
            memory.apps.context(app)


@settings(
    max_examples=8,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(STEP, min_size=4, max_size=14))
def test_no_app_ever_tells_of_another(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str]]
) -> None:
    folder: Path = tmp_path_factory.mktemp("walls")
    with Memory(folder / "m.db", embedder=HashEmbedder(), background=False) as memory:
        for app in APPS:
            memory.apps.register(app, cap=2)
        for turn, (verb, app) in enumerate(steps):
            act(memory, verb, app, turn)
        for app in APPS:
            every = memory.view(f"app:{app}").list(Filter(statuses=tuple(Status)), limit=1_000).items
            seen = [
                memory.apps.context(app).text,
                str(memory.apps.export(app)),
                str(memory.apps.memories(app, removed=True)),
                str(memory.apps.search(app, "Zebra launch decided Berlin", limit=50)),
                str([r.text for r in every]),
            ]
            assert marks(" ".join(seen)) <= {app}
            assert len(memory.apps.memories(app)) <= memory.apps.get(app).cap
            chats = {c.id for c in memory.view(f"app:{app}").conversations.list(limit=100).items}
            for kept in memory.apps.memories(app):
                assert kept.source_conversation_id in chats
                assert set(kept.related_conversations) <= chats


SIZES = {"sqlite": 60, "postgres": 25}
"""How many apps, each at its cap already; `bench/apps.py` does a thousand."""


def test_many_apps_with_conversations_that_end_at_once(where: str) -> None:
    apps = SIZES["postgres" if where.startswith("postgres") else "sqlite"]
    with Memory(where, embedder=HashEmbedder(), background=False) as memory:
        for i in range(apps):
            memory.apps.register(f"app{i}")
            view = memory.view(f"app:app{i}")
            for n in range(10):
                view.remember(f"Tool{n} is used in Zebra{i}x.", category="session", kind="note")

        def use(i: int) -> None:
            talk(memory, f"app{i}", f"We decided to use Python in Zebra{i}x.")
            memory.jobs.run()

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(use, range(apps)))
        memory.jobs.run()
        for i in range(apps):
            found = memory.apps.memories(f"app{i}")
            assert len(found) == 10
            assert "Python" in str(found)
            assert set(re.findall(r"Zebra\d+x", str(found))) == {f"Zebra{i}x"}
        assert memory.apps.stats().counters["created"] == apps
        assert memory.jobs.list() == []

"""The public door: what it names, that the async door has the same verbs, and that both work."""

import ast
import asyncio
import inspect
from pathlib import Path

import pytest

import recollect
from recollect import AsyncMemory, Memory, NewMessage, NotFound, aio, errors, groups
from recollect.apps.verbs import Apps
from recollect.context.verbs import Contexts
from recollect.files.verbs import Files
from recollect.ingest.graph_verbs import Graphs
from recollect.ingest.verbs import Conversations, Links, Review
from recollect.models.fakes import HashEmbedder
from recollect.upkeep.inbox import Contradictions
from recollect.upkeep.vectors import Vectors
from recollect.upkeep.verbs import Upkeep


def test_all_names_exist_and_are_sorted() -> None:
    assert recollect.__all__ == sorted(recollect.__all__)
    for name in recollect.__all__:
        assert getattr(recollect, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'Nonsense'"):
        _ = recollect.Nonsense


def test_every_error_is_public_and_drawn() -> None:
    drawn = errors.__doc__ or ""
    for name, value in vars(errors).items():
        if isinstance(value, type):
            assert name in recollect.__all__
            assert name in drawn
            assert issubclass(value, errors.RecollectError)


def test_every_verb_has_a_command() -> None:
    """Whatever Python can do, the command line can; but nobody closes or views from there."""
    called: set[str] = set()
    for file in (Path(recollect.__file__).parent / "surfaces" / "cli").glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Attribute):
                called.add(ast.unparse(node).partition("memory.")[2])
    with Memory(embedder=HashEmbedder(), background=False) as memory:
        groups_of = {f"{name}.": type(held) for name, held in vars(memory).items() if name[0] != "_"}
    verbs = {prefix + name for prefix, kind in {"": Memory, **groups_of}.items() for name in public(kind)}
    assert verbs - called == {"close", "view"}


def public(kind: type) -> dict[str, object]:
    return {n: v for n, v in vars(kind).items() if not n.startswith("_") and callable(v)}


@pytest.mark.parametrize(
    ("door", "twin"),
    [
        (Memory, AsyncMemory),
        (groups.Spaces, aio.AsyncSpaces),
        (Conversations, aio.AsyncConversations),
        (Links, aio.AsyncLinks),
        (Review, aio.AsyncReview),
        (Graphs, aio.AsyncGraphs),
        (groups.Jobs, aio.AsyncJobs),
        (groups.Transfers, aio.AsyncTransfers),
        (Contexts, aio.AsyncContexts),
        (Apps, aio.AsyncApps),
        (Contradictions, aio.AsyncContradictions),
        (Files, aio.AsyncFiles),
        (Vectors, aio.AsyncVectors),
        (Upkeep, aio.AsyncUpkeep),
    ],
)
def test_both_doors_have_the_same_verbs(door: type, twin: type) -> None:
    verbs, awaited = public(door), public(twin)
    assert verbs.keys() == awaited.keys()
    for name, verb in verbs.items():
        expected, found = inspect.signature(verb), inspect.signature(awaited[name])  # type: ignore[arg-type]
        assert list(found.parameters.values()) == list(expected.parameters.values()), name


def test_async_calls_run_at_once(tmp_path: Path) -> None:
    async def talk() -> list[str]:
        path = tmp_path / "m.db"
        async with AsyncMemory(path, view="user:alex", embedder=HashEmbedder(), background=False) as memory:
            chats = [await memory.conversations.start(str(i)) for i in range(4)]
            await asyncio.gather(
                *(
                    memory.add_many([NewMessage(text=f"{i} {j}") for j in range(20)], conversation=chat.id)
                    for i, chat in enumerate(chats)
                )
            )
            with pytest.raises(NotFound):
                await memory.view("user:bob").conversations.get(chats[0].id)
            await memory.jobs.run()
            return [str((await memory.conversations.get(chat.id)).turns) for chat in chats]

    assert asyncio.run(talk()) == ["20"] * 4


def test_upkeep_is_called_through_both_doors(tmp_path: Path) -> None:
    async def keep() -> dict[str, int]:
        path = tmp_path / "m.db"
        async with AsyncMemory(path, view="user:alex", embedder=HashEmbedder(), background=False) as memory:
            for text in ("Alex likes dark mode in all editors", "Alex likes dark mode in all editors."):
                await memory.remember(text)
            report = await memory.upkeep(dry_run=True)
            return dict(report.counts)

    assert asyncio.run(keep())["deduped"] == 1
    assert inspect.signature(aio.AsyncUpkeep.__call__) == inspect.signature(Upkeep.__call__)

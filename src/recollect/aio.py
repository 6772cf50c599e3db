"""AsyncMemory: the same verbs for async code, each run on a worker thread.

Nothing is written twice: a verb here is the verb of `Memory`, with its signature, wrapped. A test
compares the two doors.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import wraps
from types import TracebackType
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from recollect.apps.verbs import Apps
from recollect.context.verbs import Contexts
from recollect.files.verbs import Files
from recollect.groups import Jobs, Spaces, Transfers
from recollect.ingest.graph_verbs import Graphs
from recollect.ingest.verbs import Conversations, Links, Review
from recollect.memory import Memory
from recollect.upkeep.inbox import Contradictions
from recollect.upkeep.vectors import Vectors
from recollect.upkeep.verbs import Upkeep

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S")


class Threaded(Generic[S]):
    """Holds a synchronous thing whose verbs run on threads."""

    def __init__(self, inner: S) -> None:
        self._inner = inner


def _threaded(
    verb: Callable[Concatenate[S, P], R],
) -> Callable[Concatenate[Threaded[S], P], Awaitable[R]]:
    @wraps(verb)
    async def call(self: Threaded[S], /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await asyncio.to_thread(getattr(self._inner, verb.__name__), *args, **kwargs)

    return call


class AsyncSpaces(Threaded[Spaces]):
    """`memory.spaces` for async code."""

    create = _threaded(Spaces.create)
    get = _threaded(Spaces.get)
    list = _threaded(Spaces.list)


class AsyncConversations(Threaded[Conversations]):
    """`memory.conversations` for async code."""

    start = _threaded(Conversations.start)
    pause = _threaded(Conversations.pause)
    resume = _threaded(Conversations.resume)
    end = _threaded(Conversations.end)
    get = _threaded(Conversations.get)
    list = _threaded(Conversations.list)
    messages = _threaded(Conversations.messages)
    message = _threaded(Conversations.message)
    said = _threaded(Conversations.said)
    recent = _threaded(Conversations.recent)
    narrative = _threaded(Conversations.narrative)


class AsyncLinks(Threaded[Links]):
    """`memory.links` for async code."""

    add = _threaded(Links.add)
    remove = _threaded(Links.remove)
    walk = _threaded(Links.walk)


class AsyncGraphs(Threaded[Graphs]):
    """`memory.graph` for async code."""

    read = _threaded(Graphs.read)
    add = _threaded(Graphs.add)
    observe = _threaded(Graphs.observe)
    forget = _threaded(Graphs.forget)
    forget_observations = _threaded(Graphs.forget_observations)
    forget_relations = _threaded(Graphs.forget_relations)


class AsyncReview(Threaded[Review]):
    """`memory.review` for async code."""

    pending = _threaded(Review.pending)
    quarantined = _threaded(Review.quarantined)
    promote = _threaded(Review.promote)
    explain = _threaded(Review.explain)


class AsyncJobs(Threaded[Jobs]):
    """`memory.jobs` for async code."""

    list = _threaded(Jobs.list)
    retry = _threaded(Jobs.retry)
    run = _threaded(Jobs.run)
    work = _threaded(Jobs.work)
    stop = _threaded(Jobs.stop)
    schedule = _threaded(Jobs.schedule)
    unschedule = _threaded(Jobs.unschedule)
    schedules = _threaded(Jobs.schedules)


class AsyncTransfers(Threaded[Transfers]):
    """`memory.transfers` for async code."""

    export = _threaded(Transfers.export)
    load = _threaded(Transfers.load)
    load_chats = _threaded(Transfers.load_chats)
    export_folder = _threaded(Transfers.export_folder)
    load_folder = _threaded(Transfers.load_folder)


class AsyncContexts(Threaded[Contexts]):
    """`memory.contexts` for async code."""

    expand = _threaded(Contexts.expand)
    feedback = _threaded(Contexts.feedback)
    detect = _threaded(Contexts.detect)


class AsyncApps(Threaded[Apps]):
    """`memory.apps` for async code."""

    register = _threaded(Apps.register)
    list = _threaded(Apps.list)
    get = _threaded(Apps.get)
    of_conversation = _threaded(Apps.of_conversation)
    uninstall = _threaded(Apps.uninstall)
    memories = _threaded(Apps.memories)
    search = _threaded(Apps.search)
    delete = _threaded(Apps.delete)
    purge = _threaded(Apps.purge)
    restore = _threaded(Apps.restore)
    export = _threaded(Apps.export)
    stats = _threaded(Apps.stats)
    energy = _threaded(Apps.energy)
    context = _threaded(Apps.context)


class AsyncContradictions(Threaded[Contradictions]):
    """`memory.contradictions` for async code."""

    list = _threaded(Contradictions.list)
    get = _threaded(Contradictions.get)
    resolve = _threaded(Contradictions.resolve)
    reopen = _threaded(Contradictions.reopen)


class AsyncFiles(Threaded[Files]):
    """`memory.files` for async code."""

    get_context = _threaded(Files.get_context)
    distill = _threaded(Files.distill)
    summarize_session = _threaded(Files.summarize_session)
    record_fact = _threaded(Files.record_fact)
    update_project_memory = _threaded(Files.update_project_memory)
    schedule_distill = _threaded(Files.schedule_distill)
    read_folder = _threaded(Files.read_folder)
    folders = _threaded(Files.folders)
    remove_folder = _threaded(Files.remove_folder)
    watch_folder = _threaded(Files.watch_folder)


class AsyncVectors(Threaded[Vectors]):
    """`memory.vectors` for async code."""

    reembed = _threaded(Vectors.reembed)
    begin_reembed = _threaded(Vectors.begin_reembed)
    status = _threaded(Vectors.status)
    cancel_reembed = _threaded(Vectors.cancel_reembed)


class AsyncUpkeep(Threaded[Upkeep]):
    """`memory.upkeep` for async code."""

    __call__ = _threaded(Upkeep.__call__)
    undo = _threaded(Upkeep.undo)
    runs = _threaded(Upkeep.runs)
    merge = _threaded(Upkeep.merge)


class AsyncMemory(Threaded[Memory]):
    """A memory for async code: `async with AsyncMemory("path") as memory: await memory.add(…)`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(Memory(*args, **kwargs))
        self._bind()

    def _bind(self) -> None:
        self.spaces = AsyncSpaces(self._inner.spaces)
        self.conversations = AsyncConversations(self._inner.conversations)
        self.links = AsyncLinks(self._inner.links)
        self.graph = AsyncGraphs(self._inner.graph)
        self.review = AsyncReview(self._inner.review)
        self.jobs = AsyncJobs(self._inner.jobs)
        self.transfers = AsyncTransfers(self._inner.transfers)
        self.contexts = AsyncContexts(self._inner.contexts)
        self.apps = AsyncApps(self._inner.apps)
        self.contradictions = AsyncContradictions(self._inner.contradictions)
        self.files = AsyncFiles(self._inner.files)
        self.vectors = AsyncVectors(self._inner.vectors)
        self.upkeep = AsyncUpkeep(self._inner.upkeep)

    def view(self, *spaces: str) -> AsyncMemory:
        """The same memory through another view; it shares everything but what it sees."""
        seen = AsyncMemory.__new__(AsyncMemory)
        seen._inner = self._inner.view(*spaces)
        seen._bind()
        return seen

    close = _threaded(Memory.close)
    add = _threaded(Memory.add)
    add_many = _threaded(Memory.add_many)
    remember = _threaded(Memory.remember)
    get = _threaded(Memory.get)
    list = _threaded(Memory.list)
    recall = _threaded(Memory.recall)
    context = _threaded(Memory.context)
    update = _threaded(Memory.update)
    history = _threaded(Memory.history)
    forget = _threaded(Memory.forget)
    restore = _threaded(Memory.restore)
    erase = _threaded(Memory.erase)
    stats = _threaded(Memory.stats)
    doctor = _threaded(Memory.doctor)

    async def __aenter__(self) -> AsyncMemory:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

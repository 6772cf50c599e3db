"""Memory: the door. Each verb checks what it is given and calls one flow."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING

from recollect import nouns, wiring
from recollect import settings as settings_module
from recollect.errors import InvalidInput, NotFound
from recollect.ingest import gate
from recollect.ingest.embedders import Embedders
from recollect.jobs.worker import Worker
from recollect.model.conversation import NewMessage, Role
from recollect.model.filter import AsOf, Filter, Page
from recollect.model.ids import checked_id
from recollect.model.record import Record
from recollect.model.space import View, spaces_of
from recollect.recall.toolbox import Toolbox
from recollect.recall.uses import Uses
from recollect.store import memories
from recollect.store.migrate import migrate
from recollect.store.open import opened
from recollect.store.scope import Clock, Scope

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path
    from types import TracebackType
    from typing import Any, Unpack

    from recollect.context.layouts import Layout
    from recollect.files.tools import FileTools
    from recollect.ingest.options import DigestOptions
    from recollect.ingest.remember import Changes, Fields
    from recollect.model.context import Context, Format, Signals
    from recollect.model.found import Recalled
    from recollect.model.receipt import Erasure, Receipt
    from recollect.models.llm import LLM
    from recollect.models.ports import Embedder
    from recollect.recall.recipes import Recipe
    from recollect.upkeep.doctor import Finding
    from recollect.upkeep.options import UpkeepOptions
    from recollect.upkeep.stats import Stats

MAX_PAGE = 1_000
MAX_RECALL = 200


def system_clock() -> datetime:
    """The time now."""
    return datetime.now(UTC)


@dataclass(slots=True)
class Engine:
    """What all views of one open memory share."""

    toolbox: Toolbox
    worker: Worker
    options: DigestOptions
    files: FileTools
    upkeep: UpkeepOptions
    background: bool
    uses: Uses = field(default_factory=Uses)

    def stir(self) -> None:
        """Something was promised: let the background worker look, if there is one."""
        if self.background:
            self.worker.start()
            self.worker.wake()


class Memory:
    """A memory for assistants, in a file or a PostgreSQL database, seen through one view.

    `where` is a path or a `postgresql://` URL; `view` the spaces to see, most specific first (writes go
    to the first). With `background` a thread does the follow-up work; without, `jobs.run()` does.
    With the address of a server (`http://host:port`) and a `key`, it is the memory which that server holds.
    """

    def __new__(cls, where: str | Path | None = None, **_: Any) -> Memory:
        """A server's address gives the memory that it holds, with the same verbs."""
        if cls is Memory and settings_module.names_server(where):
            from recollect.remote.memory import RemoteMemory

            return object.__new__(RemoteMemory)
        return object.__new__(cls)

    def __init__(
        self,
        where: str | Path | None = None,
        *,
        tenant: str | None = None,
        view: str | Sequence[str] | None = None,
        embedder: str | Embedder | None = None,
        llm: str | LLM | None = None,
        clock: Clock = system_clock,
        background: bool = True,
        key: str | None = None,
    ) -> None:
        if key is not None:
            raise InvalidInput("a key is for a server: pass its address, such as 'http://127.0.0.1:8420'")
        spec = embedder if isinstance(embedder, str) else None
        chosen = settings_module.load(db=None if where is None else str(where), tenant=tenant, embedder=spec)
        seen = View(spaces_of(chosen.view if view is None else view))
        gate.text(chosen.tenant, "the tenant", gate.MAX_NAME)
        options = wiring.digest_options(chosen)
        wanted = embedder if embedder is not None and spec is None else chosen.embedder
        embedders = Embedders(wanted, wiring.model_options(chosen))
        database = opened(chosen.db or settings_module.default_path())
        scope = Scope(database, chosen.tenant, seen, clock)
        try:
            migrate(database)
            embedders.check(scope)
        except BaseException:
            database.close()
            raise
        files = wiring.file_tools(chosen, wiring.llms(chosen, llm))
        toolbox, kept = Toolbox(embedders), wiring.upkeep_options(chosen)
        worker = Worker(database, wiring.handlers(scope, toolbox, files, options, kept), clock)
        self._bind(scope, Engine(toolbox, worker, options, files, kept, background))

    def _bind(self, scope: Scope, engine: Engine) -> None:
        self._scope = scope
        self._engine = engine

    spaces = cached_property(nouns.spaces)
    conversations = cached_property(nouns.conversations)
    links = cached_property(nouns.links)
    graph = cached_property(nouns.graph)
    review = cached_property(nouns.review)
    jobs = cached_property(nouns.jobs)
    transfers = cached_property(nouns.transfers)
    contexts = cached_property(nouns.contexts)
    apps = cached_property(nouns.apps)
    contradictions = cached_property(nouns.contradictions)
    files = cached_property(nouns.files)
    vectors = cached_property(nouns.vectors)
    upkeep = cached_property(nouns.upkeep)

    def view(self, *spaces: str) -> Memory:
        """The same memory through another view; it shares everything but what it sees."""
        return bound(self, self._scope.seeing(*spaces))

    def close(self) -> None:
        """Finish the job in hand and give back every connection, for all views of this memory."""
        self._engine.worker.stop()
        self._engine.uses.settle_all(self._scope)
        self._engine.toolbox.indexes.save()
        self._scope.database.close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def add(
        self,
        message: str | NewMessage,
        *,
        role: Role | str = Role.USER,
        speaker: str | None = None,
        said_at: datetime | None = None,
        conversation: str | None = None,
    ) -> Receipt:
        """Commit a message and its follow-up work, then return. Without a conversation: the open one."""
        if not isinstance(message, NewMessage):
            chosen = gate.choice(role, Role, "role")
            message = NewMessage(text=message, role=chosen, speaker=speaker, said_at=said_at)
        return self.add_many([message], conversation=conversation)

    def add_many(self, messages: Iterable[NewMessage], *, conversation: str | None = None) -> Receipt:
        """Commit many messages in one transaction: all of them, or none."""
        from recollect.ingest import conversations as talk

        self._count_uses()
        receipt = talk.add(self._scope, list(messages), conversation)
        self._engine.stir()
        return receipt

    def remember(self, text: str, **fields: Unpack[Fields]) -> Receipt:
        """Store a memory by hand; with `key` and `value`, in place of the key's old value."""
        from recollect.ingest import remember

        receipt = remember.remember(self._scope, text, fields)
        self._engine.stir()
        return receipt

    def get(self, id: str, *, as_of: datetime | AsOf | None = None) -> Record:
        """One memory, as it is or as it was known at a time."""
        id = checked_id(id, "the memory id")
        seen = self._scope.view.spaces
        if as_of is None:
            found = self._scope.read(lambda tx: memories.by_id(tx, [id], seen).get(id))
        else:
            when = times_of(as_of)
            found = self._scope.read(lambda tx: memories.at(tx, id, seen, when))
        if found is None:
            raise NotFound(f"no memory {id} in {', '.join(seen)}" + (" at that time" if as_of else ""))
        return found

    def list(
        self,
        wanted: Filter | None = None,
        *,
        limit: int = 50,
        after: str | None = None,
        as_of: datetime | AsOf | None = None,
    ) -> Page[Record]:
        """Memories of the view that fit a filter, newest first, a page at a time."""
        gate.count(limit, "limit", 1, MAX_PAGE)
        before = None if after is None else checked_id(after, "after")
        when = None if as_of is None else times_of(as_of)
        found = self._scope.read(
            lambda tx: memories.page(
                tx,
                self._scope.view.spaces,
                wanted or Filter(),
                before=before,
                limit=limit,
                as_of=when,
            )
        )
        return Page(found, found[-1].id if len(found) == limit else None)

    def recall(
        self,
        query: str,
        *,
        wanted: Filter | None = None,
        limit: int = 10,
        recipe: str | Recipe | None = None,
        rerank_ms: float = 0.0,
        threshold: float | None = None,
        as_of: datetime | AsOf | None = None,
    ) -> Recalled:
        """The best of everything said and remembered for a query, each with why it was found.

        With `rerank_ms` a cross-encoder reads as many of the best as that time allows. What scores no more
        than `threshold` before that is no hit; without one the recipe judges, and 0 lets everything through.
        """
        from recollect.recall.recall import recall

        gate.count(limit, "limit", 1, MAX_RECALL)
        gate.text(query, "the query")
        least = None if threshold is None else gate.share(threshold, "threshold")
        means = self._engine.toolbox.means(self._scope, recipe, rerank_ms, least)
        when = None if as_of is None else times_of(as_of)
        found = recall(self._scope, query, means, wanted=wanted or Filter(), limit=limit, as_of=when)
        self._engine.uses.note(self._scope, (f.id for f in found if isinstance(f.item, Record)))
        return found

    def context(
        self,
        query: str | None = None,
        *,
        conversation: str | None = None,
        signals: Signals | None = None,
        layout: str | Layout = "chat",
        budget: int | None = None,
        model: str | None = None,
        format: Format | str = "text",
    ) -> Context:
        """What an assistant should know for this turn, within a budget of tokens that is never exceeded.

        Without a query, the last thing the user said is what it is about; without a conversation, the
        open one is shown. `model` is whose tokens are counted (else o200k).
        """
        from recollect.context import assemble
        from recollect.context.layouts import layout_of
        from recollect.context.verbs import MAX_BUDGET
        from recollect.model.context import Format
        from recollect.models.tokens import tokenizer_for

        chosen = layout_of(layout)
        if conversation is not None:
            conversation = self.conversations.get(conversation).id
        request = assemble.Request(
            query=None if query is None else gate.text(query, "the query"),
            conversation=conversation,
            signals=signals,
            layout=chosen,
            budget=chosen.budget if budget is None else gate.count(budget, "budget", 0, MAX_BUDGET),
            tokenizer=tokenizer_for(model or assemble.DEFAULT_MODEL),
            format=gate.choice(format, Format, "format"),
        )
        means = self._engine.toolbox.means(self._scope, chosen.recipe)
        made, shown = assemble.context(self._scope, means, request)
        self._engine.uses.note(self._scope, made.ids(), shown)
        return made

    def update(self, id: str, **changes: Unpack[Changes]) -> Record:
        """A new version of a memory; the old one stays in its history."""
        from recollect.ingest import remember

        record = remember.update(self._scope, id, changes)
        self._engine.stir()
        return record

    def history(
        self, id: str | None = None, *, key: str | None = None, subject: str | None = None
    ) -> Sequence[Record]:
        """Every version of one memory, or of all memories with a key, oldest first."""
        seen = self._scope.view.spaces
        if (id is None) == (key is None):
            raise InvalidInput("history of what? Pass an id or key='…', one of them")
        if key is not None:
            return self._scope.read(lambda tx: memories.versions_of_key(tx, seen, key, subject))
        one = checked_id(id, "the memory id")
        found = self._scope.read(lambda tx: memories.versions(tx, one, seen))
        if not found:
            raise NotFound(f"no memory {one} in {', '.join(seen)}")
        return found

    def forget(self, *ids: str) -> Receipt:
        """Set memories aside: not recalled any more, but kept and restorable."""
        from recollect.ingest import remember

        return remember.forget(self._scope, ids)

    def restore(self, *ids: str) -> Receipt:
        """Bring forgotten or archived memories back."""
        from recollect.ingest import remember

        return remember.restore(self._scope, ids)

    def erase(
        self,
        *,
        message: str | None = None,
        conversation: str | None = None,
        memory: str | None = None,
        space: str | None = None,
        user: str | None = None,
    ) -> Erasure:
        """Remove one thing for good, with its vectors, its words and what was derived from it alone."""
        from recollect.ingest.erase import erase, target

        aim = target(message=message, conversation=conversation, memory=memory, space=space, user=user)
        self._count_uses()  # a context that shows it and was not yet written down must go too
        receipt = erase(self._scope, aim)
        self._engine.toolbox.indexes.erased(self._scope)
        return receipt

    def stats(self) -> Stats:
        """What is in this memory."""
        from recollect.upkeep.stats import stats

        return stats(self._scope)

    def doctor(self) -> Sequence[Finding]:
        """Whether this memory is sound: every row is compared with its digest."""
        from recollect.upkeep.doctor import doctor

        return doctor(self._scope)

    def _count_uses(self) -> None:
        self._engine.uses.settle(self._scope)


def scope_of(memory: Memory) -> Scope:
    """The scope behind a memory: for servers, which keep keys and an audit log beside it."""
    return memory._scope


def engine_of(memory: Memory) -> Engine:
    """What a memory shares with its views: for servers, which keep its worker and its counts going."""
    return memory._engine


def bound(memory: Memory, scope: Scope) -> Memory:
    """An open memory through another scope: for servers, which answer many tenants from one."""
    seen = object.__new__(Memory)
    seen._bind(scope, memory._engine)
    return seen


def times_of(given: datetime | AsOf) -> AsOf:
    """One moment stands for both times."""
    if isinstance(given, AsOf):
        return AsOf(
            valid=gate.optional_moment(given.valid, "as_of"),
            recorded=gate.optional_moment(given.recorded, "as_of"),
        )
    at = gate.moment(given, "as_of")
    return AsOf(valid=at, recorded=at)

"""RemoteMemory: the verbs of `Memory` on a memory that a server holds."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from recollect import settings as settings_module
from recollect.context.verbs import MAX_BUDGET
from recollect.errors import InvalidInput
from recollect.ingest import gate
from recollect.ingest.remember import Changes, Fields, checked_fields
from recollect.memory import MAX_PAGE, MAX_RECALL, Memory, system_clock, times_of
from recollect.model.context import Context, Format, Signals
from recollect.model.conversation import NewMessage
from recollect.model.filter import AsOf, Filter, Page
from recollect.model.found import Recalled
from recollect.model.receipt import Erasure, Receipt
from recollect.model.record import Record
from recollect.model.space import View, spaces_of
from recollect.model.wire import decoded, encoded
from recollect.remote.client import Client
from recollect.remote.groups import (
    RemoteContexts,
    RemoteConversations,
    RemoteJobs,
    RemoteLinks,
    RemoteReview,
    RemoteSpaces,
    listed,
    paged,
)
from recollect.remote.keeping import Elsewhere, RemoteApps, RemoteContradictions, RemoteUpkeep
from recollect.remote.line import Line, segment
from recollect.remote.transfers import RemoteTransfers
from recollect.store.scope import Clock, Scope

if TYPE_CHECKING:
    from recollect.context.layouts import Layout
    from recollect.models.llm import LLM
    from recollect.models.ports import Embedder
    from recollect.recall.recipes import Recipe
    from recollect.upkeep.doctor import Finding
    from recollect.upkeep.stats import Stats


class RemoteMemory(Memory):
    """A memory behind `http://host:port`; the key says which tenant it is and what may be done."""

    def __init__(
        self,
        where: str | Path | None = None,
        *,
        tenant: str | None = None,
        view: str | Sequence[str] | None = None,
        embedder: "str | Embedder | None" = None,
        llm: "str | LLM | None" = None,
        clock: Clock = system_clock,
        background: bool = True,
        key: str | None = None,
    ) -> None:
        if tenant is not None or embedder is not None or llm is not None or clock is not system_clock:
            raise InvalidInput("the tenant, the models and the clock of a server's memory are the server's")
        del background  # whether the server works in the background is the server's too
        chosen = settings_module.load(db=None if where is None else str(where), key=key)
        if view is None and chosen.view != settings_module.Settings().view:
            view = chosen.view
        client = Client(chosen.db, chosen.key or None)
        self._open(Line(client, () if view is None else View(spaces_of(view)).spaces))

    def _open(self, line: Line) -> None:
        self._line = line
        self.spaces = RemoteSpaces(line)
        self.conversations = RemoteConversations(line)
        self.links = RemoteLinks(line)
        self.review = RemoteReview(line)
        self.jobs = RemoteJobs(line)
        self.transfers = RemoteTransfers(line)
        self.contexts = RemoteContexts(line)
        self.contradictions = RemoteContradictions(line)
        self.upkeep = RemoteUpkeep(line)
        self.apps = RemoteApps(line)
        for group in ("files", "vectors", "graph"):
            setattr(self, group, Elsewhere(group))

    @property
    def _scope(self) -> Scope:  # type: ignore[override]
        raise InvalidInput("this needs the database itself, not a server: pass its path or postgresql:// URL")

    def view(self, *spaces: str) -> "RemoteMemory":
        """The same memory through another view; it shares everything but what it sees."""
        seen = object.__new__(RemoteMemory)
        seen._open(Line(self._line.client, View(spaces).spaces))
        return seen

    def close(self) -> None:
        """Close the connections to the server, for all views of this memory."""
        self._line.client.close()

    def add_many(self, messages: Iterable[NewMessage], *, conversation: str | None = None) -> Receipt:
        """Commit many messages in one transaction: all of them, or none."""
        said = [_checked(message) for message in messages]
        body = {"messages": said, "conversation": conversation}
        return decoded(Receipt, self._line.write("POST", "/v1/messages", body))

    def remember(self, text: str, **fields: Unpack[Fields]) -> Receipt:
        """Store a memory by hand; with `key` and `value`, in place of the key's old value."""
        body = {"text": gate.text(text, "the memory"), **checked_fields(fields, Fields)}
        return decoded(Receipt, self._line.write("POST", "/v1/memories", body))

    def get(self, id: str, *, as_of: datetime | AsOf | None = None) -> Record:
        """One memory, as it is or as it was known at a time."""
        return decoded(Record, self._line.get(f"/v1/memories/{segment(id)}", **_times(as_of)))

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
        params = _query(wanted or Filter()) | _times(as_of)
        return paged(Record, self._line.get("/v1/memories", **params, limit=limit, after=after))

    def recall(
        self,
        query: str,
        *,
        wanted: Filter | None = None,
        limit: int = 10,
        recipe: "str | Recipe | None" = None,
        rerank_ms: float = 0.0,
        threshold: float | None = None,
        as_of: datetime | AsOf | None = None,
    ) -> Recalled:
        """The best of everything said and remembered for a query, each with why it was found."""
        body = {
            "query": gate.text(query, "the query"),
            "wanted": wanted,
            "limit": gate.count(limit, "limit", 1, MAX_RECALL),
            "recipe": recipe,
            "rerank_ms": rerank_ms,
            "threshold": None if threshold is None else gate.share(threshold, "threshold"),
            "as_of": None if as_of is None else times_of(as_of),
        }
        return decoded(Recalled, self._line.ask("/v1/recall", body))

    def context(
        self,
        query: str | None = None,
        *,
        conversation: str | None = None,
        signals: Signals | None = None,
        layout: "str | Layout" = "chat",
        budget: int | None = None,
        model: str | None = None,
        format: Format | str = Format.TEXT,
    ) -> Context:
        """What an assistant should know for this turn, within a budget of tokens that is never exceeded."""
        body = {
            "query": None if query is None else gate.text(query, "the query"),
            "conversation": conversation,
            "signals": signals,
            "layout": layout,
            "budget": None if budget is None else gate.count(budget, "budget", 0, MAX_BUDGET),
            "model": model,
            "format": gate.choice(format, Format, "format"),
        }
        return decoded(Context, self._line.ask("/v1/context", body))

    def update(self, id: str, **changes: Unpack[Changes]) -> Record:
        """A new version of a memory; the old one stays in its history."""
        path = f"/v1/memories/{segment(id)}"
        return decoded(Record, self._line.write("PATCH", path, checked_fields(changes, Changes)))

    def history(
        self, id: str | None = None, *, key: str | None = None, subject: str | None = None
    ) -> Sequence[Record]:
        """Every version of one memory, or of all memories with a key, oldest first."""
        if (id is None) == (key is None):
            raise InvalidInput("history of what? Pass an id or key='…', one of them")
        if id is not None:
            return listed(Record, self._line.get(f"/v1/memories/{segment(id)}/history"))
        return listed(Record, self._line.get("/v1/history", key=key, subject=subject))

    def forget(self, *ids: str) -> Receipt:
        """Set memories aside: not recalled any more, but kept and restorable."""
        return decoded(Receipt, self._line.write("POST", "/v1/memories/forget", {"ids": ids}))

    def restore(self, *ids: str) -> Receipt:
        """Bring forgotten or archived memories back."""
        return decoded(Receipt, self._line.write("POST", "/v1/memories/restore", {"ids": ids}))

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
        body = {
            "message": message,
            "conversation": conversation,
            "memory": memory,
            "space": space,
            "user": user,
        }
        return decoded(Erasure, self._line.write("POST", "/v1/erase", body))

    def stats(self) -> "Stats":
        """What is in this memory."""
        from recollect.upkeep.stats import Stats

        return decoded(Stats, self._line.get("/v1/stats"))

    def doctor(self) -> Sequence["Finding"]:
        """Whether this memory is sound: every row is compared with its digest."""
        from recollect.upkeep.doctor import Finding

        return listed(Finding, self._line.get("/v1/doctor"))


def _checked(message: NewMessage) -> NewMessage:
    """A message that is worth sending; the server checks it again."""
    gate.text(message.text, "the message")
    gate.metadata(message.metadata)
    gate.optional_moment(message.said_at, "said_at")
    return message


def _times(given: datetime | AsOf | None) -> dict[str, Any]:
    if given is None:
        return {}
    when = times_of(given)
    return {"valid_at": when.valid, "recorded_at": when.recorded}


def _query(wanted: Filter) -> dict[str, Any]:
    """A filter as the parameters of an address, each named in the singular."""
    held = encoded(wanted)
    many = {"kinds": "kind", "statuses": "status", "categories": "category", "keys": "key", "tags": "tag"}
    left_out = ("items", "conversation", "speakers", *many)  # the first three are for recall
    return {one: held[name] for name, one in many.items()} | {
        name: value for name, value in held.items() if name not in left_out
    }

"""The groups of verbs of a memory behind a server; each verb is one route."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, TypeVar

from recollect.context.verbs import EXPAND_BUDGET, Contexts
from recollect.errors import InvalidInput
from recollect.groups import Jobs, Spaces
from recollect.ingest import gate
from recollect.ingest.relate import MAX_DEPTH
from recollect.ingest.verbs import Conversations, Links, Review
from recollect.model.context import Expansion, Feedback
from recollect.model.conversation import Conversation, Message, Recent
from recollect.model.decision import Explanation
from recollect.model.filter import Page
from recollect.model.job import Job, JobStatus, Schedule
from recollect.model.receipt import Receipt
from recollect.model.record import Narrative, Record
from recollect.model.relation import Link, LinkType, Step
from recollect.model.space import Space
from recollect.model.wire import decoded
from recollect.remote.line import Line, segment

T = TypeVar("T")


def paged(kind: type[T], data: Any) -> Page[T]:
    """A page of values."""
    return Page([decoded(kind, item) for item in data["items"]], data["next"])


def listed(kind: type[T], data: Any) -> list[T]:
    """A list of values."""
    return [decoded(kind, item) for item in data]


class RemoteSpaces(Spaces):
    """Where memories live."""

    def __init__(self, line: Line) -> None:
        self._line = line

    def create(self, path: str, *, policy: dict[str, Any] | None = None) -> Space:
        """Make a space, or find it; writing to a space makes it too."""
        return decoded(Space, self._line.write("POST", "/v1/spaces", {"path": path, "policy": policy}))

    def get(self, path: str) -> Space:
        """One space."""
        return decoded(Space, self._line.get(f"/v1/spaces/{segment(path, safe='/:')}"))

    def list(self) -> Sequence[Space]:
        """All spaces of the tenant that the key opens."""
        return listed(Space, self._line.get("/v1/spaces"))


class RemoteConversations(Conversations):
    """What was said."""

    def __init__(self, line: Line) -> None:
        self._line = line

    def start(self, title: str | None = None, *, metadata: dict[str, Any] | None = None) -> Conversation:
        """Begin a conversation in the view's first space."""
        body = {"title": title, "metadata": metadata}
        return decoded(Conversation, self._line.write("POST", "/v1/conversations", body))

    def pause(self, id: str) -> Conversation:
        """Set a conversation aside; adding to it resumes it."""
        return self._move(id, "pause")

    def resume(self, id: str) -> Conversation:
        """Go on with a paused conversation."""
        return self._move(id, "resume")

    def end(self, id: str) -> Conversation:
        """Close a conversation for good."""
        return self._move(id, "end")

    def get(self, id: str) -> Conversation:
        """One conversation of the view."""
        return decoded(Conversation, self._line.get(f"/v1/conversations/{segment(id)}"))

    def list(self, *, limit: int = 50, after: str | None = None) -> Page[Conversation]:
        """Conversations of the view, newest first."""
        return paged(Conversation, self._line.get("/v1/conversations", limit=limit, after=after))

    def messages(self, id: str, *, after: int = 0, limit: int = 1_000) -> Sequence[Message]:
        """Messages of a conversation after a turn, in order."""
        path = f"/v1/conversations/{segment(id)}/messages"
        return listed(Message, self._line.get(path, after=after, limit=limit))

    def said(
        self, *, since: datetime | None = None, until: datetime | None = None, limit: int = 100
    ) -> Sequence[Message]:
        """The last things said in a period, in any conversation of the view, oldest first."""
        start, end = gate.optional_moment(since, "since"), gate.optional_moment(until, "until")
        return listed(Message, self._line.get("/v1/messages", since=start, until=end, limit=limit))

    def message(self, id: str) -> Message:
        """One message of the view."""
        return decoded(Message, self._line.get(f"/v1/messages/{segment(id)}"))

    def recent(self, id: str) -> Recent:
        """What a context carries of a conversation: summaries of what is old, then the last messages."""
        return decoded(Recent, self._line.get(f"/v1/conversations/{segment(id)}/recent"))

    def narrative(self, id: str) -> Narrative:
        """The arc of a conversation: its episodes by thirds, and the key moments."""
        return decoded(Narrative, self._line.get(f"/v1/conversations/{segment(id)}/narrative"))

    def _move(self, id: str, where: str) -> Conversation:
        return decoded(Conversation, self._line.write("POST", f"/v1/conversations/{segment(id)}/{where}"))


class RemoteLinks(Links):
    """What memories have to do with each other."""

    def __init__(self, line: Line) -> None:
        self._line = line

    def add(
        self,
        source: str,
        target: str,
        type: LinkType | str = LinkType.RELATED_TO,
        *,
        strength: float = 1.0,
    ) -> Link:
        """Say how one memory relates to another."""
        body = {"source": source, "target": target, "type": type, "strength": strength}
        return decoded(Link, self._line.write("POST", "/v1/links", body))

    def remove(self, source: str, target: str, type: LinkType | str | None = None) -> int:
        """Remove the links from one memory to another; how many there were."""
        done = self._line.write("DELETE", "/v1/links", source=source, target=target, type=type)
        return int(done["removed"])

    def walk(self, start: str, *, types: Iterable[LinkType | str] = (), depth: int = 1) -> Sequence[Step]:
        """The memories reached from one by links in either direction, nearest first."""
        gate.count(depth, "depth", 1, MAX_DEPTH)
        path = f"/v1/memories/{segment(start)}/links"
        return listed(Step, self._line.get(path, type=list(types), depth=depth))


class RemoteReview(Review):
    """What waits for a person to look at, and why every memory is as it is."""

    def __init__(self, line: Line) -> None:
        self._line = line

    def pending(self, *, limit: int = 50, after: str | None = None) -> Page[Record]:
        """Memories that are not sure enough to be believed yet, newest first."""
        return paged(Record, self._line.get("/v1/review/pending", limit=limit, after=after))

    def quarantined(self, *, limit: int = 50, after: str | None = None) -> Page[Record]:
        """Texts from untrusted sources that give orders, held out of reach, newest first."""
        return paged(Record, self._line.get("/v1/review/quarantined", limit=limit, after=after))

    def promote(self, *ids: str) -> Receipt:
        """Believe pending or quarantined memories from now on."""
        return decoded(Receipt, self._line.write("POST", "/v1/review/promote", {"ids": ids}))

    def explain(self, id: str) -> Explanation:
        """The path from message to memory: sources, rules and every decision, of either of them."""
        return decoded(Explanation, self._line.get(f"/v1/explanations/{segment(id)}"))


class RemoteJobs(Jobs):
    """The follow-up work: the server does it; look at it, retry it, schedule it."""

    def __init__(self, line: Line) -> None:
        self._line = line

    def list(
        self,
        statuses: Iterable[JobStatus | str] = (JobStatus.READY, JobStatus.RUNNING, JobStatus.DEAD),
        *,
        limit: int = 50,
    ) -> Sequence[Job]:
        """Jobs of the tenant, newest first; without the done ones unless asked."""
        return listed(Job, self._line.get("/v1/jobs", status=[str(s) for s in statuses], limit=limit))

    def retry(self, *ids: str) -> int:
        """Give dead or waiting jobs a fresh start; without ids, all dead ones."""
        return int(self._line.write("POST", "/v1/jobs/retry", {"ids": ids})["retried"])

    def run(self) -> int:
        """Let the server do everything that is due now; how many jobs that was."""
        return int(self._line.write("POST", "/v1/jobs/run")["done"])

    def work(self) -> None:
        """Refused: the workers of a server are its own processes."""
        raise InvalidInput("a server works by itself: run `recollect worker` beside its database")

    def stop(self) -> None:
        """Refused: the workers of a server are its own processes."""
        raise InvalidInput("a server's workers are stopped where they run")

    def schedule(self, name: str, cron: str, kind: str, *, payload: dict[str, Any] | None = None) -> Schedule:
        """Let a job come round by a cron expression, in UTC."""
        body = {"cron": cron, "kind": kind, "payload": payload}
        return decoded(Schedule, self._line.write("PUT", f"/v1/schedules/{segment(name)}", body))

    def unschedule(self, name: str) -> None:
        """Drop a schedule."""
        self._line.write("DELETE", f"/v1/schedules/{segment(name)}")

    def schedules(self) -> Sequence[Schedule]:
        """The schedules of the tenant."""
        return listed(Schedule, self._line.get("/v1/schedules"))


class RemoteContexts(Contexts):
    """Contexts that were given out: expand an entry, say what was used."""

    def __init__(self, line: Line) -> None:
        self._line = line

    def expand(
        self,
        ref: str,
        *,
        context: str | None = None,
        budget: int = EXPAND_BUDGET,
        model: str | None = None,
    ) -> Expansion:
        """What stands behind a ref or an id: the full text and its sources, within a budget."""
        body = {"ref": ref, "context": context, "budget": budget, "model": model}
        return decoded(Expansion, self._line.ask("/v1/expand", body))

    def feedback(self, context: str, *, cited: Iterable[str] = (), ignored: Iterable[str] = ()) -> Feedback:
        """Say which entries the answer used and which it passed over, by ref or id."""
        body = {"cited": list(cited), "ignored": list(ignored)}
        return decoded(Feedback, self._line.write("POST", f"/v1/contexts/{segment(context)}/feedback", body))

    def detect(self, context: str, reply: str) -> Feedback:
        """See in the assistant's reply which entries it used, and count that."""
        path = f"/v1/contexts/{segment(context)}/detect"
        return decoded(Feedback, self._line.write("POST", path, {"reply": reply}))

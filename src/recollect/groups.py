"""The verbs of a Memory that belong to one noun: `memory.conversations.start()` and so on."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.errors import InvalidInput, NotFound
from recollect.ingest import conversations as talk
from recollect.ingest import gate, relate, review
from recollect.ingest.options import DigestOptions
from recollect.jobs import queue, schedule
from recollect.jobs.worker import Worker
from recollect.model.conversation import Conversation, ConversationStatus, Message, Recent
from recollect.model.decision import Explanation
from recollect.model.filter import Page
from recollect.model.ids import checked_id
from recollect.model.job import Job, JobStatus, Schedule
from recollect.model.receipt import Receipt
from recollect.model.record import Narrative, Record, Status
from recollect.model.relation import Link, LinkType, Step
from recollect.model.space import Space, checked_space
from recollect.store import chunks, conversations, spaces
from recollect.store.scope import Scope

if TYPE_CHECKING:
    from recollect.files.jsonl import Transfer

Stir = Callable[[], None]


class Spaces:
    """Where memories live."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    def create(self, path: str, *, policy: dict[str, Any] | None = None) -> Space:
        """Make a space, or find it; writing to a space makes it too."""
        space = Space(path=checked_space(path), created_at=self._scope.now(), policy=gate.metadata(policy))

        def work(tx: Any) -> Space:
            spaces.create(tx, space)
            if policy is not None:
                spaces.set_policy(tx, path, space.policy)
            return spaces.get(tx, path) or space

        return self._scope.write(work)

    def get(self, path: str) -> Space:
        """One space."""
        found = self._scope.read(lambda tx: spaces.get(tx, checked_space(path)))
        if found is None:
            raise NotFound(f"no space {path}: make it with spaces.create({path!r})")
        return found

    def list(self) -> Sequence[Space]:
        """All spaces of the tenant."""
        return self._scope.read(spaces.every)


class Conversations:
    """What was said."""

    def __init__(self, scope: Scope, stir: Stir, options: DigestOptions) -> None:
        self._scope = scope
        self._stir = stir
        self._options = options

    def start(self, title: str | None = None, *, metadata: dict[str, Any] | None = None) -> Conversation:
        """Begin a conversation in the view's first space."""
        return talk.start(self._scope, title, metadata)

    def pause(self, id: str) -> Conversation:
        """Set a conversation aside; adding to it resumes it."""
        return talk.move(self._scope, id, ConversationStatus.PAUSED)

    def resume(self, id: str) -> Conversation:
        """Go on with a paused conversation."""
        return talk.move(self._scope, id, ConversationStatus.ACTIVE)

    def end(self, id: str) -> Conversation:
        """Close a conversation for good."""
        ended = talk.move(self._scope, id, ConversationStatus.ENDED)
        self._stir()
        return ended

    def get(self, id: str) -> Conversation:
        """One conversation of the view."""
        wanted = checked_id(id, "the conversation id")
        return self._scope.read(lambda tx: talk.existing(tx, self._scope, wanted))

    def list(self, *, limit: int = 50, after: str | None = None) -> Page[Conversation]:
        """Conversations of the view, newest first."""
        gate.count(limit, "limit", 1, 1_000)
        before = None if after is None else checked_id(after, "after")
        seen = self._scope.view.spaces
        found = self._scope.read(lambda tx: conversations.page(tx, seen, before, limit))
        return Page(found, found[-1].id if len(found) == limit else None)

    def messages(self, id: str, *, after: int = 0, limit: int = 1_000) -> Sequence[Message]:
        """Messages of a conversation after a turn, in order."""
        wanted = checked_id(id, "the conversation id")
        gate.count(limit, "limit", 1, 100_000)
        gate.count(after, "after", 0, 2**53)

        def work(tx: Any) -> Sequence[Message]:
            talk.existing(tx, self._scope, wanted)
            return conversations.messages(tx, wanted, self._scope.view.spaces, after, limit)

        return self._scope.read(work)

    def message(self, id: str) -> Message:
        """One message of the view."""
        wanted = checked_id(id, "the message id")
        seen = self._scope.view.spaces
        found = self._scope.read(lambda tx: conversations.messages_by_id(tx, [wanted], seen))
        if wanted not in found:
            raise NotFound(f"no message {wanted} in {', '.join(seen)}")
        return found[wanted]

    def said(
        self, *, since: datetime | None = None, until: datetime | None = None, limit: int = 100
    ) -> Sequence[Message]:
        """The last things said in a period, in any conversation of the view, oldest first."""
        start, end = gate.optional_moment(since, "since"), gate.optional_moment(until, "until")
        gate.count(limit, "limit", 1, 100_000)
        seen = self._scope.view.spaces
        return self._scope.read(lambda tx: conversations.between(tx, seen, start, end, limit))

    def recent(self, id: str) -> Recent:
        """What a context carries of a conversation: summaries of what is old, then the last messages."""
        wanted = checked_id(id, "the conversation id")

        def work(tx: Any) -> Recent:
            found = talk.existing(tx, self._scope, wanted)
            return Recent(
                conversation=found,
                chunks=tuple(chunks.of_conversation(tx, wanted, [found.space])),
                messages=tuple(conversations.last_messages(tx, wanted, self._options.recent_window)),
            )

        return self._scope.read(work)

    def narrative(self, id: str) -> Narrative:
        """The arc of a conversation: its episodes by thirds, and the key moments."""
        from recollect.ingest.episodes import narrative

        wanted = checked_id(id, "the conversation id")
        return self._scope.read(lambda tx: narrative(tx, talk.existing(tx, self._scope, wanted)))


class Links:
    """What memories have to do with each other."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    def add(
        self,
        source: str,
        target: str,
        type: LinkType | str = LinkType.RELATED_TO,
        *,
        strength: float = 1.0,
    ) -> Link:
        """Say how one memory relates to another."""
        return relate.link(self._scope, source, target, type, strength)

    def remove(self, source: str, target: str, type: LinkType | str | None = None) -> int:
        """Remove the links from one memory to another; how many there were."""
        return relate.unlink(self._scope, source, target, type)

    def walk(self, start: str, *, types: Iterable[LinkType | str] = (), depth: int = 1) -> Sequence[Step]:
        """The memories reached from one by links in either direction, nearest first."""
        return relate.walk(self._scope, start, types, depth)


class Review:
    """What waits for a person to look at, and why every memory is as it is."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    def pending(self, *, limit: int = 50, after: str | None = None) -> Page[Record]:
        """Memories that are not sure enough to be believed yet, newest first."""
        gate.count(limit, "limit", 1, 1_000)
        return review.waiting(self._scope, Status.PENDING, limit, after)

    def quarantined(self, *, limit: int = 50, after: str | None = None) -> Page[Record]:
        """Texts from untrusted sources that give orders, held out of reach, newest first."""
        gate.count(limit, "limit", 1, 1_000)
        return review.waiting(self._scope, Status.QUARANTINED, limit, after)

    def promote(self, *ids: str) -> Receipt:
        """Believe pending or quarantined memories from now on."""
        return review.promote(self._scope, ids)

    def explain(self, id: str) -> Explanation:
        """The path from message to memory: sources, rules and every decision, of either of them."""
        return review.explain(self._scope, id)


class Jobs:
    """The follow-up work: look at it, do it, retry it, schedule it."""

    def __init__(self, scope: Scope, worker: Worker) -> None:
        self._scope = scope
        self._worker = worker

    def list(
        self,
        statuses: Iterable[JobStatus | str] = (JobStatus.READY, JobStatus.RUNNING, JobStatus.DEAD),
        *,
        limit: int = 50,
    ) -> Sequence[Job]:
        """Jobs of the tenant, newest first; without the done ones unless asked."""
        chosen = gate.choices(statuses, JobStatus, "job status")
        gate.count(limit, "limit", 1, 10_000)
        return self._scope.read(lambda tx: queue.listed(tx, chosen, limit))

    def retry(self, *ids: str) -> int:
        """Give dead or waiting jobs a fresh start; without ids, all dead ones."""
        wanted = [checked_id(id, "the job id") for id in ids]
        now = self._scope.now()

        def work(tx: Any) -> int:
            chosen = wanted or [job.id for job in queue.listed(tx, [JobStatus.DEAD], 10_000)]
            for id in chosen:
                queue.retry(tx, id, now)
            return len(chosen)

        return self._scope.write(work)

    def run(self) -> int:
        """Do everything that is due, here and now; how many jobs that was."""
        return self._worker.run_due()

    def work(self) -> None:
        """Work until `stop` is called from another thread: what `recollect worker` does."""
        self._worker.run_forever()

    def stop(self) -> None:
        """Let the worker finish the job in hand and stop."""
        self._worker.stop()

    def schedule(self, name: str, cron: str, kind: str, *, payload: dict[str, Any] | None = None) -> Schedule:
        """Let a job come round by a cron expression, in UTC."""
        gate.text(name, "the schedule's name", gate.MAX_NAME)
        if kind not in self._worker.kinds:
            raise InvalidInput(f"no job of kind {kind!r}; known are: {', '.join(self._worker.kinds)}")
        kept, now = gate.metadata(payload), self._scope.now()
        return self._scope.write(lambda tx: schedule.put(tx, name, cron, kind, now, kept))

    def unschedule(self, name: str) -> None:
        """Drop a schedule."""
        if not self._scope.write(lambda tx: schedule.remove(tx, name)):
            raise NotFound(f"no schedule {name!r}")

    def schedules(self) -> Sequence[Schedule]:
        """The schedules of the tenant."""
        return self._scope.read(schedule.listed)


class Transfers:
    """Everything in and out, as files."""

    def __init__(self, scope: Scope, stir: Stir) -> None:
        self._scope = scope
        self._stir = stir

    def export(self, path: str | Path, *, spaces: Sequence[str] | None = None) -> "Transfer":
        """Write everything of the tenant, or of some spaces, as JSON Lines; the file appears whole."""
        from recollect.files import jsonl

        return jsonl.export_file(self._scope, Path(path), spaces)

    def load(self, path: str | Path, *, progress: Callable[[int], None] | None = None) -> "Transfer":
        """Read an export: all of it, or nothing. What is already there is left alone."""
        from recollect.files import jsonl

        transfer = jsonl.import_file(self._scope, Path(path), progress or (lambda _: None))
        self._stir()
        return transfer

    def load_chats(
        self,
        path: str | Path,
        source: str,
        *,
        live: bool = False,
        progress: Callable[[int], None] | None = None,
    ) -> "Transfer":
        """Read chats or memories of another program, only what is new: claude-code, chatgpt, mem0 and others.

        With `live` they were said to us just now and may go on: the user's words are believed as such.
        """
        from recollect.files.importers.load import load

        transfer = load(self._scope, Path(path), source, progress or (lambda _: None), live=live)
        self._stir()
        return transfer

    def export_folder(self, folder: str | Path) -> "Transfer":
        """Write the view as the readable JSON folder (`.project-memory/`)."""
        from recollect.files import project_memory

        return project_memory.export(self._scope, Path(folder))

    def load_folder(self, folder: str | Path) -> "Transfer":
        """Read a `.project-memory/` folder into the view's first space."""
        from recollect.files import project_memory

        transfer = project_memory.load(self._scope, Path(folder))
        self._stir()
        return transfer

"""The verbs of a Memory that belong to one noun: `memory.conversations.start()` and so on."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.errors import InvalidInput, NotFound
from recollect.ingest import gate
from recollect.jobs import queue, schedule
from recollect.jobs.worker import Worker
from recollect.model.ids import checked_id
from recollect.model.job import Job, JobStatus, Schedule
from recollect.model.space import Space, checked_space
from recollect.store import spaces
from recollect.store.scope import Scope

if TYPE_CHECKING:
    from recollect.files.jsonl import Transfer


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

    def __init__(self, scope: Scope, stir: Callable[[], None]) -> None:
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
        mine: bool = False,
        progress: Callable[[int], None] | None = None,
    ) -> "Transfer":
        """Read chats or memories of another program, only what is new: claude-code, chatgpt, mem0 and others.

        With `live` they were said to us just now and may go on, with `mine` they are the user's own of the
        past: the user's words are believed as such. Else all of it has the trust `imported`.
        """
        from recollect.files.importers.load import Way, load

        transfer = load(self._scope, Path(path), source, progress or (lambda _: None), Way(live, mine))
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

"""The worker: takes jobs one at a time, keeps their lease alive, and records every failure."""

import logging
import os
import socket
import threading
from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import partial

from recollect.errors import RecollectError
from recollect.jobs import queue, schedule
from recollect.model.ids import new_id
from recollect.model.job import Job
from recollect.store.database import Database
from recollect.store.scope import Clock

Handler = Callable[[Job], None]
log = logging.getLogger("recollect.jobs")

HEARTBEAT_SECONDS = queue.LEASE.total_seconds() / 3
POLL_SECONDS = 1.0


class Later(RecollectError):
    """A handler raises this to put its job off without counting it as a failure."""

    def __init__(self, reason: str, wait: timedelta) -> None:
        super().__init__(reason)
        self.wait = wait


class GivenUp(RecollectError):
    """A handler raises this to give its job up at once: it is kept with its error until retried by hand."""


class Worker:
    """Runs jobs from one database until told to stop; any number of these may run at once."""

    def __init__(self, database: Database, handlers: Mapping[str, Handler], clock: Clock) -> None:
        self._database = database
        self._handlers = handlers
        self._clock = clock
        self._stop = threading.Event()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()
        self.name = f"{socket.gethostname()}:{os.getpid()}:{new_id(clock())[-6:]}"

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of job this worker knows."""
        return tuple(self._handlers)

    def run_due(self, limit: int | None = None, owner: str | None = None) -> int:
        """Do what is due now, of one tenant or of all; how many jobs were worked on."""
        done = 0
        self._housekeeping()
        while not self._stop.is_set() and (limit is None or done < limit):
            job = self._next(owner)
            if job is None:
                break
            self._work(job)
            done += 1
        return done

    def run_forever(self) -> None:
        """Work until `stop`; look again when woken, or every second."""
        while not self._stop.is_set():
            self._wake.clear()
            try:
                worked = self.run_due(limit=100)
            except RecollectError:
                log.exception("the queue cannot be read; trying again")
                worked = 0
            if not worked:
                self._wake.wait(POLL_SECONDS)

    def start(self) -> None:
        """Run in a background thread of this process: in one, whoever asks for it at the same time."""
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self.run_forever, name="recollect-worker", daemon=True)
                self._thread.start()

    def wake(self) -> None:
        """There is something to do: look now."""
        self._wake.set()

    def stop(self) -> None:
        """Finish the job in hand, then stop."""
        self._stop.set()
        self._wake.set()
        with self._starting:
            thread, self._thread = self._thread, None
        if thread is not None:  # the job in hand may ask for a thread too: it is not joined under the lock
            thread.join()

    def _work(self, job: Job) -> None:
        finished = threading.Event()
        pulse = threading.Thread(target=self._heartbeat, args=(job, finished), daemon=True)
        pulse.start()
        try:
            self._handlers[job.kind](job)
        except Later as later:
            until, reason = self._clock() + later.wait, str(later)
            self._database.queue(lambda tx: queue.defer(tx, job, until, reason))
        except GivenUp as given_up:
            reason = str(given_up)
            self._database.queue(lambda tx: queue.bury(tx, job, self._clock(), reason))
        except Exception as error:
            log.warning("job %s %s failed (attempt %d): %s", job.kind, job.id, job.attempts, error)
            text = f"{type(error).__name__}: {error}"
            self._database.queue(lambda tx: queue.fail(tx, job, self._clock(), text))
        else:
            self._database.queue(lambda tx: queue.finish(tx, job, self._clock()))
        finally:
            finished.set()
            pulse.join()

    def _heartbeat(self, job: Job, finished: threading.Event) -> None:
        while not finished.wait(HEARTBEAT_SECONDS):
            try:
                held = self._database.queue(lambda tx: queue.extend(tx, job, self._clock()))
            except RecollectError as error:
                log.warning("heartbeat of job %s failed: %s", job.id, error)
                continue
            if not held:
                log.warning("job %s was taken over by another worker", job.id)
                return

    def _next(self, owner: str | None) -> Job | None:
        """Claim a job; an idle look at the queue only reads, so it never stands in a writer's way."""
        kinds = list(self._handlers)
        if not self._database.read("", lambda tx: queue.any_due(tx, kinds, self._clock())):
            return None
        return self._database.queue(lambda tx: queue.claim(tx, self.name, kinds, self._clock(), owner))

    def _housekeeping(self) -> None:
        """Put back what dead workers held, drop old traces, and fire the schedules that are due."""
        now = self._clock()
        if self._database.read("", lambda tx: queue.untidy(tx, now)):
            self._database.queue(lambda tx: queue.tidy(tx, now))
        for tenant, name in self._database.read("", lambda tx: schedule.due(tx, now)):
            self._database.write(tenant, partial(schedule.fire, name=name, now=now))

"""The durable queue: promised with its cause, done at least once, never silently lost; on both databases."""

import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest

from clock import Clock
from recollect import InvalidInput, Job, JobStatus, Memory, NotFound
from recollect.jobs import queue, schedule
from recollect.jobs.worker import GivenUp, Handler, Later, Worker
from recollect.store.database import Tx


@pytest.fixture
def enqueue(memory: Memory, clock: Clock) -> Callable[..., None]:
    def put(kind: str, **options: object) -> None:
        memory._scope.write(lambda tx: queue.enqueue(tx, kind, clock(), **options))  # type: ignore[arg-type]

    return put


def worker(memory: Memory, clock: Clock, **handlers: Handler) -> Worker:
    return Worker(memory._scope.database, handlers, clock)


def jobs(memory: Memory) -> list[Job]:
    return list(memory.jobs.list(list(JobStatus)))


def test_a_job_is_done_once(memory: Memory, clock: Clock, enqueue: Callable[..., None]) -> None:
    seen: list[Job] = []
    enqueue("greet", payload={"name": "Alex"})
    one = worker(memory, clock, greet=seen.append)
    assert one.run_due() == 1
    assert one.run_due() == 0
    assert [(j.payload, j.tenant, j.attempts) for j in seen] == [({"name": "Alex"}, "default", 1)]
    (job,) = jobs(memory)
    assert (job.status, job.error) == ("done", None)


def test_a_promise_is_not_kept_before_its_cause_is_there(postgres_url: str, clock: Clock) -> None:
    """A job that waits already is not taken while another transaction promises it again."""
    with Memory(postgres_url, clock=clock, background=False) as memory:
        database = memory._scope.database
        memory._scope.write(lambda tx: queue.enqueue(tx, "greet", clock(), key="k"))

        def claim() -> Job | None:
            return database.queue(lambda tx: queue.claim(tx, "w", ["greet"], clock()))

        def promise_again(tx: Tx) -> Job | None:
            queue.enqueue(tx, "greet", clock(), key="k")
            return claim()

        assert memory._scope.write(promise_again) is None
        assert claim() is not None
        assert len(jobs(memory)) == 1


def test_a_failure_meets_a_promise_under_way(postgres_url: str, clock: Clock) -> None:
    """A job fails while another transaction, not yet committed, promises one under its key: one waits."""
    with Memory(postgres_url, clock=clock, background=False) as memory:
        database = memory._scope.database
        memory._scope.write(lambda tx: queue.enqueue(tx, "greet", clock(), key="k"))
        held = database.queue(lambda tx: queue.claim(tx, "w", ["greet"], clock()))
        assert held is not None
        waiting = (
            "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        with ThreadPoolExecutor(1) as other:

            def promise(tx: Tx) -> Future[None]:
                queue.enqueue(tx, "greet", clock(), key="k")
                failing = other.submit(database.queue, lambda tx: queue.fail(tx, held, clock(), "no luck"))
                while not failing.done() and not database.read("", lambda tx: tx.rows(waiting)):
                    pass
                return failing

            memory._scope.write(promise).result()
        assert [(j.status, j.attempts) for j in jobs(memory)] == [("ready", 0)]


def test_a_job_given_up_waits_for_a_person(
    memory: Memory, clock: Clock, enqueue: Callable[..., None]
) -> None:
    def refuse(job: Job) -> None:
        raise GivenUp("skipped: no use")

    enqueue("greet")
    assert worker(memory, clock, greet=refuse).run_due() == 1
    (job,) = jobs(memory)
    assert (job.status, job.attempts, job.error) == ("dead", 1, "skipped: no use")
    assert memory.jobs.retry() == 1
    assert worker(memory, clock, greet=lambda _: None).run_due() == 1
    assert [j.status for j in jobs(memory)] == ["done"]


def test_a_job_is_promised_only_with_its_transaction(memory: Memory, clock: Clock) -> None:
    def work(tx: Tx) -> None:
        queue.enqueue(tx, "greet", clock())
        raise InvalidInput("never mind")

    with pytest.raises(InvalidInput):
        memory._scope.write(work)
    assert jobs(memory) == []


def test_one_key_waits_once_and_runs_once(memory: Memory, clock: Clock, enqueue: Callable[..., None]) -> None:
    for _ in range(3):
        enqueue("digest", key="chat-1")
    enqueue("digest", key="chat-2")
    assert len(jobs(memory)) == 2
    running: list[str | None] = []
    idle = worker(memory, clock, digest=lambda job: None)

    def digest(job: Job) -> None:
        running.append(job.key)
        if len(running) == 1:  # while the first runs, its key is promised again: not taken by anyone else
            enqueue("digest", key=job.key)
            assert idle.run_due() == 1, "only the other key is free"

    assert worker(memory, clock, digest=digest).run_due() == 2
    assert running == ["chat-1", "chat-1"]


def test_a_failing_job_waits_longer_each_time_then_is_kept_dead(
    memory: Memory, clock: Clock, enqueue: Callable[..., None]
) -> None:
    def boom(job: Job) -> None:
        raise ValueError(f"no luck on attempt {job.attempts}")

    enqueue("doomed")
    one = worker(memory, clock, doomed=boom)
    waits: list[timedelta] = []
    for attempt in range(1, queue.MAX_ATTEMPTS + 1):
        assert one.run_due() == 1
        (job,) = jobs(memory)
        assert job.error == f"ValueError: no luck on attempt {attempt}"
        if attempt < queue.MAX_ATTEMPTS:
            assert job.status == "ready"
            assert one.run_due() == 0, "not before its time"
            waits.append(job.run_at - clock.at)
            clock.at = job.run_at
    assert job.status == "dead"
    assert waits == sorted(waits)
    assert one.run_due() == 0
    assert memory.jobs.retry() == 1
    ((again,)) = jobs(memory)
    assert (again.status, again.attempts) == ("ready", 0)
    assert worker(memory, clock, doomed=lambda job: None).run_due() == 1


def test_later_puts_a_job_off_without_counting(
    memory: Memory, clock: Clock, enqueue: Callable[..., None]
) -> None:
    def tired(job: Job) -> None:
        raise Later("energy is low", timedelta(minutes=5))

    enqueue("dream")
    one = worker(memory, clock, dream=tired)
    for _ in range(20):
        assert one.run_due() == 1
        (job,) = jobs(memory)
        assert (job.status, job.attempts, job.error) == ("ready", 0, "energy is low")
        clock.forward(minutes=6)


def test_a_dead_workers_job_is_taken_over(memory: Memory, clock: Clock, enqueue: Callable[..., None]) -> None:
    enqueue("work")
    lost = memory._scope.database.queue(lambda tx: queue.claim(tx, "dead-worker", ["work"], clock()))
    assert lost is not None
    seen: list[Job] = []
    other = worker(memory, clock, work=seen.append)
    assert other.run_due() == 0, "its lease still holds"
    clock.forward(seconds=queue.LEASE.total_seconds() + 1)
    other.run_due()
    clock.forward(minutes=1)
    assert other.run_due() == 1 or len(seen) == 1
    assert [job.id for job in seen] == [lost.id]
    memory._scope.database.queue(lambda tx: queue.finish(tx, lost, clock()))
    assert jobs(memory)[0].worker == other.name, "the old hold has no say any more"


def test_a_heartbeat_keeps_the_lease(memory: Memory, clock: Clock, enqueue: Callable[..., None]) -> None:
    enqueue("work")
    held = memory._scope.database.queue(lambda tx: queue.claim(tx, "me", ["work"], clock()))
    assert held is not None
    for _ in range(5):
        clock.forward(seconds=40)
        assert memory._scope.database.queue(lambda tx: queue.extend(tx, held, clock()))
        assert worker(memory, clock, work=lambda job: None).run_due() == 0
    clock.forward(seconds=120)
    memory._scope.database.queue(lambda tx: queue.tidy(tx, clock()))
    assert not memory._scope.database.queue(lambda tx: queue.extend(tx, held, clock()))


def test_order_priority_and_time(memory: Memory, clock: Clock, enqueue: Callable[..., None]) -> None:
    seen: list[str] = []
    note: Handler = lambda job: seen.append(job.payload["n"])  # noqa: E731
    enqueue("work", payload={"n": "first"})
    enqueue("work", payload={"n": "later"}, run_at=clock.at + timedelta(hours=1))
    enqueue("work", payload={"n": "urgent"}, priority=5)
    enqueue("other", payload={"n": "not mine"})
    one = worker(memory, clock, work=note)
    assert one.run_due() == 2
    clock.forward(hours=2)
    one.run_due()
    assert seen == ["urgent", "first", "later"]


def test_many_workers_share_the_work(memory: Memory, clock: Clock, enqueue: Callable[..., None]) -> None:
    for i in range(40):
        enqueue("work", payload={"n": i})
    seen: list[int] = []
    crew = [worker(memory, clock, work=lambda job: seen.append(job.payload["n"])) for _ in range(4)]
    threads = [threading.Thread(target=one.run_due) for one in crew]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seen) == list(range(40))


def test_old_traces_are_dropped(memory: Memory, clock: Clock, enqueue: Callable[..., None]) -> None:
    enqueue("work")
    one = worker(memory, clock, work=lambda job: None)
    one.run_due()
    clock.forward(days=8)
    one.run_due()
    assert jobs(memory) == []


def test_retry_of_something_else(memory: Memory) -> None:
    with pytest.raises(NotFound, match="no waiting or dead job"):
        memory.jobs.retry("00000000-0000-7000-8000-000000000000")
    assert memory.jobs.retry() == 0


def test_schedules_come_round_once(memory: Memory, clock: Clock) -> None:
    memory.jobs.schedule("nightly", "30 2 * * *", "embed")
    (planned,) = memory.jobs.schedules()
    assert planned.next_at == datetime.fromisoformat("2026-03-03T02:30:00+00:00")
    assert memory.jobs.run() == 0
    clock.at = planned.next_at
    assert memory.jobs.run() == 1
    assert memory.jobs.run() == 0
    (moved,) = memory.jobs.schedules()
    assert moved.next_at == planned.next_at + timedelta(days=1)
    assert not memory._scope.write(lambda tx: schedule.fire(tx, "nightly", clock()))
    memory.jobs.unschedule("nightly")
    assert memory.jobs.schedules() == []
    with pytest.raises(NotFound):
        memory.jobs.unschedule("nightly")
    for bad in ("", "* * * *", "61 * * * *", "a b c d e"):
        with pytest.raises(InvalidInput):
            memory.jobs.schedule("bad", bad, "embed")
    with pytest.raises(InvalidInput, match="no job of kind"):
        memory.jobs.schedule("bad", "@daily", "dance")


@pytest.fixture
def hasty() -> Iterator[None]:
    """Threads take turns as often as they can."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.usefixtures("hasty")
def test_one_background_thread_however_many_ask_for_it(memory: Memory, clock: Clock) -> None:
    before = set(threading.enumerate())
    crew = [worker(memory, clock) for _ in range(20)]
    everybody = threading.Barrier(8)

    def start(_: int) -> None:
        for one in crew:
            everybody.wait()
            one.start()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(start, range(8)))
    running = [t for t in threading.enumerate() if t not in before and t.name == "recollect-worker"]
    for one in crew:
        one.stop()
    assert len(running) == len(crew)
    assert not any(thread.is_alive() for thread in running)


def test_the_background_thread_does_the_work(where: str) -> None:
    done = threading.Event()

    class Embedder:
        name = "fake:event"
        dim = 4

        def embed(self, texts: list[str], *, query: bool = False) -> object:
            import numpy as np

            done.set()
            return np.ones((len(texts), 4), dtype="float32") / 2

    with Memory(where, embedder=Embedder()) as memory:  # type: ignore[arg-type]
        memory.add("hello")
        assert done.wait(30)
    with Memory(where, background=False) as again:
        assert again.stats().vectors == {"fake:event": 1}

"""The keeper: makes the memory of a conversation that has ended, and keeps an app at its cap.

Models are asked between transactions. What they decide is applied in one transaction together with the
new memory, if the app's memories are still those that were decided on; otherwise it is decided again,
and in the end by the rules inside the transaction. So an app never has more memories than its cap.
"""

import logging
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from recollect.apps import compaction, creation
from recollect.apps.apply import apply, revive
from recollect.apps.compaction import Cut
from recollect.apps.prompts import compaction as decision_prompt
from recollect.apps.prompts import creation as creation_prompt
from recollect.errors import ModelError, RecollectError, StoreError
from recollect.ingest.sessions import Ended
from recollect.jobs import queue
from recollect.jobs.worker import GivenUp, Later
from recollect.model.app import App
from recollect.model.record import Record
from recollect.models.energy import Priority, Spending
from recollect.models.metered import OutOfEnergy
from recollect.store import apps, energy, memories
from recollect.store.database import Tx
from recollect.store.scope import Scope

if TYPE_CHECKING:
    from recollect.ingest.llms import LLMs

log = logging.getLogger("recollect.apps")
T = TypeVar("T")

SECONDS = 30.0
"""How long a model may take for one creation or one decision, with all its retries."""
TRIES = 3
"""How often work is done again because what it rests on changed meanwhile."""
WAIT = timedelta(minutes=15)
SOON = timedelta(minutes=1)
COSTS = {creation_prompt.PURPOSE: 12, decision_prompt.PURPOSE: 25}
"""What work without a model is metered at, in tokens."""


class Keeper:
    """One tenant's keeper; `seconds` is how long a model may take."""

    def __init__(self, scope: Scope, llms: "LLMs", seconds: float = SECONDS) -> None:
        self._scope = scope
        self._llms = llms
        self._seconds = seconds

    def keep(self, conversation: str) -> None:
        """Make the memory of an ended conversation and room for it; nothing if that is done already."""
        for _ in range(TRIES):
            ended = self._scope.read(partial(creation.ready, id=conversation))
            if ended is None or ended.app is None:
                return
            self._revive(ended.app)
            note = self._note(ended, ended.app)
            if note is None:
                log.info("nothing to keep for app %s from conversation %s", ended.app.id, conversation)
                return
            if self._settle(ended.app, note, ended):
                log.info("created memory for app %s from conversation %s", ended.app.id, conversation)
                return
        raise Later("the conversation changes while it is being read", SOON)

    def compact(self, space: str) -> None:
        """Bring an app that has more memories than its cap back to it."""
        app = self._scope.read(lambda tx: apps.find(tx, space))
        if app is not None and app.installed:
            self._afford(space, decision_prompt.PURPOSE)
            self._settle(app, None, None)

    def _revive(self, app: App) -> None:
        if self._scope.read(lambda tx: apps.unmerged(tx, app.space)):
            self._scope.write(lambda tx: revive(tx, app.space, self._scope.now()))

    def _note(self, ended: Ended, app: App) -> Record | None:
        """What to keep of a conversation; low energy puts it off, and a model that fails gives it up."""
        space = app.space
        self._afford(space, creation_prompt.PURPOSE)
        known = self._scope.read(lambda tx: apps.kept(tx, space))
        llm = self._llms.metered(self._scope, space, self._seconds)
        try:
            return creation.draft(self._scope, ended, app, known, llm)
        except OutOfEnergy as error:
            raise self._deferred(space, error) from error
        except ModelError as error:
            raise self._skipped(space, ended.conversation.id, error) from error

    def _settle(self, app: App, new: Record | None, ended: Ended | None) -> bool:
        """Store a new memory and take out what is too much; whether the conversation still was the same."""
        tries = 0
        while True:
            listed = self._scope.read(lambda tx: apps.kept(tx, app.space))
            crowd = [*listed, *([new] if new else [])]
            if new is None and len(crowd) <= app.cap:
                return True
            cut = self._decide(app, crowd) if len(crowd) > app.cap else None
            work = partial(self._write, app=app, seen=listed, new=new, ended=ended, patient=tries < TRIES)
            outcome = self._stored(app, crowd, cut, work, ended)
            if outcome == "stale":
                return False
            if outcome == "changed":
                tries += 1
                continue
            new = ended = None

    def _stored(
        self,
        app: App,
        crowd: Sequence[Record],
        cut: Cut | None,
        work: Callable[..., str],
        ended: Ended | None,
    ) -> str:
        """Write once, once more after a database error, then with the oldest first; then give up."""
        tries = [cut, cut]
        if cut is not None:
            tries.append(compaction.oldest_first(crowd, "the database failed"))
        failed: StoreError | None = None
        for chosen in tries:
            try:
                return self._scope.write(partial(work, cut=chosen))
            except StoreError as error:
                failed = error
                log.error("writing memories of app %s failed: %s", app.id, error)
        assert failed is not None
        raise self._skipped(app.space, app.space if ended is None else ended.conversation.id, failed)

    def _write(
        self,
        tx: Tx,
        app: App,
        seen: Sequence[Record],
        new: Record | None,
        ended: Ended | None,
        patient: bool,
        cut: Cut | None,
    ) -> str:
        """Apply a decision if it still fits: `done`, or `changed` memories, or a `stale` conversation."""
        now = self._scope.now()
        if ended is not None and not creation.still(tx, ended, new):
            return "stale"
        listed = apps.kept(tx, app.space)
        if [(r.id, r.version) for r in listed] != [(r.id, r.version) for r in seen]:
            if patient:
                return "changed"
            crowd = [*listed, *([new] if new else [])]
            cut = compaction.by_rules(crowd, app.length, now) if len(crowd) > app.cap else None
        if cut is not None:
            apply(tx, cut, new, now)
            what = ", ".join(r.id for r in cut.gone)
            log.info("compacting memories for app %s: %s memory %s", app.id, cut.name, what)
            self._pay(tx, app, decision_prompt.PURPOSE, cut.rule, now)
        elif new is not None:
            memories.insert(tx, [new])
        if new is not None:
            apps.count(tx, app.space, "created", now)
            self._pay(tx, app, creation_prompt.PURPOSE, new.made_by or "", now)
            queue.enqueue(tx, "embed", now, key="embed")
        return "done"

    def _decide(self, app: App, crowd: Sequence[Record]) -> Cut:
        """What has to go: a model's decision, or the rules', or the oldest where the model fails."""
        open_ = compaction.free(crowd)
        llm = self._llms.metered(self._scope, app.space, self._seconds)
        if llm is None or len(open_) < 2:
            return compaction.by_rules(crowd, app.length, self._scope.now())
        numbered = [f"{n}. [{r.valid_from:%Y-%m-%d}] {r.text}" for n, r in enumerate(open_, 1)]
        prompt = decision_prompt.COMPACTION
        try:
            answer = prompt.ask(
                llm,
                count=str(len(open_)),
                cap=str(len(open_) - 1),
                length=str(app.length),
                existing="\n".join(numbered[:-1]),
                new=numbered[-1],
            )
            return compaction.decided(answer, open_, app.length, f"{prompt.version} {llm.name}")
        except OutOfEnergy:  # the memory is made and paid for already: the rules make room for it
            return compaction.by_rules(crowd, app.length, self._scope.now())
        except ModelError as error:
            log.error("compaction for app %s failed, the oldest goes: %s", app.id, error)
            return compaction.oldest_first(crowd, f"no valid decision: {error}")

    def _pay(self, tx: Tx, app: App, purpose: str, made_by: str, now: datetime) -> None:
        """Meter work that no model was paid for."""
        if made_by in (creation.RULES, compaction.RULES, compaction.OLDEST_FIRST):
            spending = Spending(
                at=now, purpose=purpose, model=made_by, tokens_in=COSTS[purpose], tokens_out=0
            )
            energy.put(tx, spending, app.space)

    def _afford(self, space: str, purpose: str) -> None:
        """Put work off while there is little energy, whoever does it."""
        meter, now = self._llms.meter(self._scope), self._scope.now()
        if not meter.may_run(Priority.LOW, now, COSTS[purpose]):
            raise self._deferred(
                space, OutOfEnergy(f"Energy is at {meter.level(now):.0%}: {purpose} (low priority) waits.")
            )

    def _deferred(self, space: str, error: OutOfEnergy) -> Later:
        log.info("memory work for %s waits: %s", space, error)
        self._counted(space, "deferred")
        return Later(str(error), WAIT)

    def _skipped(self, space: str, conversation: str, error: RecollectError) -> GivenUp:
        """The conversation has ended all the same; its memory waits for `jobs retry`."""
        log.error("memory creation failed for %s: %s", conversation, error)
        self._counted(space, "skipped")
        return GivenUp(f"skipped, {type(error).__name__}: {error}")

    def _counted(self, space: str, name: str) -> None:
        """Count a trouble; where even that fails, the log has it."""
        try:
            self._scope.write(lambda tx: apps.count(tx, space, name, self._scope.now()))
        except StoreError as error:
            log.error("counting %s for %s failed: %s", name, space, error)

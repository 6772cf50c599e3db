"""Re-embedding: another embedder makes its vectors beside the ones that serve, then takes their place.

It follows the change sequence as the embed job does, in batches that are each one transaction, so it goes
on where it was killed. When it has caught up with everything that was added meanwhile, one transaction
lets its vectors serve and drops the old ones.
"""

import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from recollect.errors import Conflict
from recollect.ingest.embed import embed_batch
from recollect.jobs import queue
from recollect.model.reembedding import Reembedding
from recollect.recall.indexes import cache_folder
from recollect.store import feed, serving, vectors
from recollect.store.database import Tx
from recollect.store.scope import Scope

if TYPE_CHECKING:
    from recollect.models.ports import Embedder

Report = Callable[[Reembedding], None]


def begin(scope: Scope, to: str) -> Reembedding:
    """Promise the work; beginning again what has begun changes nothing."""

    def work(tx: Tx) -> None:
        now = serving.serving(tx)
        if now.target not in (None, to):
            raise Conflict(f"already re-embedding to {now.target}: cancel that first")
        if now.model != to:
            serving.begin(tx, to)
            queue.enqueue(tx, "reembed", scope.now(), key="reembed", payload={"to": to}, priority=-1)

    scope.write(work)
    return status(scope)


def run(scope: Scope, embedder: "Embedder", report: Report | None = None) -> Reembedding:
    """Embed everything with the new embedder and switch to it; stops early if it is cancelled."""
    name, came = embedder.name, status(scope)
    while scope.read(serving.serving).target == name:
        made = embed_batch(scope, embedder)
        if made is None:
            old = scope.write(partial(_switched, scope=scope, name=name))
            if old is not None:
                _drop_cache(scope, old)
        elif report is not None:
            came = replace(came, done=came.done + made, remaining=max(0, came.remaining - made))
            report(came)
    return status(scope)


def cancel(scope: Scope) -> Reembedding:
    """Give up a change of embedder: what was made for it goes, what served goes on serving."""

    def work(tx: Tx) -> None:
        target = serving.serving(tx).target
        if target is not None:
            serving.cancel(tx, target)
            queue.withdraw(tx, "reembed", "reembed")

    scope.write(work)
    return status(scope)


def status(scope: Scope) -> Reembedding:
    """How far a change of embedder has come."""

    def work(tx: Tx) -> Reembedding:
        now = serving.serving(tx)
        model = now.target or now.model
        if model is None:
            return Reembedding(serving=None, target=None)
        made = next((c.count for c in vectors.coverage(tx) if c.model == model), 0)
        return Reembedding(
            serving=now.model, target=now.target, done=made, remaining=feed.unembedded(tx, model)
        )

    return scope.read(work)


def _switched(tx: Tx, scope: Scope, name: str) -> str | None:
    """Switch if nothing was added since the last batch; the model that served until now."""
    now = serving.serving(tx)
    if now.target != name or feed.texts_after(tx, feed.cursor(tx, feed.embed_cursor(name)), 1):
        return None
    serving.switch(tx, name)
    queue.withdraw(tx, "reembed", "reembed")
    queue.enqueue(tx, "embed", scope.now(), key="embed")
    return now.model


def _drop_cache(scope: Scope, model: str) -> None:
    """The search index over the old vectors is of no use any more."""
    folder = cache_folder(scope, model)
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)

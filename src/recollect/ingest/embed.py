"""The embed job: gives every text its vector, following the change sequence in batches.

Model work happens between transactions. Vectors and the cursor are written together, so a crash
repeats at most one batch, and repeating a batch changes nothing.
"""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from recollect.model.ids import moment
from recollect.recall.texts import model_text
from recollect.store import feed, vectors
from recollect.store.database import Tx
from recollect.store.feed import Text
from recollect.store.scope import Scope
from recollect.store.serving import accepts

if TYPE_CHECKING:
    from recollect.models.ports import Embedder

BATCH = 256


def embed_pending(scope: Scope, embedder: "Embedder") -> int:
    """Embed every text that changed since the last run; how many there were."""
    done = 0
    while (made := embed_batch(scope, embedder)) is not None:
        done += made
    return done


def embed_batch(scope: Scope, embedder: "Embedder") -> int | None:
    """Embed the next texts; how many had no vector yet, or None where there is nothing to do."""
    name = feed.embed_cursor(embedder.name)
    after = scope.read(lambda tx: feed.cursor(tx, name))
    texts = scope.read(partial(feed.texts_after, after=after, limit=BATCH))
    if not texts:
        return None
    have = scope.read(partial(vectors.present, model=embedder.name, ids=[t.id for t in texts]))
    made = _vectors(embedder, [t for t in texts if t.id not in have])
    kept = scope.write(partial(_keep, embedder=embedder, made=made, cursor=(name, texts[-1].seq)))
    return len(made) if kept else None


def _keep(tx: Tx, embedder: "Embedder", made: Sequence[vectors.Vector], cursor: tuple[str, int]) -> bool:
    """Store vectors with the cursor, but for texts that were erased while the model was working.

    False if meanwhile another embedder took the place of this one.
    """
    if not accepts(tx, embedder.name):
        return False
    present = feed.present(tx, [v.id for v in made])
    vectors.put(tx, embedder.name, embedder.dim, [v for v in made if v.id in present])
    feed.advance(tx, *cursor)
    return True


def embedded_text(text: Text) -> str:
    """What is embedded: who said it and when belong to the meaning of a message."""
    at = None if text.said_at is None else moment(text.said_at)
    return model_text(text.text, at=at, speaker=text.speaker)


def _vectors(embedder: "Embedder", texts: Sequence[Text]) -> list[vectors.Vector]:
    if not texts:
        return []
    rows = embedder.embed([embedded_text(t) for t in texts])
    return [
        vectors.Vector(id=t.id, kind=t.kind, space=t.space, data=row.astype("<f2").tobytes())
        for t, row in zip(texts, rows, strict=True)
    ]

"""Recall in three stages: keyed facts, candidates from every side, one pure ranking."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from recollect.errors import ModelUnavailable
from recollect.model.conversation import Chunk, Message, Trust
from recollect.model.decay import use_factor
from recollect.model.filter import AsOf, Filter
from recollect.model.found import Found, Recalled
from recollect.model.ids import micros
from recollect.model.record import Record, SourceKind, Status
from recollect.recall.query import Query, parse
from recollect.recall.recipes import Recipe
from recollect.recall.texts import model_text
from recollect.store import chunks, conversations, links, memories
from recollect.store.database import Tx
from recollect.store.scope import Scope
from recollect.text.terms import terms

if TYPE_CHECKING:
    from recollect.models.ports import Embedder, Reranker
    from recollect.recall.hits import Hit
    from recollect.recall.indexes import Candidates
    from recollect.recall.rerank import Pace

Item = Record | Message | Chunk
MAX_KEYED = 8
LINKED_FROM = 5
LINK_WORTH = 0.5
_BELIEVED = (Status.ACTIVE,)
_BELIEVED_THEN = (Status.ACTIVE, Status.SUPERSEDED)


@dataclass(frozen=True, slots=True)
class Means:
    """What recall works with: candidates, models, the time to rerank, and the least score asked for.

    What scores less than the share `floor` of the best is not even read.
    """

    candidates: "Candidates"
    embedder: "Embedder"
    recipe: Recipe
    reading: "tuple[Reranker, Pace] | None" = None
    rerank_ms: float = 0.0
    threshold: float = 0.0
    floor: float = 0.0


def recall(
    scope: Scope, text: str, means: Means, *, wanted: Filter, limit: int, as_of: AsOf | None
) -> Recalled:
    """The best of the view for a query: keyed facts that answer to it, then everything else."""
    query = parse(text, now=scope.now())
    wide = means.reading is not None or as_of is not None
    depth = max(means.recipe.depth, limit) if wide else limit + MAX_KEYED
    hits, warnings = _hits(scope, query, means, wanted, as_of, depth)

    def read(tx: Tx) -> tuple[list[Found], list[Found]]:
        keyed = _keyed(tx, scope, query, wanted, as_of)
        return keyed, _whole(tx, scope, hits if wide else hits[: limit + len(keyed)], as_of)

    keyed, found = scope.read(read)
    if means.reading is not None:
        found = _reranked(scope, query, hits, found, means)
    found = moved_by_use(found)
    if as_of is None and wanted == Filter() and any(isinstance(f.item, Record) for f in found):
        found = sorted(found + scope.read(lambda tx: _linked(tx, scope, found)), key=lambda f: -f.score)
    first = {f.id for f in keyed}
    rest = [f for f in found if f.id not in first]
    return Recalled(query=text, found=tuple((keyed + rest)[:limit]), warnings=warnings)


def moved_by_use(found: Sequence[Found]) -> list[Found]:
    """What was cited a little further up, what was passed over a little further down, within a bound."""

    def moved(f: Found) -> Found:
        used = f.item.usage if isinstance(f.item, Record) else None
        if used is None or not (used.cited or used.ignored):
            return f
        factor = round(use_factor(used.cited, used.ignored), 6)
        return replace(f, score=round(f.score * factor, 6), scores=f.scores | {"use": factor})

    return sorted(map(moved, found), key=lambda f: -f.score)


def _hits(
    scope: Scope, query: Query, means: Means, wanted: Filter, as_of: AsOf | None, depth: int
) -> tuple[list["Hit"], tuple[str, ...]]:
    """Stage two and three: candidates by words, meaning, time and neighbours, ranked."""
    from recollect.recall.anchors import dated
    from recollect.recall.score import rank
    from recollect.store.index.ask import Ask

    vector, warnings = _vector(query, means)
    ask = Ask(
        spaces=scope.view.spaces,
        terms=query.terms,
        weights=query.weights,
        vector=vector,
        spans=query.spans,
        only=_only(query, wanted, as_of),
        reach=means.recipe.reach,
    )
    if query.anchor is not None:
        spans = dated(scope, query.anchor, means.candidates.search, ask, means.recipe)
        query, ask = replace(query, spans=spans), replace(ask, spans=spans)
    pool, stats = means.candidates.search(ask)
    hits = rank(pool, query, stats, means.recipe, now=scope.now(), limit=depth)
    least = max(means.threshold, means.floor * hits[0].score if hits else 0.0)
    return [hit for hit in hits if hit.score > least], warnings


def _vector(query: Query, means: Means) -> tuple[Any, tuple[str, ...]]:
    """The query's vector, where meaning counts; a model that is out is told of, and words still find."""
    if not means.recipe.semantic:
        return None, ()
    try:
        return means.embedder.embed([query.text], query=True)[0], ()
    except ModelUnavailable as error:
        return None, (f"searched by words only: {error}",)


def _linked(tx: Tx, scope: Scope, found: Sequence[Found]) -> list[Found]:
    """Memories one link away from the best memories, as good as half of what they are linked to."""
    best = {f.id: f.score for f in found if isinstance(f.item, Record)}
    start = list(best)[:LINKED_FROM]
    worth: dict[str, float] = {}
    for link in links.touching(tx, start, (), scope.view.spaces):
        for near, far in ((link.source, link.target), (link.target, link.source)):
            if near in start and far not in best:
                worth[far] = max(worth.get(far, 0.0), round(LINK_WORTH * best[near] * link.strength, 6))
    records = memories.by_id(tx, list(worth), scope.view.spaces)
    return [
        Found(item=r, score=worth[r.id], path="link", scores={"link": worth[r.id]}, sources=_sources(r))
        for r in records.values()
        if r.status == Status.ACTIVE
    ]


def _only(query: Query, wanted: Filter, as_of: AsOf | None) -> Any:
    """The typed filter in the index's terms."""
    from recollect.store.index.ask import Filter as Only

    history = as_of is not None or query.wants_history
    statuses = wanted.statuses or (_BELIEVED_THEN if history else _BELIEVED)
    groups = [frozenset(f"kind:{kind}" for kind in wanted.kinds)]
    groups += [frozenset(f"category:{category}" for category in wanted.categories)]
    groups += [frozenset({f"tag:{tag}"}) for tag in wanted.tags]
    if wanted.min_trust is not None:
        least = wanted.min_trust.rank
        groups.append(frozenset(f"trust:{trust}" for trust in Trust if trust.rank >= least))
    return Only(
        kinds=frozenset(wanted.items) or None,
        statuses=frozenset(map(str, statuses)),
        speakers=frozenset(wanted.speakers) or None,
        since=None if wanted.since is None else micros(wanted.since),
        until=None if wanted.until is None else micros(wanted.until),
        recorded_since=None if wanted.recorded_since is None else micros(wanted.recorded_since),
        recorded_until=None if wanted.recorded_until is None else micros(wanted.recorded_until),
        min_importance=wanted.min_importance,
        conversation=wanted.conversation,
        facets=tuple(group for group in groups if group),
    )


def _keyed(tx: Tx, scope: Scope, query: Query, wanted: Filter, as_of: AsOf | None) -> list[Found]:
    """Stage one: active facts whose key the query names or implies, exactly and always, whoever is meant."""
    asked = set(query.terms)
    if (wanted.items and "memory" not in wanted.items) or wanted.conversation or wanted.speakers:
        return []  # a fact is nobody's turn: only what was said there is asked for
    known = memories.keys(tx, scope.view.spaces)
    matched = [k for k in known if k in query.implied or _named(k, asked)]
    if not matched:
        return []
    narrowed = Filter(
        keys=tuple(matched),
        kinds=wanted.kinds,
        categories=wanted.categories,
        tags=wanted.tags,
        min_importance=wanted.min_importance,
        min_trust=wanted.min_trust,
        since=wanted.since,
        until=wanted.until,
        recorded_since=wanted.recorded_since,
        recorded_until=wanted.recorded_until,
    )
    facts = memories.page(tx, scope.view.spaces, narrowed, before=None, limit=200, as_of=as_of)
    about = [f for f in facts if f.subject and set(terms(f.subject)) & asked]
    mine = query.about_me or bool(_user(scope) & asked)
    own = [f for f in facts if not f.subject and (mine or _named(str(f.key), asked))]
    chosen = (about or own)[:MAX_KEYED]
    return [
        Found(
            item=fact,
            score=1.0,
            path="key",
            scores={"key": 1.0},
            terms=tuple(t for t in terms(f"{fact.key} {fact.subject or ''}") if t in asked),
            sources=_sources(fact),
        )
        for fact in chosen
    ]


def _user(scope: Scope) -> set[str]:
    """The words of the name by which the view knows its user."""
    parts = (part for space in scope.view.spaces for part in space.split("/"))
    return {word for part in parts if part.startswith("user:") for word in terms(part.removeprefix("user:"))}


def _named(key: str, asked: set[str]) -> bool:
    """Whether a query has every word of a key."""
    return bool(words := terms(key.replace("_", " "))) and set(words) <= asked


def _whole(tx: Tx, scope: Scope, hits: Sequence["Hit"], as_of: AsOf | None) -> list[Found]:
    """The hits with what they found, read from the database: nothing outside the view, nothing stale."""
    seen = scope.view.spaces
    by_kind = {kind: [hit.id for hit in hits if hit.kind == kind] for kind in ("message", "chunk", "memory")}
    items: dict[str, Item] = {}
    items.update(conversations.messages_by_id(tx, by_kind["message"], seen))
    items.update({c.id: c for c in chunks.by_id(tx, by_kind["chunk"]).values() if c.space in seen})
    items.update(memories.by_id(tx, by_kind["memory"], seen))
    found = []
    for hit in hits:
        item = items.get(hit.id)
        if item is not None and as_of is not None:
            item = _then(tx, scope, item, as_of)
        if item is not None:
            found.append(
                Found(
                    item=item,
                    score=hit.score,
                    path=hit.path,
                    scores=hit.scores,
                    terms=hit.terms,
                    sources=_sources(item),
                )
            )
    return found


def _then(tx: Tx, scope: Scope, item: Item, as_of: AsOf) -> Item | None:
    """An item as it was at a time, if it was there."""
    if isinstance(item, Record):
        return memories.at(tx, item.id, scope.view.spaces, as_of)
    said = item.said_at if isinstance(item, Message) else item.recorded_at
    late = (as_of.valid is not None and said > as_of.valid) or (
        as_of.recorded is not None and item.recorded_at > as_of.recorded
    )
    return None if late else item


def _sources(item: Item) -> tuple[str, ...]:
    if isinstance(item, Record):
        return tuple(source.id for source in item.sources if source.kind == SourceKind.MESSAGE)
    return (item.id,) if isinstance(item, Message) else ()


def _reranked(
    scope: Scope, query: Query, hits: Sequence["Hit"], found: Sequence[Found], means: Means
) -> list[Found]:
    """The found in the order that reading query and text together gives, as far as the time reaches."""
    from recollect.recall.rerank import read

    assert means.reading is not None
    reranker, pace = means.reading
    by_id = {f.id: f for f in found}
    kept = [hit for hit in hits if hit.id in by_id]
    messages = [f.item for f in found if isinstance(f.item, Message)]
    before = scope.read(lambda tx: conversations.before(tx, messages))

    def reader(hits: Sequence["Hit"], *, in_context: bool) -> list[str]:
        texts = []
        for hit in hits:
            text = _read_by_models(by_id[hit.id].item)
            earlier = before.get(hit.id) if in_context else None
            texts.append(f"{_read_by_models(earlier)}\n{text}" if earlier else text)
        return texts

    judged = read(query.text, kept, reader, reranker, means.recipe, pace=pace, budget_ms=means.rerank_ms)
    return [replace(by_id[hit.id], score=hit.score, scores=hit.scores) for hit in judged]


def _read_by_models(item: Item) -> str:
    if isinstance(item, Message):
        return model_text(item.text, speaker=item.speaker or str(item.role))
    return model_text(item.summary if isinstance(item, Chunk) else item.text)

"""LangGraph's `BaseStore` on a recollect memory: what a graph puts is remembered, what it asks is recalled.

An item is a note in the first space of the memory's view: its texts are what is searched, its value is
kept whole beside them. `delete` sets it aside; a new `put` is a new version.
"""

import asyncio
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from recollect.integrations.common import clean, label, records
from recollect.memory import MAX_RECALL, Memory
from recollect.model.conversation import Trust
from recollect.model.filter import Filter
from recollect.model.receipt import Action
from recollect.model.record import Kind, Record

try:
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        Item,
        ListNamespacesOp,
        MatchCondition,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        validate_op_namespace,
    )
    from langgraph.store.base.embed import get_text_at_path, tokenize_path
except ImportError as error:
    raise ImportError("the store needs LangGraph: pip install 'recollect[langgraph]'") from error

SEARCHED = "store"
"""The category of items; what is not to be searched has one of its own."""
UNSEARCHED = "store-unsearched"
OWN = "store"
ROOMY = 60_000
"""Bytes of JSON that fit beside a text; a bigger value is the text."""

Namespace = tuple[str, ...]


class RecollectStore(BaseStore):
    """A long-term store for graphs. `fields` says what of a value is searched; all its texts by default.

    Items do not expire: a `ttl` is refused.
    """

    supports_ttl = False

    def __init__(self, memory: Memory, *, fields: Sequence[str] | None = None) -> None:
        self._memory = memory
        self._fields = None if fields is None else list(fields)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do several things: reads see what was there before; of several puts to a key the last counts."""
        results: list[Result] = []
        puts: dict[tuple[Namespace, str], PutOp] = {}
        for op in ops:
            validate_op_namespace(op)
            if isinstance(op, PutOp):
                if op.ttl is not None:
                    raise NotImplementedError("items of a RecollectStore do not expire: leave ttl out")
                puts[tuple(op.namespace), op.key] = op
                results.append(None)
            else:
                results.append(self._read(op))
        for op in puts.values():
            self._put(op)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """The same on a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _read(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            found = self._find(tuple(op.namespace), op.key)
            return None if found is None else _item(found)
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(op)
        raise ValueError(f"Unknown operation type: {type(op)}")

    def _find(self, namespace: Namespace, key: str) -> Record | None:
        wanted = Filter(categories=(SEARCHED, UNSEARCHED), keys=(label(*namespace, key),))
        return next(iter(self._memory.list(wanted, limit=1).items), None)

    def _put(self, op: PutOp) -> None:
        namespace = tuple(op.namespace)
        old = self._find(namespace, op.key)
        if op.value is None:
            if old is not None:
                self._memory.forget(old.id)
            return
        fields = self._fields if op.index is None else op.index
        about = _about(namespace, op.key, dict(op.value), fields or None)
        about["category"] = UNSEARCHED if op.index is False else SEARCHED
        if old is None:
            name = label(*namespace, op.key)
            (entry,) = self._memory.remember(
                kind=Kind.NOTE,
                key=name,
                value=name,
                trust=Trust.ASSISTANT,
                tags=[label(*namespace[:depth]) for depth in range(len(namespace) + 1)],
                **about,
            ).entries
            if entry.action is not Action.MERGED:
                return
            old = self._memory.get(entry.id)  # another process was faster
        self._memory.update(old.id, **about)

    def _search(self, op: SearchOp) -> list[SearchItem]:
        """What was recalled, best first, then whatever else is there, newest first and without a score."""
        tags = (label(*op.namespace_prefix),)
        found: dict[str, tuple[Record, float | None]] = {}
        if op.query:
            wanted = Filter(items=("memory",), categories=(SEARCHED,), tags=tags)
            for hit in self._memory.recall(op.query, wanted=wanted, limit=MAX_RECALL, threshold=0.0):
                if isinstance(hit.item, Record):
                    found[hit.id] = hit.item, hit.score
        listed = records(self._memory, Filter(categories=(SEARCHED, UNSEARCHED), tags=tags))
        for r in sorted(listed, key=lambda r: r.recorded_at, reverse=True):
            found.setdefault(r.id, (r, None))
        items = (_search_item(r, score) for r, score in found.values())
        return list(
            islice((i for i in items if _fits(i.value, op.filter or {})), op.offset, op.offset + op.limit)
        )

    def _namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        stored = records(self._memory, Filter(categories=(SEARCHED, UNSEARCHED)))
        found = {tuple(r.metadata[OWN]["namespace"]) for r in stored}
        wanted = (n for n in found if all(_matches(c, n) for c in op.match_conditions or ()))
        return sorted({n[: op.max_depth] for n in wanted})[op.offset : op.offset + op.limit]


def _about(namespace: Namespace, key: str, value: dict[str, Any], fields: list[str] | None) -> dict[str, Any]:
    """The text and the metadata of an item."""
    kept = clean(value)
    packed = json.dumps(kept, ensure_ascii=False)
    own: dict[str, Any] = {"namespace": list(namespace), "key": key}
    if len(packed.encode("utf-8")) > ROOMY:
        return {"text": packed, "metadata": {OWN: own}}
    texts = _texts(kept, fields) if isinstance(fields, list) else [*_leaves(kept)]
    text = "\n".join(text for text in texts if text.strip())
    return {"text": text or key, "metadata": {OWN: {**own, "value": kept}}}


def _texts(value: dict[str, Any], fields: list[str]) -> Iterator[str]:
    for field in fields:
        yield from get_text_at_path(value, tokenize_path(field))


def _leaves(value: Any, name: str = "") -> Iterator[str]:
    """Every text of a value with the name of its field, one a line."""
    if isinstance(value, Mapping):
        for inner, held in value.items():
            yield from _leaves(held, f"{name}.{inner}" if name else str(inner))
    elif isinstance(value, list):
        for held in value:
            yield from _leaves(held, name)
    elif value is not None and value != "":
        yield f"{name}: {value}"


def _item(r: Record) -> Item:
    own = r.metadata[OWN]
    return Item(
        value=own["value"] if "value" in own else json.loads(r.text),
        key=own["key"],
        namespace=tuple(own["namespace"]),
        created_at=r.valid_from,
        updated_at=r.recorded_at,
    )


def _search_item(r: Record, score: float | None) -> SearchItem:
    item = _item(r)
    return SearchItem(item.namespace, item.key, item.value, item.created_at, item.updated_at, score)


def _matches(condition: MatchCondition, namespace: Namespace) -> bool:
    path = tuple(condition.path)
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[-len(path) :]
    return all(wanted in ("*", held) for wanted, held in zip(path, part, strict=True)) if path else True


def _fits(held: Any, wanted: Any) -> bool:
    """Whether a value has what a filter names: plain values, nested ones, or `$` comparisons."""
    if isinstance(wanted, Mapping):
        if any(str(name).startswith("$") for name in wanted):
            return all(_compared(held, operator, against) for operator, against in wanted.items())
        return isinstance(held, Mapping) and all(_fits(held.get(k), v) for k, v in wanted.items())
    if isinstance(wanted, list | tuple):
        return (
            isinstance(held, list)
            and len(held) == len(wanted)
            and all(_fits(h, w) for h, w in zip(held, wanted, strict=True))
        )
    return bool(held == wanted)


def _compared(held: Any, operator: str, against: Any) -> bool:
    """One comparison; between things that have no order it is false."""
    if operator in ("$eq", "$ne"):
        return bool(held == against) == (operator == "$eq")
    if operator not in ("$gt", "$gte", "$lt", "$lte"):
        raise ValueError(f"Unsupported operator: {operator}")
    if held is None or isinstance(held, str) != isinstance(against, str):
        return False
    if held == against:
        return operator in ("$gte", "$lte")
    return bool(held > against) == operator.startswith("$gt")

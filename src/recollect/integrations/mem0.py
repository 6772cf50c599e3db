"""A mem0-shaped memory: `from recollect.integrations.mem0 import Memory` in place of `from mem0 import …`.

A user id is the space `user:…` (without one, an agent or a run is), so what mem0 code stores is seen by
every other surface. `delete` sets memories aside; `recollect.Memory.erase` removes them for good.
"""

import hashlib
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from types import TracebackType
from typing import Any, TypedDict, Unpack

from recollect.errors import InvalidInput, NotFound
from recollect.ingest.knowledge import MARKS
from recollect.integrations.common import clean, label, records
from recollect.integrations.mem0_filters import IDS, fits, ids_in, names
from recollect.memory import MAX_RECALL
from recollect.memory import Memory as Recollect
from recollect.model.conversation import TRUST_OF_ROLE, NewMessage, Role
from recollect.model.decision import Outcome
from recollect.model.filter import Filter
from recollect.model.record import SESSION, Kind, Record, Status
from recollect.model.wire import encoded

OWN = "mem0"
LIMIT = 100
RERANK_MS = 500.0
KINDS = tuple(kind for kind in Kind if kind is not Kind.EPISODE)


class Ids(TypedDict, total=False):
    """Whose memory it is: at least one of them."""

    user_id: str | None
    agent_id: str | None
    run_id: str | None


class Memory:
    """mem0's verbs on a recollect memory: its own file by default, or the one that is passed.

    Pass a memory that is opened with `background=False`: `add` does the follow-up work itself, so that
    it can say what was learnt.
    """

    def __init__(self, config: object = None, *, memory: Recollect | None = None) -> None:
        if config is not None:
            warnings.warn(
                "mem0's configuration is not used: recollect needs none, and is set by its own settings",
                stacklevel=2,
            )
        self._memory = memory or Recollect(background=False)

    @classmethod
    def from_config(cls, config_dict: object) -> "Memory":
        """mem0's other constructor; the configuration is not used, and a warning says so."""
        return cls(config_dict)

    def close(self) -> None:
        """Close the memory beneath."""
        self._memory.close()

    def __enter__(self) -> "Memory":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def add(
        self,
        messages: str | Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        metadata: Mapping[str, Any] | None = None,
        infer: bool = True,
        **ids: Unpack[Ids],
    ) -> dict[str, Any]:
        """Keep what was said and what is learnt from it; without `infer`, each message as a memory."""
        whose = _ids(ids)
        own = self._memory.view(_space(whose))
        spoken = list(_spoken(messages))
        held = clean(dict(metadata or {}))
        if not infer:
            return {"results": [_stated(own, said, role, whose, held) for said, role in spoken]}
        return {"results": _inferred(own, spoken, whose, held)}

    def search(
        self,
        query: str,
        *,
        filters: Mapping[str, Any] | None = None,
        limit: int | None = None,
        top_k: int | None = None,
        threshold: float | None = None,
        rerank: bool = False,
        **ids: Unpack[Ids],
    ) -> dict[str, Any]:
        """The memories nearest to a query, best first, each with its score."""
        asked = _asked(filters, ids)
        wanted = Filter(items=("memory",), kinds=KINDS, tags=_tags(ids_in(asked)))
        view = self._seen(asked)
        if view is None:
            return {"results": []}
        found = view.recall(
            query,
            wanted=wanted,
            limit=MAX_RECALL,
            rerank_ms=RERANK_MS if rerank else 0.0,
            threshold=threshold or 0.0,
        )
        items = (f for f in found if isinstance(f.item, Record) and _fits(asked, f.item))
        best = islice(items, _count(limit, top_k))
        return {"results": [_shown(f.item) | {"score": f.score} for f in best if isinstance(f.item, Record)]}

    def get(self, memory_id: str) -> dict[str, Any] | None:
        """One memory, or None."""
        try:
            found = self._everywhere().get(memory_id)
        except NotFound:
            return None
        return _shown(found) if found.status is Status.ACTIVE else None

    def get_all(
        self,
        *,
        filters: Mapping[str, Any] | None = None,
        limit: int | None = None,
        top_k: int | None = None,
        **ids: Unpack[Ids],
    ) -> dict[str, Any]:
        """All memories of somebody, newest first."""
        found = islice(self._matching(_asked(filters, ids)), _count(limit, top_k))
        return {"results": [_shown(r) for r in found]}

    def update(self, memory_id: str, data: str, metadata: Mapping[str, Any] | None = None) -> dict[str, str]:
        """Say a memory anew; the old words stay in its history."""
        view = self._everywhere()
        old = view.get(memory_id)
        held = old.metadata if metadata is None else {**clean(dict(metadata)), OWN: old.metadata.get(OWN, {})}
        view.update(memory_id, text=data, key=None, value=None, metadata=held)
        return {"message": "Memory updated successfully!"}

    def delete(self, memory_id: str) -> dict[str, str]:
        """Set one memory aside."""
        self._everywhere().forget(memory_id)
        return {"message": "Memory deleted successfully!"}

    def delete_all(self, *, filters: Mapping[str, Any] | None = None, **ids: Unpack[Ids]) -> dict[str, str]:
        """Set all memories of somebody aside, in one transaction."""
        found = [r.id for r in self._matching(_asked(filters, ids))]
        if found:
            self._everywhere().forget(*found)
        return {"message": "Memories deleted successfully!"}

    def history(self, memory_id: str) -> list[dict[str, Any]]:
        """What a memory said before, oldest first."""
        return list(_events(self._everywhere().history(memory_id)))

    def _everywhere(self) -> Recollect:
        """A view of every space that ids lead to."""
        spaces = [s.path for s in self._memory.spaces.list() if s.path.split(":")[0] in _KINDS]
        return self._memory.view(*spaces) if spaces else self._memory

    def _seen(self, asked: Mapping[str, Any]) -> Recollect | None:
        """The view to look for a filter in; None where there is nothing yet."""
        known = {s.path for s in self._memory.spaces.list()}
        sure = ids_in(asked)
        if "user_id" in sure:
            home = _space({"user_id": sure["user_id"]})
            return self._memory.view(home) if home in known else None
        spaces = [path for path in sorted(known) if path.split(":")[0] in _KINDS]
        return self._memory.view(*spaces) if spaces else None

    def _matching(self, asked: Mapping[str, Any]) -> Iterator[Record]:
        view = self._seen(asked)
        if view is None:
            return iter(())
        wanted = Filter(kinds=KINDS, tags=_tags(ids_in(asked)))
        return (r for r in records(view, wanted) if _fits(asked, r))


_KINDS = tuple(name.removesuffix("_id") for name in IDS)


def _ids(given: Mapping[str, Any]) -> dict[str, str]:
    """The ids that were passed; at least one, and nothing else."""
    unknown = sorted(given.keys() - set(IDS))
    if unknown:
        raise InvalidInput(f"{unknown[0]!r} has no counterpart here; pass {', '.join(IDS)} or filters")
    found = {name: str(given[name]) for name in IDS if given.get(name) is not None}
    if not found:
        raise InvalidInput("At least one of 'user_id', 'agent_id', or 'run_id' must be provided.")
    return found


def _asked(filters: Mapping[str, Any] | None, ids: Mapping[str, Any]) -> dict[str, Any]:
    """Old and new form as one filter: ids may stand at the top or inside `filters`."""
    asked = dict(filters or {})
    if any(given is not None for given in ids.values()) or not set(names(asked)) & set(IDS):
        asked |= _ids(ids)
    return asked


def _space(whose: Mapping[str, str]) -> str:
    name = next(name for name in IDS if name in whose)
    return f"{name.removesuffix('_id')}:{whose[name].replace('%', '%25').replace('/', '%2F')}"


def _tags(whose: Mapping[str, str]) -> tuple[str, ...]:
    """How memories of an agent or a run are found fast; a user's are by their space."""
    return tuple(label(name, whose[name]) for name in ("agent_id", "run_id") if name in whose)


def _count(limit: int | None, top_k: int | None) -> int:
    count = top_k if top_k is not None else LIMIT if limit is None else limit
    if isinstance(count, bool) or not isinstance(count, int) or count < 0:
        raise InvalidInput(f"top_k or limit must be a whole number, not {count!r}")
    return count


def _spoken(messages: str | Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Role]]:
    """The texts of messages with their roles; instructions to the model and pictures are not remembered."""
    if isinstance(messages, str):
        messages = {"role": "user", "content": messages}
    for message in [messages] if isinstance(messages, Mapping) else messages:
        if not isinstance(message, Mapping) or "content" not in message:
            raise InvalidInput("a message is a text or {'role': …, 'content': …}")
        role, content = str(message.get("role", "user")), message["content"]
        if isinstance(content, list):
            content = "\n".join(str(part["text"]) for part in content if part.get("type") == "text")
        if role not in ("system", "developer") and content:
            yield str(content), Role(role) if role in set(Role) else Role.TOOL


def _stated(
    own: Recollect, said: str, role: Role, whose: Mapping[str, str], held: Mapping[str, Any]
) -> dict[str, Any]:
    about = {**held, OWN: {**whose, "role": str(role)}}
    receipt = own.remember(said, kind=Kind.NOTE, trust=TRUST_OF_ROLE[role], tags=_tags(whose), metadata=about)
    kept = own.get(receipt.id).text
    return {"id": receipt.id, "memory": kept, "event": "ADD", "actor_id": None, "role": str(role)}


def _inferred(
    own: Recollect, spoken: Iterable[tuple[str, Role]], whose: Mapping[str, str], held: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """What was learnt from messages. mem0's UPDATE is a new memory here, which supersedes the old one."""
    messages = [NewMessage(text=said, role=role) for said, role in spoken]
    if not messages:
        return []
    conversation = own.conversations.start(metadata={OWN: dict(whose)})
    receipt = own.add_many(messages, conversation=conversation.id)
    own.jobs.run()
    found: dict[str, dict[str, Any]] = {}
    for id in receipt.ids:
        for d in own.review.explain(id).decisions:
            if d.memory is None or d.outcome not in (Outcome.ADD, Outcome.SUPERSEDE) or d.memory in found:
                continue
            new = own.get(d.memory)
            if new.status is Status.ACTIVE and new.kind in KINDS:
                about = {**new.metadata, **held, OWN: dict(whose)}  # what extraction noted must stay
                own.update(new.id, tags=[*new.tags, *_tags(whose)], metadata=about)
                event = "ADD" if d.outcome is Outcome.ADD else "UPDATE"
                found[new.id] = {"id": new.id, "memory": new.text, "event": event}
                if held:
                    found[new.id]["metadata"] = dict(held)
    return list(found.values())


def _shown(r: Record) -> dict[str, Any]:
    """A memory in mem0's shape."""
    theirs = {name: held for name, held in r.metadata.items() if name not in (OWN, *MARKS)}
    return {
        "id": r.id,
        "memory": r.text,
        "hash": hashlib.md5(r.text.encode("utf-8"), usedforsecurity=False).hexdigest(),
        "metadata": theirs or None,
        "created_at": encoded(r.valid_from),
        "updated_at": encoded(r.recorded_at) if r.version > 1 else None,
        **(r.metadata.get(OWN) or _from_space(r.space)),
    }


def _from_space(space: str) -> dict[str, str]:
    """Whose a memory is that came in through another door."""
    kind, _, name = space.partition(":")
    return {f"{kind}_id": name.replace("%2F", "/").replace("%25", "%")} if kind in _KINDS else {}


def _fits(asked: Mapping[str, Any], r: Record) -> bool:
    shown = _shown(r)
    return r.category != SESSION and fits(asked, {**shown, **(shown["metadata"] or {})})


def _events(versions: Sequence[Record]) -> Iterator[dict[str, Any]]:
    """Versions as mem0 tells them: only those that changed the words, or that the memory is gone."""
    before: Record | None = None
    for v in versions:
        gone = v.status in (Status.FORGOTTEN, Status.SUPERSEDED)
        if before is not None and before.text == v.text and not gone:
            before = v
            continue
        yield {
            "id": f"{v.id}:{v.version}",
            "memory_id": v.id,
            "old_memory": None if before is None else before.text,
            "new_memory": None if gone else v.text,
            "event": "DELETE" if gone else "ADD" if before is None else "UPDATE",
            "created_at": encoded(versions[0].recorded_at),
            "updated_at": None if before is None else encoded(v.recorded_at),
            "is_deleted": int(gone),
        }
        before = v

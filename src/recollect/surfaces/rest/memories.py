"""Routes on memories: remember, get, list, update, history, forget, restore, erase."""

import json
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Header, Path, Query
from starlette.responses import Response

from recollect.errors import Forbidden
from recollect.memory import Memory
from recollect.model.conversation import Trust
from recollect.model.filter import AsOf, Filter, Page
from recollect.model.receipt import Erasure, Receipt
from recollect.model.record import Kind, Record, Status
from recollect.surfaces.access import EVERYWHERE, check
from recollect.surfaces.rest.bodies import EraseBody, IdsBody, MemoryChanges, Moment, NewMemory
from recollect.surfaces.rest.call import Call, Called, answer
from recollect.surfaces.rest.problems import PreconditionFailed
from recollect.surfaces.rest.route import doc, router

routes = router("memories")
Id = Annotated[str, Path(description="An id that recollect returned.")]
Limit = Annotated[int, Query(ge=1, le=1_000)]
After = Annotated[str | None, Query(description="Go on after this id: the `next` of the page before.")]


@dataclass(frozen=True, slots=True)
class Times:
    """As seen from when: one moment for both times, or each by itself."""

    as_of: Moment | None = None
    valid_at: Moment | None = None
    recorded_at: Moment | None = None

    def value(self) -> AsOf | None:
        """The times as the verbs take them."""
        if self.as_of is None and self.valid_at is None and self.recorded_at is None:
            return None
        return AsOf(valid=self.valid_at or self.as_of, recorded=self.recorded_at or self.as_of)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which memories; what is not given does not restrict."""

    kind: Annotated[list[Kind] | None, Query()] = None
    status: Annotated[list[Status] | None, Query()] = None
    category: Annotated[list[str] | None, Query()] = None
    key: Annotated[list[str] | None, Query()] = None
    tag: Annotated[list[str] | None, Query()] = None
    subject: str | None = None
    words: str | None = None
    min_importance: Annotated[float, Query(ge=0, le=1)] = 0.0
    min_trust: Trust | None = None
    pinned: bool | None = None
    since: Moment | None = None
    until: Moment | None = None
    recorded_since: Moment | None = None
    recorded_until: Moment | None = None

    def value(self) -> Filter:
        """The filter as the verbs take it."""
        return Filter(
            kinds=tuple(self.kind or ()),
            statuses=tuple(self.status or ()),
            categories=tuple(self.category or ()),
            keys=tuple(self.key or ()),
            tags=tuple(self.tag or ()),
            subject=self.subject,
            words=self.words,
            min_importance=self.min_importance,
            min_trust=self.min_trust,
            pinned=self.pinned,
            since=self.since,
            until=self.until,
            recorded_since=self.recorded_since,
            recorded_until=self.recorded_until,
        )


@routes.post("/memories", **doc("remember", Receipt, status=201, also=(404, 409, 415)))
def remember(call: Called, body: NewMemory) -> Response:
    """Store a memory by hand; with `key` and `value`, in place of the key's old value."""
    fields = body.fields()
    text = fields.pop("text")
    return call.write(lambda memory: memory.remember(text, **fields), 201)


@routes.get("/memories", **doc("list", Page[Record]))
def list_(
    call: Called,
    wanted: Annotated[Wanted, Depends()],
    times: Annotated[Times, Depends()],
    limit: Limit = 50,
    after: After = None,
) -> Response:
    """Memories of the view that fit a filter, newest first, a page at a time."""
    return answer(call.memory.list(wanted.value(), limit=limit, after=after, as_of=times.value()))


@routes.get("/memories/{id}", **doc("get", Record, also=(404,)))
def get(call: Called, id: Id, times: Annotated[Times, Depends()]) -> Response:
    """One memory, as it is or as it was known at a time; its ETag is its version."""
    found = call.memory.get(id, as_of=times.value())
    return answer(found, {"ETag": f'"{found.version}"'})


@routes.patch("/memories/{id}", **doc("update", Record, also=(404, 409, 412, 415)))
def update(
    call: Called,
    id: Id,
    body: MemoryChanges,
    if_match: Annotated[str | None, Header(description="The ETag it must still have.")] = None,
) -> Response:
    """A new version of a memory; the old one stays in its history."""
    changes = body.fields()

    def work(memory: Memory) -> Record:
        if if_match is not None and if_match != "*":
            current = f'"{memory.get(id).version}"'
            if current not in (tag.strip() for tag in if_match.split(",")):
                raise PreconditionFailed(f"memory {id} has version {current} by now: get it, and try again")
        return memory.update(id, **changes)

    response = call.write(work)
    response.headers["ETag"] = f'"{json.loads(bytes(response.body))["version"]}"'
    return response


@routes.get("/memories/{id}/history", **doc("history", list[Record], also=(404,)))
def history(call: Called, id: Id) -> Response:
    """Every version of one memory, oldest first."""
    return answer(call.memory.history(id))


@routes.get("/history", **doc("history", list[Record]))
def history_of_key(call: Called, key: str, subject: str | None = None) -> Response:
    """Every version of all memories with a key, oldest first."""
    return answer(call.memory.history(key=key, subject=subject))


@routes.post("/memories/forget", **doc("forget", Receipt, also=(404, 415)))
def forget(call: Called, body: IdsBody) -> Response:
    """Set memories aside: not recalled any more, but kept and restorable."""
    return call.write(lambda memory: memory.forget(*body.ids))


@routes.post("/memories/restore", **doc("restore", Receipt, also=(404, 409, 415)))
def restore(call: Called, body: IdsBody) -> Response:
    """Bring forgotten or archived memories back."""
    return call.write(lambda memory: memory.restore(*body.ids))


@routes.post("/erase", **doc("erase", Erasure, also=(404, 415)))
def erase(call: Called, body: EraseBody) -> Response:
    """Remove one thing for good, with its vectors, its words and what was derived from it alone."""
    if body.user is not None and EVERYWHERE not in call.caller.grant.spaces:
        raise Forbidden("erasing a user concerns the whole tenant: it needs a key for all spaces ('*')")
    if body.space is not None:
        check(call.caller.grant, call.operation, _within(call, body.space))
    aim = body.model_dump()
    return call.work(lambda memory: memory.erase(**aim))


def _within(call: Call, space: str) -> list[str]:
    """A space and those nested in it, all of which an erasure removes."""
    nested = [s.path for s in call.memory.spaces.list() if s.path.startswith(f"{space}/")]
    return [space, *nested]

"""Routes on what memories have to do with each other, and on what waits for a person."""

from typing import Annotated, Any

from fastapi import Query
from starlette.responses import Response

from recollect.ingest.relate import MAX_DEPTH
from recollect.model.decision import Explanation
from recollect.model.filter import Page
from recollect.model.receipt import Receipt
from recollect.model.record import Record
from recollect.model.relation import Link, LinkType, Step
from recollect.surfaces.rest.bodies import IdsBody, LinkBody
from recollect.surfaces.rest.call import Called, answer
from recollect.surfaces.rest.memories import After, Id, Limit
from recollect.surfaces.rest.route import doc, router

routes = router("relations")


@routes.post("/links", **doc("links.add", Link, status=201, also=(404, 409, 415)))
def add(call: Called, body: LinkBody) -> Response:
    """Say how one memory relates to another."""
    return call.write(
        lambda memory: memory.links.add(body.source, body.target, body.type, strength=body.strength), 201
    )


@routes.delete("/links", **doc("links.remove", dict[str, int], also=(404,)))
def remove(call: Called, source: str, target: str, type: LinkType | None = None) -> Response:
    """Remove the links from one memory to another; how many there were."""

    def work(memory: Any) -> dict[str, int]:
        return {"removed": memory.links.remove(source, target, type)}

    return call.write(work)


@routes.get("/memories/{id}/links", **doc("links.walk", list[Step], also=(404,)))
def walk(
    call: Called,
    id: Id,
    type: Annotated[list[LinkType] | None, Query()] = None,
    depth: Annotated[int, Query(ge=1, le=MAX_DEPTH)] = 1,
) -> Response:
    """The memories reached from one by links in either direction, nearest first."""
    return answer(call.memory.links.walk(id, types=type or (), depth=depth))


@routes.get("/review/pending", **doc("review.pending", Page[Record]))
def pending(call: Called, limit: Limit = 50, after: After = None) -> Response:
    """Memories that are not sure enough to be believed yet, newest first."""
    return answer(call.memory.review.pending(limit=limit, after=after))


@routes.get("/review/quarantined", **doc("review.quarantined", Page[Record]))
def quarantined(call: Called, limit: Limit = 50, after: After = None) -> Response:
    """Texts from untrusted sources that give orders, held out of reach, newest first."""
    return answer(call.memory.review.quarantined(limit=limit, after=after))


@routes.post("/review/promote", **doc("review.promote", Receipt, also=(404, 409, 415)))
def promote(call: Called, body: IdsBody) -> Response:
    """Believe pending or quarantined memories from now on."""
    return call.write(lambda memory: memory.review.promote(*body.ids))


@routes.get("/explanations/{id}", **doc("review.explain", Explanation, also=(404,)))
def explain(call: Called, id: Id) -> Response:
    """The path from message to memory: sources, rules and every decision, of either of them."""
    return answer(call.memory.review.explain(id))

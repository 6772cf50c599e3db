"""The endpoints of the living-memory and the app-memory documents, at their paths and in their shapes."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import ConfigDict, Field
from starlette.responses import Response

from recollect.memory import Memory
from recollect.model.relation import Dispute
from recollect.surfaces.rest import keeping
from recollect.surfaces.rest.bodies import Body
from recollect.surfaces.rest.call import Called, answer
from recollect.surfaces.rest.keeping import ResolveBody, UpkeepBody
from recollect.surfaces.rest.memories import Id
from recollect.surfaces.rest.recall import made
from recollect.surfaces.rest.route import doc, router

routes = router("documents", prefix="")
TIERS = {"critical": "tier1", "relevant": "tier2", "background": "tier3", "index": "tier4"}


class Signals(Body):
    """What is going on."""

    current_file: str | None = None
    recent_errors: list[str] | None = None
    activity: str | None = None


class Assembly(Body):
    """How many tokens there are, and what is going on."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "budget": 8000,
                    "signals": {
                        "current_file": "src/auth/login.ts",
                        "recent_errors": ["TypeError: Cannot read property..."],
                        "activity": "debugging",
                    },
                }
            ]
        }
    )
    budget: Annotated[int, Field(ge=0, le=10_000_000)] = 8_000
    signals: Signals = Signals()


class Assembled(Body):
    """The context, and what each tier of it takes."""

    context: str
    token_count: int
    tiers: dict[str, int]


class Consolidated(Body):
    """What consolidation did, or would do."""

    deduped: int
    compressed: int
    forgotten: int
    contradictions_found: int


class AppMemoryShape(Body):
    """A memory of an app."""

    id: str
    content: str
    createdAt: datetime
    updatedAt: datetime


class AppMemories(Body):
    """The memories of an app."""

    memories: list[AppMemoryShape]


class Deleted(Body):
    """That all memories of an app were erased, and how many there were."""

    success: bool
    deletedCount: int


class Success(Body):
    """That it was done."""

    success: bool


@routes.post("/consolidate", **doc("upkeep", Consolidated, also=(409, 415)))
def consolidate(call: Called, body: UpkeepBody) -> Response:
    """Keep the view in order; with `dry_run`, only say what would be done."""

    def work(memory: Memory) -> dict[str, int]:
        counts = memory.upkeep(dry_run=body.dry_run).counts
        return {name: counts[name] for name in Consolidated.model_fields}

    return call.work(work)


@routes.post("/contradictions/{id}/resolve", **doc("contradictions.resolve", Dispute, also=(404, 409, 415)))
def resolve(call: Called, id: Id, body: ResolveBody) -> Response:
    """Decide which of two memories is right."""
    return keeping.resolve(call, id, body)


@routes.get("/apps/{app}/memories", **doc("apps.memories", AppMemories, also=(404,)))
def app_memories(call: Called, app: str) -> Response:
    """The memories of an app."""
    found = call.memory.apps.memories(app)
    shaped = [
        {"id": m.id, "content": m.content, "createdAt": m.created_at, "updatedAt": m.updated_at}
        for m in found
    ]
    return answer({"memories": shaped})


@routes.delete("/apps/{app}/memories", **doc("apps.purge", Deleted, also=(404,)))
def purge_app(call: Called, app: str) -> Response:
    """Erase all memories of an app for good."""
    return call.work(lambda m: {"success": True, "deletedCount": m.apps.purge(app).deleted_count})


@routes.delete("/apps/{app}/memories/{id}", **doc("apps.delete", Success, also=(404,)))
def delete_of_app(call: Called, app: str, id: Id) -> Response:
    """Erase one memory of an app for good."""

    def work(memory: Memory) -> dict[str, bool]:
        memory.apps.delete(app, id)
        return {"success": True}

    return call.work(work)


@routes.post("/context/assemble", **doc("context", Assembled, also=(415,)))
def assemble(call: Called, body: Assembly) -> Response:
    """A context in four tiers for what is going on, within a budget."""
    signals: dict[str, Any] = {name: value for name, value in body.signals.model_dump().items() if value}
    found = made(call, signals=signals, layout="tiers", budget=body.budget)
    tiers = dict.fromkeys(TIERS.values(), 0)
    tiers |= {TIERS[part.name]: part.tokens for part in found.sections if part.name in TIERS}
    return answer(Assembled(context=found.text, token_count=found.tokens, tiers=tiers).model_dump())

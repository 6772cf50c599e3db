"""The endpoints of the living-memory document, at its paths and in its shapes."""

from typing import Annotated, Any

from pydantic import ConfigDict, Field
from starlette.responses import Response

from recollect.surfaces.rest.bodies import Body
from recollect.surfaces.rest.call import Called, answer
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


@routes.post("/context/assemble", **doc("context", Assembled, also=(415,)))
def assemble(call: Called, body: Assembly) -> Response:
    """A context in four tiers for what is going on, within a budget."""
    signals: dict[str, Any] = {name: value for name, value in body.signals.model_dump().items() if value}
    found = made(call, signals=signals, layout="tiers", budget=body.budget)
    tiers = dict.fromkeys(TIERS.values(), 0)
    tiers |= {TIERS[part.name]: part.tokens for part in found.sections if part.name in TIERS}
    return answer(Assembled(context=found.text, token_count=found.tokens, tiers=tiers).model_dump())

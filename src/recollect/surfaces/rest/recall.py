"""Routes that answer a query: recall, context, expansion, feedback."""

from typing import Any

from starlette.responses import Response

from recollect.context.layouts import Layout
from recollect.memory import engine_of, scope_of
from recollect.model.context import Context, Expansion, Feedback
from recollect.model.found import Recalled
from recollect.model.wire import decoded
from recollect.recall.recipes import Recipe
from recollect.surfaces.rest.bodies import ContextBody, ExpandBody, FeedbackBody, RecallBody, ReplyBody
from recollect.surfaces.rest.call import Call, Called, answer
from recollect.surfaces.rest.memories import Id
from recollect.surfaces.rest.route import doc, router

routes = router("recall")


@routes.post("/recall", **doc("recall", Recalled, also=(415,)))
def recall(call: Called, body: RecallBody) -> Response:
    """The best of everything said and remembered for a query, each with why it was found."""
    found = call.memory.recall(
        body.query,
        wanted=None if body.wanted is None else body.wanted.value(),
        limit=body.limit,
        recipe=decoded(Recipe, body.recipe) if isinstance(body.recipe, dict) else body.recipe,
        rerank_ms=body.rerank_ms,
        threshold=body.threshold,
        as_of=None if body.as_of is None else body.as_of.value(),
    )
    return answer(found)


@routes.post("/context", **doc("context", Context, also=(404, 415)))
def context(call: Called, body: ContextBody) -> Response:
    """What an assistant should know for this turn, within a budget of tokens that is never exceeded."""
    layout = decoded(Layout, body.layout) if isinstance(body.layout, dict) else body.layout
    return answer(made(call, **{**body.model_dump(), "layout": layout}))


@routes.post("/expand", **doc("contexts.expand", Expansion, also=(404, 415)))
def expand(call: Called, body: ExpandBody) -> Response:
    """What stands behind a ref or an id: the full text and its sources, within a budget."""
    contexts = call.memory.contexts
    return answer(contexts.expand(body.ref, context=body.context, budget=body.budget, model=body.model))


@routes.post("/contexts/{id}/feedback", **doc("contexts.feedback", Feedback, also=(404, 415)))
def feedback(call: Called, id: Id, body: FeedbackBody) -> Response:
    """Say which entries the answer used and which it passed over, by ref or id."""
    return call.write(lambda memory: memory.contexts.feedback(id, cited=body.cited, ignored=body.ignored))


@routes.post("/contexts/{id}/detect", **doc("contexts.detect", Feedback, also=(404, 415)))
def detect(call: Called, id: Id, body: ReplyBody) -> Response:
    """See in the assistant's reply which entries it used, and count that."""
    return call.write(lambda memory: memory.contexts.detect(id, body.reply))


def made(call: Call, **asked: Any) -> Context:
    """A context, noted at once: another process may be asked to expand it."""
    found = call.memory.context(asked.pop("query", None), **asked)
    engine_of(call.memory).uses.settle(scope_of(call.memory))
    return found

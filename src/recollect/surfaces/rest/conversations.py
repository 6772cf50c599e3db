"""Routes on what was said: messages and conversations."""

from datetime import datetime
from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from recollect.model.conversation import Conversation, Message, Recent
from recollect.model.filter import Page
from recollect.model.receipt import Receipt
from recollect.model.record import Narrative
from recollect.surfaces.rest.bodies import ConversationBody, NewMessages
from recollect.surfaces.rest.call import Called, answer
from recollect.surfaces.rest.memories import After, Id, Limit
from recollect.surfaces.rest.route import doc, router

routes = router("conversations")


@routes.post("/messages", **doc("add_many", Receipt, status=201, also=(404, 409, 415)))
def add(call: Called, body: NewMessages) -> Response:
    """Commit messages and their follow-up work; without a conversation, to the open one."""
    messages = [message.value() for message in body.messages]
    return call.write(lambda memory: memory.add_many(messages, conversation=body.conversation), 201)


@routes.get("/messages/{id}", **doc("conversations.message", Message, also=(404,)))
def message(call: Called, id: Id) -> Response:
    """One message of the view."""
    return answer(call.memory.conversations.message(id))


@routes.post("/conversations", **doc("conversations.start", Conversation, status=201, also=(415,)))
def start(call: Called, body: ConversationBody) -> Response:
    """Begin a conversation in the view's first space."""
    return call.write(lambda memory: memory.conversations.start(body.title, metadata=body.metadata), 201)


@routes.get("/conversations", **doc("conversations.list", Page[Conversation]))
def list_(call: Called, limit: Limit = 50, after: After = None) -> Response:
    """Conversations of the view, newest first."""
    return answer(call.memory.conversations.list(limit=limit, after=after))


@routes.get("/conversations/{id}", **doc("conversations.get", Conversation, also=(404,)))
def get(call: Called, id: Id) -> Response:
    """One conversation of the view."""
    return answer(call.memory.conversations.get(id))


@routes.post("/conversations/{id}/pause", **doc("conversations.pause", Conversation, also=(404, 409)))
def pause(call: Called, id: Id) -> Response:
    """Set a conversation aside; adding to it resumes it."""
    return call.write(lambda memory: memory.conversations.pause(id))


@routes.post("/conversations/{id}/resume", **doc("conversations.resume", Conversation, also=(404, 409)))
def resume(call: Called, id: Id) -> Response:
    """Go on with a paused conversation."""
    return call.write(lambda memory: memory.conversations.resume(id))


@routes.post("/conversations/{id}/end", **doc("conversations.end", Conversation, also=(404, 409)))
def end(call: Called, id: Id) -> Response:
    """Close a conversation for good."""
    return call.write(lambda memory: memory.conversations.end(id))


@routes.get("/conversations/{id}/messages", **doc("conversations.messages", list[Message], also=(404,)))
def messages(
    call: Called,
    id: Id,
    after: Annotated[int, Query(ge=0, le=2**53, description="Only those after this turn.")] = 0,
    limit: Annotated[int, Query(ge=1, le=100_000)] = 1_000,
) -> Response:
    """Messages of a conversation after a turn, in order."""
    return answer(call.memory.conversations.messages(id, after=after, limit=limit))


@routes.get("/messages", **doc("conversations.said", list[Message]))
def said(
    call: Called,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: Annotated[int, Query(ge=1, le=100_000)] = 100,
) -> Response:
    """The last things said in a period, in any conversation of the view, oldest first."""
    return answer(call.memory.conversations.said(since=since, until=until, limit=limit))


@routes.get("/conversations/{id}/recent", **doc("conversations.recent", Recent, also=(404,)))
def recent(call: Called, id: Id) -> Response:
    """What a context carries of a conversation: summaries of what is old, then the last messages."""
    return answer(call.memory.conversations.recent(id))


@routes.get("/conversations/{id}/narrative", **doc("conversations.narrative", Narrative, also=(404,)))
def narrative(call: Called, id: Id) -> Response:
    """The arc of a conversation: its episodes by thirds, and the key moments."""
    return answer(call.memory.conversations.narrative(id))

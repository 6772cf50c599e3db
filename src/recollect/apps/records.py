"""App memories as records and back: what the store keeps, what callers see, and the JSON of an export."""

from collections.abc import Sequence
from typing import Any

from recollect.model.app import PREFIX, App, AppMemory
from recollect.model.record import Record
from recollect.model.wire import encoded
from recollect.text.sentences import sentences

CONVERSATION = "conversation"
RELATED = "related"
SLACK = 1.25
"""How much longer than the app's length a memory may be, rather than lose a sentence."""
MOST_SENTENCES = 4


def seen(record: Record) -> AppMemory:
    """A record as an app memory."""
    return AppMemory(
        id=record.id,
        app_id=record.space.removeprefix(PREFIX),
        content=record.text,
        created_at=record.valid_from,
        updated_at=record.recorded_at,
        importance=round(10 * record.importance),
        source_conversation_id=conversation_of(record),
        tags=record.tags,
        related_conversations=tuple(record.metadata.get(RELATED, ())),
    )


def conversation_of(record: Record) -> str | None:
    """The conversation that a memory tells of, where it is known."""
    found = record.metadata.get(CONVERSATION)
    return found if isinstance(found, str) else None


def origin(conversation: str | None, related: Sequence[str]) -> dict[str, Any]:
    """Where a memory comes from, as its metadata says it."""
    others = [id for id in dict.fromkeys(related) if id != conversation]
    own = {} if conversation is None else {CONVERSATION: conversation}
    return own | ({RELATED: others} if others else {})


def plain(memory: AppMemory) -> dict[str, Any]:
    """An app memory as plain JSON, in the words that apps use for it."""
    return {
        "id": memory.id,
        "appId": memory.app_id,
        "content": memory.content,
        "createdAt": encoded(memory.created_at),
        "updatedAt": encoded(memory.updated_at),
        "sourceConversationId": memory.source_conversation_id,
        "metadata": {
            "importance": memory.importance,
            "tags": list(memory.tags),
            "relatedConversations": list(memory.related_conversations),
        },
    }


def exported(app: App, memories: Sequence[AppMemory]) -> dict[str, Any]:
    """Everything an app keeps, as plain JSON."""
    return {"appId": app.id, "name": app.name, "cap": app.cap, "memories": [plain(m) for m in memories]}


def fitted(text: str, length: int) -> str:
    """A text as one paragraph of at most four whole sentences, as many as the length holds; at least one."""
    kept = [" ".join(sentence.split()) for sentence in sentences(text)][:MOST_SENTENCES]
    while len(kept) > 1 and len(" ".join(kept)) > SLACK * length:
        kept.pop()
    return " ".join(kept)

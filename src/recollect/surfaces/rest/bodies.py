"""What requests send, as pydantic models: strict about types, closed to unknown fields, with examples.

They check shapes only; what the values mean is checked by the verbs, with the same errors as in Python.
"""

from datetime import datetime
from typing import Annotated, Any

from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field

from recollect.errors import InvalidInput
from recollect.model.context import Format
from recollect.model.conversation import NewMessage, Role, Trust
from recollect.model.filter import AsOf, Filter
from recollect.model.record import (
    Artifact,
    ArtifactType,
    Episode,
    EpisodeType,
    Kind,
    Source,
    SourceKind,
    Status,
)
from recollect.model.relation import LinkType


def _parsed(value: object) -> object:
    """Times come as text, in ISO 8601 with their zone."""
    if not isinstance(value, str):
        raise ValueError("write it as 2026-01-31T12:00:00Z")
    return datetime.fromisoformat(value)


Moment = Annotated[AwareDatetime, BeforeValidator(_parsed)]
Share = Annotated[float, Field(ge=0, le=1)]
Loose = Field(strict=False)


class Body(BaseModel):
    """The base of all bodies."""

    model_config = ConfigDict(extra="forbid", strict=True)

    def given(self) -> dict[str, Any]:
        """The fields that were sent, as they are."""
        return {name: getattr(self, name) for name in self.model_fields_set}


class SourceBody(Body):
    """One thing a memory is derived from."""

    kind: Annotated[SourceKind, Loose]
    id: str


class ArtifactBody(Body):
    """A commit, pull request, decision record or file that a memory is about."""

    type: Annotated[ArtifactType, Loose]
    ref: str


class EpisodeBody(Body):
    """What an episode has beyond other memories."""

    type: Annotated[EpisodeType, Loose]
    title: str
    context: str = ""
    participants: list[str] = []
    outcome: str | None = None
    valence: Annotated[float, Field(ge=-1, le=1)] = 0.0
    conversation: str | None = None
    first_turn: int | None = None
    last_turn: int | None = None


class MemoryFields(Body):
    """What may be said about a memory besides its text."""

    kind: Annotated[Kind, Loose] = Kind.NOTE
    subject: str | None = None
    category: str | None = None
    key: str | None = None
    value: str | None = None
    summary: str | None = None
    brief: str | None = None
    tag: str | None = None
    importance: Share = 0.5
    confidence: Share = 1.0
    trust: Annotated[Trust, Loose] = Trust.USER
    tags: list[str] = []
    pinned: bool = False
    valid_from: Moment | None = None
    valid_to: Moment | None = None
    episode: EpisodeBody | None = None
    artifacts: list[ArtifactBody] = []
    sources: list[SourceBody] = []
    metadata: dict[str, Any] = {}

    def fields(self) -> dict[str, Any]:
        """The fields as the verbs take them."""
        found = self.given()
        if found.get("valid_from", ...) is None:
            raise InvalidInput("valid_from is when it began to be true: leave it out, or send a time")
        if self.episode is not None:
            held = self.episode.model_dump()
            found["episode"] = Episode(**{**held, "participants": tuple(held["participants"])})
        if "artifacts" in found:
            found["artifacts"] = [Artifact(a.type, a.ref) for a in self.artifacts]
        if "sources" in found:
            found["sources"] = [Source(s.kind, s.id) for s in self.sources]
        return found


class NewMemory(MemoryFields):
    """A memory by hand."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"text": "Alex lives in Lisbon", "key": "city", "value": "Lisbon"}]}
    )
    text: str


class MemoryChanges(MemoryFields):
    """What is different in the new version of a memory."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"importance": 0.9, "tags": ["home"]}]})
    text: str = ""
    doubtful: bool = False


class MessageBody(Body):
    """One message. A message that comes again with the same id is stored once."""

    text: str
    role: Annotated[Role, Loose] = Role.USER
    speaker: str | None = None
    said_at: Moment | None = None
    trust: Annotated[Trust | None, Loose] = None
    metadata: dict[str, Any] = {}
    id: str | None = None

    def value(self) -> NewMessage:
        """The message as the verbs take it."""
        return NewMessage(**self.given())


class NewMessages(Body):
    """Messages of one conversation: all of them are stored, or none."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"messages": [{"text": "I moved to Lisbon.", "speaker": "Alex"}]}]}
    )
    messages: Annotated[list[MessageBody], Field(min_length=1, max_length=10_000)]
    conversation: str | None = None


class FilterBody(Body):
    """Which memories; empty parts do not restrict."""

    kinds: list[Annotated[Kind, Loose]] = []
    statuses: list[Annotated[Status, Loose]] = []
    categories: list[str] = []
    keys: list[str] = []
    subject: str | None = None
    tags: list[str] = []
    words: str | None = None
    min_importance: Share = 0.0
    min_trust: Annotated[Trust | None, Loose] = None
    pinned: bool | None = None
    since: Moment | None = None
    until: Moment | None = None
    recorded_since: Moment | None = None
    recorded_until: Moment | None = None
    items: list[str] = []
    conversation: str | None = None
    speakers: list[str] = []

    def value(self) -> Filter:
        """The filter as the verbs take it."""
        held: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in self.given().items()
        }
        return Filter(**held)


class AsOfBody(Body):
    """What was true at `valid`, as it was known at `recorded`."""

    valid: Moment | None = None
    recorded: Moment | None = None

    def value(self) -> AsOf:
        """The times as the verbs take them."""
        return AsOf(valid=self.valid, recorded=self.recorded)


class RecallBody(Body):
    """A query, and how much to find for it."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"query": "Where does Alex live?", "limit": 5}]}
    )
    query: str
    wanted: FilterBody | None = None
    limit: Annotated[int, Field(ge=1, le=200)] = 10
    recipe: str | dict[str, Any] | None = None
    rerank_ms: Annotated[float, Field(ge=0, le=5_000)] = 0.0
    threshold: Annotated[float, Field(ge=0, le=1)] | None = None
    as_of: AsOfBody | None = None


class ContextBody(Body):
    """A turn that needs context; `layout` is a name, or a layout of your own."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"query": "Plan the weekend", "layout": "chat", "budget": 2000}]}
    )
    query: str | None = None
    conversation: str | None = None
    signals: dict[str, Any] | None = None
    layout: str | dict[str, Any] = "chat"
    budget: Annotated[int, Field(ge=0, le=10_000_000)] | None = None
    model: str | None = None
    format: Annotated[Format, Loose] = Format.TEXT


class ExpandBody(Body):
    """A ref of a context, or the id of a memory, message or chunk."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"ref": "m1"}]})
    ref: str
    context: str | None = None
    budget: Annotated[int, Field(ge=1, le=10_000_000)] = 2_000
    model: str | None = None


class FeedbackBody(Body):
    """Which entries of a context an answer used and which it passed over, by ref or id."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"cited": ["m1"], "ignored": ["m2"]}]})
    cited: list[str] = []
    ignored: list[str] = []


class ReplyBody(Body):
    """What the assistant answered."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"reply": "You live in Lisbon."}]})
    reply: str


class IdsBody(Body):
    """Memories or jobs by id."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"ids": ["0190a8c0-0000-7000-8000-000000000000"]}]}
    )
    ids: Annotated[list[str], Field(max_length=10_000)]


class ConversationBody(Body):
    """A new conversation."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"title": "Moving house"}]})
    title: str | None = None
    metadata: dict[str, Any] | None = None


class SpaceBody(Body):
    """A space to make."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"path": "project:phoenix"}]})
    path: str
    policy: dict[str, Any] | None = None


class LinkBody(Body):
    """How one memory relates to another."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "source": "0190a8c0-0000-7000-8000-000000000000",
                    "target": "0190a8c0-0000-7000-8000-000000000000",
                    "type": "depends_on",
                }
            ]
        }
    )
    source: str
    target: str
    type: Annotated[LinkType, Loose] = LinkType.RELATED_TO
    strength: Share = 1.0


class EraseBody(Body):
    """The one thing to remove for good."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"memory": "0190a8c0-0000-7000-8000-000000000000"}]}
    )
    message: str | None = None
    conversation: str | None = None
    memory: str | None = None
    space: str | None = None
    user: str | None = None


class ScheduleBody(Body):
    """When a kind of job comes round: a cron expression in UTC."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"cron": "0 3 * * *", "kind": "embed"}]})
    cron: str
    kind: str
    payload: dict[str, Any] | None = None

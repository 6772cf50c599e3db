"""recollect: memory for AI assistants.

`Memory` is the door, `AsyncMemory` the same door for async code. Everything else here is a value that
they take or return, or an error that they raise; nothing but what this module names is API.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recollect.aio import AsyncMemory
    from recollect.context.layouts import Fill, Layout, Section, Style
    from recollect.errors import (
        AccessError,
        Conflict,
        Forbidden,
        InvalidInput,
        ModelError,
        ModelMismatch,
        ModelMissing,
        ModelUnavailable,
        NotFound,
        RecollectError,
        ServerError,
        SettingsError,
        StoreBusy,
        StoreCorrupt,
        StoreError,
        StoreVersionError,
        TooLarge,
        TooManyRequests,
        Unauthenticated,
    )
    from recollect.memory import Memory
    from recollect.model.app import App, AppEnergy, AppMemory, AppStats, Point, Purged
    from recollect.model.context import Context, Expansion, Feedback, Format, LeftOut, Part, Taken
    from recollect.model.conversation import (
        Chunk,
        Conversation,
        ConversationStatus,
        Message,
        NewMessage,
        Recent,
        Role,
        Trust,
    )
    from recollect.model.decision import Decision, Explanation, Outcome
    from recollect.model.document import Tier
    from recollect.model.filter import AsOf, Filter, Page
    from recollect.model.folder import Folder, FolderReading
    from recollect.model.found import Found, Recalled
    from recollect.model.graph import Entity, Graph, Relation
    from recollect.model.job import Job, JobStatus, Schedule
    from recollect.model.receipt import Action, Entry, Erasure, Receipt
    from recollect.model.record import (
        Artifact,
        ArtifactType,
        Episode,
        EpisodeType,
        Kind,
        Level,
        Narrative,
        Record,
        Source,
        SourceKind,
        Status,
        Usage,
    )
    from recollect.model.reembedding import Reembedding
    from recollect.model.reflection import Question, Reflection
    from recollect.model.relation import Contradiction, Dispute, Link, LinkType, Resolution, Step
    from recollect.model.space import Space, View
    from recollect.model.upkeep import Left, Run, RunKind, RunStatus, Undone, UpkeepReport
    from recollect.recall.recipes import Recipe

__version__ = "0.1.0"

__all__ = [
    "AccessError",
    "Action",
    "App",
    "AppEnergy",
    "AppMemory",
    "AppStats",
    "Artifact",
    "ArtifactType",
    "AsOf",
    "AsyncMemory",
    "Chunk",
    "Conflict",
    "Context",
    "Contradiction",
    "Conversation",
    "ConversationStatus",
    "Decision",
    "Dispute",
    "Entity",
    "Entry",
    "Episode",
    "EpisodeType",
    "Erasure",
    "Expansion",
    "Explanation",
    "Feedback",
    "Fill",
    "Filter",
    "Folder",
    "FolderReading",
    "Forbidden",
    "Format",
    "Found",
    "Graph",
    "InvalidInput",
    "Job",
    "JobStatus",
    "Kind",
    "Layout",
    "Left",
    "LeftOut",
    "Level",
    "Link",
    "LinkType",
    "Memory",
    "Message",
    "ModelError",
    "ModelMismatch",
    "ModelMissing",
    "ModelUnavailable",
    "Narrative",
    "NewMessage",
    "NotFound",
    "Outcome",
    "Page",
    "Part",
    "Point",
    "Purged",
    "Question",
    "Recalled",
    "Receipt",
    "Recent",
    "Recipe",
    "RecollectError",
    "Record",
    "Reembedding",
    "Reflection",
    "Relation",
    "Resolution",
    "Role",
    "Run",
    "RunKind",
    "RunStatus",
    "Schedule",
    "Section",
    "ServerError",
    "SettingsError",
    "Source",
    "SourceKind",
    "Space",
    "Status",
    "Step",
    "StoreBusy",
    "StoreCorrupt",
    "StoreError",
    "StoreVersionError",
    "Style",
    "Taken",
    "Tier",
    "TooLarge",
    "TooManyRequests",
    "Trust",
    "Unauthenticated",
    "Undone",
    "UpkeepReport",
    "Usage",
    "View",
    "__version__",
]

_HOMES = (
    "errors",
    "model.conversation",
    "model.record",
    "model.decision",
    "model.filter",
    "model.found",
    "model.graph",
    "model.space",
    "model.receipt",
    "model.relation",
    "model.job",
    "model.upkeep",
    "model.context",
    "model.app",
    "model.document",
    "model.folder",
    "model.reembedding",
    "model.reflection",
    "context.layouts",
    "recall.recipes",
    "memory",
    "aio",
)


def __getattr__(name: str) -> Any:
    """Import what is asked for, when it is asked for: `recollect --version` needs none of it."""
    if name in __all__:
        for home in _HOMES:
            module = import_module(f"recollect.{home}")
            if name in vars(module):
                return getattr(module, name)
    raise AttributeError(f"module 'recollect' has no attribute {name!r}")

"""The groups of verbs that a memory has for each noun, made when one is first asked for.

A process that answers a single question, as a hook or a command does, loads only what it needs.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recollect.apps.verbs import Apps
    from recollect.context.verbs import Contexts
    from recollect.files.verbs import Files
    from recollect.groups import Jobs, Spaces, Transfers
    from recollect.ingest.graph_verbs import Graphs
    from recollect.ingest.verbs import Conversations, Links, Review
    from recollect.memory import Memory
    from recollect.upkeep.inbox import Contradictions
    from recollect.upkeep.vectors import Vectors
    from recollect.upkeep.verbs import Upkeep


def spaces(memory: Memory) -> Spaces:
    """Where memories live."""
    from recollect.groups import Spaces

    return Spaces(memory._scope)


def conversations(memory: Memory) -> Conversations:
    """What was said."""
    from recollect.ingest.verbs import Conversations

    return Conversations(memory._scope, memory._engine.stir, memory._engine.options)


def links(memory: Memory) -> Links:
    """How memories belong together."""
    from recollect.ingest.verbs import Links

    return Links(memory._scope)


def graph(memory: Memory) -> Graphs:
    """Memories as entities and relations."""
    from recollect.ingest.graph_verbs import Graphs

    return Graphs(memory._scope)


def review(memory: Memory) -> Review:
    """What waits for a person's judgement."""
    from recollect.ingest.verbs import Review

    return Review(memory._scope)


def jobs(memory: Memory) -> Jobs:
    """The follow-up work."""
    from recollect.groups import Jobs

    return Jobs(memory._scope, memory._engine.worker)


def transfers(memory: Memory) -> Transfers:
    """Export and import."""
    from recollect.groups import Transfers

    return Transfers(memory._scope, memory._engine.stir)


def contexts(memory: Memory) -> Contexts:
    """The contexts that were given out."""
    from recollect.context.verbs import Contexts

    return Contexts(memory._scope, memory._count_uses)


def apps(memory: Memory) -> Apps:
    """The per-app memory keeper."""
    from recollect.apps.verbs import Apps

    scope, engine = memory._scope, memory._engine
    given = partial(engine.uses.given, scope)
    return Apps(scope, engine.toolbox, engine.files.llms, given, memory._count_uses, engine.stir)


def contradictions(memory: Memory) -> Contradictions:
    """The inbox of what cannot both be so."""
    from recollect.upkeep.inbox import Contradictions

    return Contradictions(memory._scope, memory._engine.stir)


def files(memory: Memory) -> Files:
    """`memory.md`, the user's folder and the vault."""
    from recollect.files.verbs import Files

    return Files(memory._scope, memory._engine.stir, memory._engine.files)


def vectors(memory: Memory) -> Vectors:
    """Which embedder serves, and changing it."""
    from recollect.upkeep.vectors import Vectors

    return Vectors(memory._scope, memory._engine.stir, memory._engine.toolbox.embedders)


def upkeep(memory: Memory) -> Upkeep:
    """Keeping memories in order."""
    from recollect.upkeep.verbs import Upkeep

    engine = memory._engine
    return Upkeep(memory._scope, engine.upkeep, engine.stir, memory._count_uses, engine.files.llms)

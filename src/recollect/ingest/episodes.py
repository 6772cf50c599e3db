"""Episodes: moments of a conversation kept as memories, linked to what was learnt in them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from recollect.ingest.messages import is_order, said
from recollect.ingest.rules import episodes as rules
from recollect.model.conversation import Conversation, Message, Role, Trust
from recollect.model.ids import derived_id
from recollect.model.record import (
    Artifact,
    ArtifactType,
    Episode,
    EpisodeType,
    Kind,
    Narrative,
    Record,
    Source,
    SourceKind,
    Status,
)
from recollect.model.relation import Link, LinkType
from recollect.store import links, memories
from recollect.store.database import Tx
from recollect.text.levels import levels

CONTEXT_TURNS = 12
"""How far an episode may reach back: the longest reach of its rules."""
KEY_MOMENT = 0.7
MADE_BY = "rules:episodes"
CONFIDENCE = 0.7
_ARTIFACTS = (
    (ArtifactType.PR, re.compile(r"(?:PR|MR|pull request|merge request)\s?[#!]?\d+|#\d+", re.IGNORECASE)),
    (ArtifactType.ADR, re.compile(r"ADR-\d+", re.IGNORECASE)),
    (ArtifactType.COMMIT, re.compile(r"[0-9a-f]{7,40}")),
    (ArtifactType.FILE, re.compile(r"[\w./-]*\.[a-z]\w{0,5}")),
)


@dataclass(frozen=True, slots=True)
class Moment:
    """An episode that was found, and the messages it spans."""

    found: rules.Episode
    messages: tuple[Message, ...]


def moments(context: Sequence[Message], messages: Sequence[Message]) -> list[Moment]:
    """The episodes that reach into these messages; `context` are the ones before them."""
    heard = [m for m in (*context, *messages) if m.role != Role.SYSTEM and not is_order(m)]
    new = {m.id for m in messages}
    found = rules.detect([said(m) for m in heard])
    spans = (Moment(e, tuple(heard[e.first : e.last + 1])) for e in found)
    return [moment for moment in spans if moment.messages[-1].id in new]


def store_moments(tx: Tx, conversation: Conversation, found: Sequence[Moment], now: datetime) -> None:
    """Keep episodes; one that overlaps a known one of its type becomes its next version."""
    for moment in found:
        new = _record(tx, conversation, moment, now)
        known = _overlapping(tx, new)
        if known is None:
            memories.insert(tx, [new])
        else:
            new = _widened(tx, known, new)
        _link(tx, new, now)


def narrative(tx: Tx, conversation: Conversation) -> Narrative:
    """The arc of a conversation: what happened in each third of it, and what mattered."""
    found = memories.drawn_from(tx, conversation.id, conversation.space, Kind.EPISODE)
    told = sorted(found, key=lambda r: (_first(r), r.id))
    thirds: tuple[list[Record], list[Record], list[Record]] = ([], [], [])
    for record in told:
        place = (_first(record) - 1) * 3 // max(conversation.turns, 1)
        thirds[max(0, min(2, place))].append(record)
    return Narrative(
        beginning=tuple(thirds[0]),
        middle=tuple(thirds[1]),
        end=tuple(thirds[2]),
        key_moments=tuple(r for r in told if r.importance >= KEY_MOMENT),
    )


def _first(r: Record) -> int:
    return r.episode.first_turn or 0 if r.episode else 0


def _record(tx: Tx, conversation: Conversation, moment: Moment, now: datetime) -> Record:
    e, messages = moment.found, moment.messages
    kind = EpisodeType(e.kind.replace(" ", "_"))
    place = (conversation.id, "episode", kind, str(messages[0].turn))
    sizes, small = levels(e.summary), levels(e.outcome or e.summary)
    return Record(
        id=derived_id(conversation.started_at, tx.tenant, *place),
        space=conversation.space,
        kind=Kind.EPISODE,
        text=e.summary,
        summary=sizes.summary,
        brief=small.brief,
        tag=small.tag,
        trust=Trust.least(*(m.trust for m in messages)),
        recorded_at=now,
        valid_from=messages[0].said_at,
        importance=e.significance,
        confidence=CONFIDENCE,
        made_by=MADE_BY,
        sources=tuple(Source(SourceKind.MESSAGE, m.id) for m in messages),
        artifacts=_artifacts(e.artifacts),
        episode=Episode(
            type=kind,
            title=e.title,
            context=e.context,
            participants=e.participants,
            outcome=e.outcome or None,
            valence=e.valence,
            conversation=conversation.id,
            first_turn=messages[0].turn,
            last_turn=messages[-1].turn,
        ),
    )


def _artifacts(refs: Sequence[str]) -> tuple[Artifact, ...]:
    """Those of the named things that we have a type for; tickets and versions have none."""
    typed = (next((Artifact(t, ref) for t, form in _ARTIFACTS if form.fullmatch(ref)), None) for ref in refs)
    return tuple(artifact for artifact in typed if artifact is not None)


def _overlapping(tx: Tx, new: Record) -> Record | None:
    """A known episode of the same type that spans any of the same messages."""
    assert new.episode is not None
    ids = memories.from_sources(tx, [source.id for source in new.sources])
    for record in memories.by_id(tx, [*ids, new.id], [new.space]).values():
        if record.episode is not None and record.episode.type == new.episode.type:
            return record
    return None


def _widened(tx: Tx, known: Record, new: Record) -> Record:
    """One version of both: told by the weightier, spanning all turns, with all sources."""
    assert known.episode is not None
    assert new.episode is not None
    a, b = known.episode, new.episode
    lead = new if new.importance >= known.importance else known
    assert lead.episode is not None
    episode = replace(
        lead.episode,
        participants=tuple(dict.fromkeys((*a.participants, *b.participants))),
        first_turn=min(a.first_turn or 0, b.first_turn or 0),
        last_turn=max(a.last_turn or 0, b.last_turn or 0),
    )
    merged = replace(
        lead,
        id=known.id,
        status=known.status,
        version=known.version,
        pinned=known.pinned,
        episode=episode,
        trust=Trust.least(known.trust, new.trust),
        valid_from=min(known.valid_from, new.valid_from),
        recorded_at=known.recorded_at,
    )
    memories.add_sources(tx, [(known.id, source) for source in new.sources])
    memories.add_artifacts(tx, [(known.id, artifact) for artifact in new.artifacts])
    if (merged.text, merged.episode) == (known.text, known.episode):
        return known
    at = max(new.recorded_at, known.recorded_at)
    return memories.replace_version(tx, known, replace(merged, recorded_at=at))


def _link(tx: Tx, episode: Record, now: datetime) -> None:
    """What was learnt in the same messages is part of the episode."""
    ids = memories.from_sources(tx, [source.id for source in episode.sources])
    known = memories.by_id(tx, ids, [episode.space]).values()
    parts = [r for r in known if r.kind != Kind.EPISODE and r.status != Status.QUARANTINED]
    made = [Link(source=r.id, target=episode.id, type=LinkType.PART_OF, created_at=now) for r in parts]
    links.put(tx, [link for link in made if link.source != episode.id])

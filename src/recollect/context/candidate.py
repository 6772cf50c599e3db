"""Candidates: what could enter a context, at which sizes, and what it is worth at each."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from recollect.model.conversation import TRUST_OF_ROLE, Chunk, Message, Role, Trust
from recollect.model.decay import decay, use_factor
from recollect.model.record import SIZES, Level, Record, SourceKind, Usage
from recollect.text.sentences import split
from recollect.text.terms import terms

EXCERPT = "excerpt"
LONG = 320
"""Characters from which a text may also enter as its best sentences."""
EXCERPTS = (220, 520)
"""How many characters the two excerpts of a long text may have."""
MAX_READ = 20_000
_WHOLE = str(Level.FULL)
_WORTH = tuple(zip(map(str, SIZES), (0.15, 0.6, 0.85, 1.0), strict=True))
"""The levels from the smallest to the largest, with the share of the value that each keeps."""


@dataclass(slots=True, eq=False)
class Option:
    """One size of a candidate: its text and the share of the candidate's value it keeps."""

    level: str
    text: str
    worth: float


@dataclass(slots=True, kw_only=True, eq=False)
class Candidate:
    """One thing that could enter, smallest option first; equal only to itself, which makes it a quick key.

    `label` says what it is or who said it, `origin` its trust where that is not the user's. `beside` is
    the id of the message that it answers, or that answers it: the two are worth more together. `talk`
    marks the last turns of the conversation itself. Of `topics` some may be empty. Never changed once
    made; not frozen, because hundreds are made for a context and that would double the time of each.
    """

    id: str
    kind: str
    value: float
    options: tuple[Option, ...]
    at: datetime
    why: str
    label: str = ""
    origin: str = ""
    role: str = ""
    place: tuple[str, int] | None = None
    sources: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    beside: str | None = None
    lent: bool = False
    standing: bool = False
    talk: bool = False

    @property
    def text(self) -> str:
        """The largest text."""
        return self.options[-1].text


def of_record(
    record: Record, value: float, why: str, asked: Collection[str], most: Level, *, standing: bool = False
) -> Candidate:
    """A memory at the levels it has, up to the largest that is wanted."""
    options = _levels(record, most)
    if len(options) == 1 and len(record.text) > LONG:
        options = excerpts(record.text, asked)
    kind = str(record.kind)
    return Candidate(
        id=record.id,
        kind=kind,
        value=value,
        options=options,
        at=record.valid_from,
        why=why,
        label=_label(record, kind) if record.doubtful or record.valid_to else kind,
        origin="" if record.trust == Trust.USER else str(record.trust),
        sources=tuple([s.id for s in record.sources if s.kind == SourceKind.MESSAGE]),
        topics=(*record.tags, record.category or "", record.key or "", record.tag or ""),
        standing=standing,
    )


def _levels(record: Record, most: Level) -> tuple[Option, ...]:
    if most == Level.FULL and record.summary is None and record.brief is None and record.tag is None:
        return (Option(_WHOLE, record.text, 1.0),)  # as most are
    largest = dict(zip(record.sizes(), _WORTH[: SIZES.index(most) + 1], strict=False))
    return tuple([Option(level, text, worth) for text, (level, worth) in largest.items()])


def _label(record: Record, kind: str) -> str:
    doubt = ", doubtful" if record.doubtful else ""
    until = f", until {record.valid_to:%Y-%m-%d}" if record.valid_to else ""
    return f"{kind}{doubt}{until}"


def of_message(message: Message, value: float, why: str, asked: Collection[str]) -> Candidate:
    """A message whole, or its best sentences where it is long."""
    spoken = message.trust == TRUST_OF_ROLE[message.role] and message.role in (Role.USER, Role.ASSISTANT)
    return Candidate(
        id=message.id,
        kind="message",
        value=value,
        options=excerpts(message.text, asked),
        at=message.said_at,
        why=why,
        label=message.speaker or str(message.role),
        origin="" if spoken else str(message.trust),
        role=str(message.role),
        place=(message.conversation, message.turn),
        sources=(message.id,),
    )


def of_chunk(chunk: Chunk, value: float, why: str, asked: Collection[str]) -> Candidate:
    """The summary of a run of messages."""
    return Candidate(
        id=chunk.id,
        kind="chunk",
        value=value,
        options=excerpts(chunk.summary, asked),
        at=chunk.recorded_at,
        why=why,
        label=f"turns {chunk.first_turn}-{chunk.last_turn}",
        origin="" if chunk.trust == Trust.USER else str(chunk.trust),
        place=(chunk.conversation, chunk.first_turn),
        topics=chunk.topics,
    )


def usefulness(usage: Usage, last: datetime, now: datetime, importance: float) -> float:
    """How much a memory's own history lifts or lowers its worth, 0.85 to 1.1."""
    used = use_factor(usage.cited, usage.ignored)
    return used + presence(usage, last, now, importance) - 1.0


def presence(usage: Usage, last: datetime, now: datetime, importance: float) -> float:
    """The part of it that recall has not counted yet: how present and how important it is."""
    present = decay(usage.last_used_at or last, usage.cited, now)
    return 1.0 + 0.05 * (present - 1.0) + 0.05 * (importance - 0.5)


def carried(record: Record, most: Level) -> Level:
    """The largest level for a memory where at most `most` is wanted: upkeep may have made it smaller."""
    if record.usage.carried == Level.FULL:
        return most
    return SIZES[min(SIZES.index(most), SIZES.index(record.usage.carried))]


def excerpts(text: str, asked: Collection[str]) -> tuple[Option, ...]:
    """The whole text and, where it is long, its sentences that say most about what is asked."""
    whole = Option(_WHOLE, text, 1.0)
    if len(text) <= LONG:
        return (whole,)
    ranked, matched = _ranked(text[:MAX_READ], frozenset(asked))
    options: list[Option] = []
    for size in EXCERPTS:
        shown, seen = _best(text, ranked, size)
        if shown and len(shown) < 0.8 * len(text) and all(shown != o.text for o in options):
            covered = len(seen) / len(matched) if matched else 0.4
            options.append(Option(EXCERPT, shown, _kept(covered, size)))
    return (*options, whole)


def _kept(covered: float, size: int) -> float:
    """The share of a long text's value that an excerpt keeps: mostly that of the asked words in it."""
    return (0.45 if size == EXCERPTS[0] else 0.55) + 0.35 * covered


Sentence = tuple[int, int, frozenset[str], float]


def _ranked(text: str, asked: frozenset[str]) -> tuple[list[Sentence], frozenset[str]]:
    """Sentences from the most to the least telling, and the asked terms that the text has at all."""
    found: list[Sentence] = []
    for place, (start, end, held) in enumerate(_sentences(text)):
        hits = held & asked
        found.append((start, end, hits, len(hits) + 0.3 / (1 + place)))
    matched = frozenset().union(*(hits for _, _, hits, _ in found)) if found else frozenset()
    return sorted(found, key=lambda s: (-s[3], s[0])), matched


@lru_cache(maxsize=2_048)
def _sentences(text: str) -> tuple[tuple[int, int, frozenset[str]], ...]:
    return tuple((s.start, s.end, frozenset(terms(s.text))) for s in split(text))


def _best(text: str, ranked: Sequence[Sentence], size: int) -> tuple[str, frozenset[str]]:
    """The best sentences up to a size, in the text's order, gaps marked."""
    taken: list[Sentence] = []
    room = size
    for sentence in ranked:
        length = sentence[1] - sentence[0]
        if length <= room:
            taken.append(sentence)
            room -= length
    if not taken and ranked:
        start = ranked[0][0]
        cut = re.sub(r"\s+\S*$", "", text[start : start + size])
        return ("…" if start else "") + cut + "…", ranked[0][2]
    taken.sort()
    parts: list[str] = []
    last = 0
    for start, end, _, _ in taken:
        parts.append(("… " if text[last:start].strip() else "") + text[start:end])
        last = end
    tail = " …" if text[last:].strip() else ""
    seen = frozenset().union(*(hits for _, _, hits, _ in taken)) if taken else frozenset()
    return " ".join(parts) + tail if parts else "", seen

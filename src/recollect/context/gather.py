"""Gathering: what each section could be filled with, from the store and from recall."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import chain
from typing import Any

from recollect.context import candidate as made
from recollect.context import topics
from recollect.context.candidate import Candidate, Option
from recollect.context.layouts import Fill, Section
from recollect.errors import InvalidInput
from recollect.ingest import gate
from recollect.model.context import Signals
from recollect.model.conversation import Chunk, Message, Trust
from recollect.model.filter import Filter
from recollect.model.found import Found
from recollect.model.record import SESSION, Kind, Level, Record
from recollect.recall.recall import Means, recall
from recollect.store import chunks, contexts, contradictions, memories
from recollect.store.database import Tx
from recollect.store.scope import Scope
from recollect.text.terms import query_terms

GAMMA = 10.0
"""The chance of being what is needed falls steeply with the score: values are scores to this power."""
FLOOR = 0.25
"""What scores less than this share of the best is not worth its tokens."""
RETOLD, ASKING = 0.3, 0.5
"""Summaries and questions hold what is needed so much less often than statements that were found as well."""
STANDING = 10.0
"""Above anything a query finds: a query never resembles a standing instruction."""
RECENT_ERRORS = timedelta(hours=24)
FACT_IMPORTANCE = 0.5
PAIRED = 40
"""So many of the best messages are looked at for the question before them or the answer after."""
LISTED = 120
SPARE = 4
"""For each entry that a section may have, so many are looked at."""
_ACTIVITY = re.compile(r"[a-z0-9-]{1,40}")
_SIGNALS = ("current_file", "recent_errors", "activity", "branch")
_PATH_NOISE = frozenset("src lib app apps main master index test tests feature fix bugfix hotfix".split())


@dataclass(frozen=True, slots=True)
class Ask:
    """One thing to recall by: a text, how much it counts, and where it came from."""

    text: str
    weight: float
    why: str


def asks_of(query: str | None, signals: Signals | None) -> list[Ask]:
    """What to recall by: the query, then each signal; InvalidInput names a signal that is not known."""
    given = dict(signals or {})
    if stray := next((name for name in given if name not in _SIGNALS), None):
        raise InvalidInput(f"no signal {str(stray)[:60]!r}; known are: {', '.join(_SIGNALS)}")
    found = [Ask(query, 1.0, "query")] if query is not None else []
    errors = given.get("recent_errors") or []
    if isinstance(errors, str) or not isinstance(errors, Sequence):
        raise InvalidInput("the signal recent_errors must be a list of texts")
    found += [Ask(gate.text(e, "a recent error"), 0.9, "recent error") for e in errors[:5]]
    for name, weight in (("current_file", 0.8), ("branch", 0.6)):
        if given.get(name):
            words = _path_words(gate.text(given[name], f"the signal {name}", gate.MAX_NAME))
            found += [Ask(words, weight, name.replace("_", " "))] if words else []
    return found


def activity_of(signals: Signals | None) -> str | None:
    """The activity that was named, or nothing."""
    named = (signals or {}).get("activity")
    if named is not None and not (isinstance(named, str) and _ACTIVITY.fullmatch(named)):
        raise InvalidInput(f"the activity {named!r} must be a word such as debugging or new-feature")
    return named


def _path_words(path: str) -> str:
    """The telling words of a path or branch: `src/auth/login.ts` is about auth and login."""
    stem = re.sub(r"\.\w{1,5}$", "", path)
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", stem)
    return " ".join(word for word in words if word.lower() not in _PATH_NOISE)


@dataclass(slots=True)
class Gatherer:
    """Brings candidates for sections; each recall is made once."""

    scope: Scope
    means: Means
    asks: list[Ask]
    conversation: str | None
    limits: Mapping[str, int]
    file: str | None = None
    asked: frozenset[str] = frozenset()
    now: datetime = datetime.min
    warnings: dict[str, None] = field(default_factory=dict)
    _made: dict[Any, list[Candidate]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.now = self.scope.now()
        self.means = replace(self.means, floor=FLOOR)
        self.asked = frozenset(query_terms(" ".join(ask.text for ask in self.asks)))

    def of(self, section: Section) -> list[Candidate]:
        """Everything that could fill a section, each thing once."""
        found = chain.from_iterable(self._source(fill)(section) for fill in section.fill)
        best: dict[str, Candidate] = {}
        for c in found:
            if c.id not in best:
                best[c.id] = c
        return list(best.values())

    def _source(self, fill: Fill) -> Callable[[Section], list[Candidate]]:
        return {
            Fill.STANDING: self._standing,
            Fill.CONTRADICTIONS: self._contradictions,
            Fill.ERRORS: self._errors,
            Fill.RECALLED: self._recalled,
            Fill.LISTED: self._listed,
            Fill.INDEX: self._named,
            Fill.FACTS: self._facts,
            Fill.RECENT: self._recent,
            Fill.CHUNKS: self._chunks,
        }.get(fill, lambda _: [])

    def _once(self, key: Any, work: Callable[[Tx], list[Candidate]]) -> list[Candidate]:
        if key not in self._made:
            self._made[key] = self.scope.read(work)
        return self._made[key]

    def _standing(self, _: Section) -> list[Candidate]:
        def work(tx: Tx) -> list[Candidate]:
            return [
                self._stood(r, r.importance, "always: " + ("pinned" if r.pinned else str(r.kind)))
                for r in contexts.standing(tx, self.scope.view.spaces)
            ]

        return self._once("standing", work)

    def _errors(self, _: Section) -> list[Candidate]:
        since = self.now - RECENT_ERRORS
        spaces = self.scope.view.spaces

        def work(tx: Tx) -> list[Candidate]:
            found = contexts.errors_since(tx, spaces, since)
            return [self._stood(r, 0.5, "always: an error of the last day") for r in found]

        return self._once("errors", work)

    def _stood(self, record: Record, worth: float, why: str) -> Candidate:
        value = STANDING * (0.5 + worth)
        return made.of_record(record, value, why, self.asked, Level.FULL, standing=True)

    def _contradictions(self, _: Section) -> list[Candidate]:
        spaces = self.scope.view.spaces

        def work(tx: Tx) -> list[Candidate]:
            found = []
            for c in contradictions.listed(tx, spaces, only_open=True):
                sides = memories.by_id(tx, [c.memory_a, c.memory_b], spaces)
                if len(sides) == 2:
                    a, b = sides[c.memory_a], sides[c.memory_b]
                    texts = [
                        Option(str(level), f"{a.at(level)} / but: {b.at(level)}", worth)
                        for level, worth in ((Level.BRIEF, 0.7), (Level.FULL, 1.0))
                    ]
                    short = texts[1:] if texts[0].text == texts[1].text else texts
                    found.append(
                        Candidate(
                            id=c.id,
                            kind="contradiction",
                            value=STANDING * 1.5,
                            options=tuple(short),
                            at=c.detected_at,
                            why="always: an open contradiction",
                            label="contradiction, unresolved",
                            standing=True,
                        )
                    )
            return found

        return self._once("contradictions", work)

    def _facts(self, _: Section) -> list[Candidate]:
        """Keyed facts as key and value, from those we listen to, the most important first."""
        wanted = Filter(min_importance=FACT_IMPORTANCE, kinds=_FACTS, min_trust=Trust.ASSISTANT)

        def work(tx: Tx) -> list[Candidate]:
            return [_fact(r) for r in contexts.keyed(tx, self.scope.view.spaces, wanted, LISTED)]

        return self._once("facts", work)

    def _listed(self, section: Section) -> list[Candidate]:
        def work(tx: Tx) -> list[Candidate]:
            found = contexts.newest(tx, self.scope.view.spaces, section.kinds, _most(LISTED, section))
            return [
                made.of_record(
                    r,
                    0.02 * r.importance * self._worth(r),
                    "listed",
                    self.asked,
                    made.carried(r, section.level),
                )
                for r in found
            ]

        return self._once(("listed", section.kinds, section.level, section.limit), work)

    def _named(self, section: Section) -> list[Candidate]:
        """What else there is, for the index."""

        def work(tx: Tx) -> list[Candidate]:
            return [
                Candidate(
                    id=n.id,
                    kind=n.kind,
                    value=0.02 * n.importance,
                    options=(Option(str(Level.FULL), n.text, 1.0),),
                    at=n.valid_from,
                    why="listed",
                    topics=n.names,
                )
                for n in contexts.named(tx, self.scope.view.spaces, section.kinds, LISTED, topics.READ)
            ]

        return self._once(("named", section.kinds), work)

    def _recent(self, section: Section) -> list[Candidate]:
        chat = self.conversation
        if chat is None:
            return []

        def work(tx: Tx) -> list[Candidate]:
            said = contexts.last_messages(tx, chat, self.scope.view.spaces, section.limit or 100)
            newest = enumerate(reversed(said))
            told = (
                made.of_message(m, 0.9 * 0.97**age, f"recent: turn {m.turn}", self.asked) for age, m in newest
            )
            return [replace(c, talk=True) for c in told]

        return self._once(("recent", section.limit), work)

    def _chunks(self, _: Section) -> list[Candidate]:
        chat = self.conversation
        if chat is None:
            return []

        def work(tx: Tx) -> list[Candidate]:
            told = chunks.of_conversation(tx, chat, self.scope.view.spaces)
            return [
                made.of_chunk(c, 0.05 * 0.97**age, "earlier in this conversation", self.asked)
                for age, c in enumerate(reversed(told))
            ]

        return self._once("chunks", work)

    def _recalled(self, section: Section) -> list[Candidate]:
        limit = _most(self.limits[section.name], section)
        key = ("recalled", section.kinds, section.items, section.level, limit)
        if key in self._made:
            return self._made[key]
        best: dict[str, Candidate] = {}
        messages: list[tuple[Message, float]] = []
        for c, item in chain(
            self._about_file(section), *(self._asked(ask, section, limit) for ask in self.asks)
        ):
            if c.id not in best or c.value > best[c.id].value:
                best[c.id] = c
                if isinstance(item, Message):
                    messages.append((item, c.value))
        self._pair(best, messages)
        self._made[key] = sorted(best.values(), key=lambda c: (-c.value, c.id))
        return self._made[key]

    def _about_file(self, section: Section) -> list[tuple[Candidate, Record]]:
        """Memories that name the current file, whatever their words."""
        file = self.file
        if file is None:
            return []
        records = self.scope.read(lambda tx: contexts.about_file(tx, self.scope.view.spaces, file))
        wanted = [r for r in records if not section.kinds or r.kind in section.kinds]
        why = "names the current file"
        return [(made.of_record(r, 0.8, why, self.asked, made.carried(r, section.level)), r) for r in wanted]

    def _asked(self, ask: Ask, section: Section, limit: int) -> list[tuple[Candidate, Any]]:
        wanted = Filter(kinds=section.kinds, items=("memory",) if section.kinds else section.items)
        found = recall(self.scope, ask.text, self.means, wanted=wanted, limit=limit, as_of=None)
        self.warnings.update(dict.fromkeys(found.warnings))
        top = max((f.score for f in found), default=0.0)
        kept = [f for f in found if f.score > FLOOR * top]
        return [(self._of_found(f, ask, section, f.score / top), f.item) for f in kept]

    def _of_found(self, f: Found, ask: Ask, section: Section, score: float) -> Candidate:
        words = f", {' '.join(f.terms[:6])}" if f.terms else ""
        why = f"{ask.why}: {f.path} {f.score:.2f}{words}"
        value = ask.weight * score**GAMMA
        if isinstance(f.item, Record):
            presence = made.presence(f.item.usage, f.item.recorded_at, self.now, f.item.importance)
            value *= presence**GAMMA * (RETOLD if f.item.category == SESSION else 1.0)
            return made.of_record(f.item, value, why, self.asked, made.carried(f.item, section.level))
        if isinstance(f.item, Chunk):
            return made.of_chunk(f.item, RETOLD * value, why, self.asked)
        return made.of_message(f.item, value * (ASKING if _asks(f.item) else 1.0), why, self.asked)

    def _worth(self, record: Record) -> float:
        return made.usefulness(record.usage, record.recorded_at, self.now, record.importance)

    def _pair(self, best: dict[str, Candidate], said: Sequence[tuple[Message, float]]) -> None:
        """Put questions beside their answers: where one of the two was found, the other may come with it."""
        wanted: dict[tuple[str, int], tuple[Message, float]] = {}
        for m, value in said[:PAIRED]:
            if _asks(m):
                wanted[m.conversation, m.turn + 1] = (m, value / ASKING)
            else:
                wanted[m.conversation, m.turn - 1] = (m, value)
        found = self.scope.read(lambda tx: contexts.turns(tx, list(wanted), self.scope.view.spaces))
        for place, other in found.items():
            hit, value = wanted[place]
            answer = other.turn > hit.turn
            if not answer and not _asks(other):
                continue
            if other.id in best:
                best[other.id] = replace(best[other.id], beside=hit.id)
            else:
                why = "the answer to what was found" if answer else "the question before what was found"
                lent = made.of_message(other, value * 0.6, why, self.asked)
                best[other.id] = replace(lent, beside=hit.id, lent=True)


def _asks(message: Message) -> bool:
    return message.text.rstrip().endswith("?")


def _most(count: int, section: Section) -> int:
    """So many, but no more than a section of few entries can use."""
    return count if section.limit is None else min(count, SPARE * section.limit)


_FACTS = (Kind.FACT, Kind.IDENTITY, Kind.PREFERENCE, Kind.CONSTRAINT, Kind.INSTRUCTION)


def _fact(r: Record) -> Candidate:
    """A keyed fact as key and value, always loaded."""
    subject = f"{r.subject} " if r.subject else ""
    c = made.of_record(r, STANDING * (0.5 + r.importance), "a fact by its key", (), Level.FULL)
    options = (Option(str(Level.FULL), str(r.value), 1.0),)
    doubt = ", doubtful" if r.doubtful else ""
    return replace(c, options=options, label=f"{subject}{r.key}{doubt}", standing=True)

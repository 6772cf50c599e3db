"""Assembly: a layout, a budget and a query become the text an assistant receives, with a receipt."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from hashlib import blake2b
from itertools import chain
from typing import TYPE_CHECKING, Protocol

from recollect.context import topics
from recollect.context.candidate import Candidate, Option
from recollect.context.fit import Choice, fill, fill_in_order
from recollect.context.gather import Gatherer, activity_of, asks_of
from recollect.context.layouts import Fill, Layout, Section, Style
from recollect.context.render import MESSAGE_TOKENS, Block, Entry, Fenced, renderer, turn, turns
from recollect.model.context import Context, Format, LeftOut, Part, Shown, ShownItem, Signals, Taken
from recollect.model.conversation import Role
from recollect.model.ids import new_id
from recollect.recall.recall import Means
from recollect.store import contexts, conversations
from recollect.store.scope import Scope
from recollect.text.terms import query_terms

if TYPE_CHECKING:
    from recollect.models.ports import Tokenizer

DEFAULT_MODEL = "o200k"
MIN_RECALL, MAX_RECALL = 20, 200
TOKENS_A_HIT = 20


class Offers(Protocol):
    """Where candidates come from: the store and recall, or a test."""

    asked: frozenset[str]
    warnings: dict[str, None]

    def of(self, section: Section) -> list[Candidate]:
        """Everything that could fill a section, each thing once."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is asked of a context, checked."""

    query: str | None
    conversation: str | None
    signals: Signals | None
    layout: Layout
    budget: int
    tokenizer: "Tokenizer"
    format: Format


def context(scope: Scope, means: Means, request: Request) -> tuple[Context, Shown]:
    """The most useful of the view within the budget, and what to remember of it."""
    request_layout = request.layout.during(activity_of(request.signals))
    chat = _conversation(scope, request)
    query = request.query if request.query is not None else _last_said(scope, chat)
    file = (request.signals or {}).get("current_file")
    limits = _limits(request_layout, request.budget)
    gatherer = Gatherer(scope, means, asks_of(query, request.signals), chat, limits, file)
    work = Assembly(request_layout, request, gatherer, _name(scope))
    work.choose()
    return work.finish(scope.now(), scope.view.home, query)


def _limits(layout: Layout, budget: int) -> dict[str, int]:
    """How many hits a section looks for: what its share could hold; who gets what is left, all that fit."""
    first = next((s.name for s in layout.takers() if Fill.RECALLED in s.fill), None)
    room = layout.allotments(budget) | ({} if first is None else {first: budget})
    return {name: max(MIN_RECALL, min(MAX_RECALL, room[name] // TOKENS_A_HIT)) for name in room}


def _conversation(scope: Scope, request: Request) -> str | None:
    """The conversation that was named, or the open one where the layout shows one."""
    if request.conversation is not None:
        return request.conversation
    wanted = any(f in (Fill.RECENT, Fill.CHUNKS) for s in request.layout.sections for f in s.fill)
    found = scope.read(lambda tx: conversations.newest_open(tx, scope.view.home)) if wanted else None
    return found.id if found else None


def _last_said(scope: Scope, chat: str | None) -> str | None:
    """Without a query, the last thing the user said is what it is about."""
    if chat is None:
        return None
    said = scope.read(lambda tx: contexts.last_messages(tx, chat, scope.view.spaces, 5))
    return next((m.text for m in reversed(said) if m.role == Role.USER), None)


def _name(scope: Scope) -> str:
    return scope.view.home.rpartition("/")[2].partition(":")[2] or scope.view.home


@dataclass(slots=True)
class Assembly:
    """One context in the making."""

    layout: Layout
    request: Request
    gatherer: Offers
    name: str
    refs: topics.Refs = field(default_factory=topics.Refs)
    offered: dict[str, list[Candidate]] = field(default_factory=dict)
    index: tuple[Candidate, ...] = ()
    entries: dict[Option, Entry] = field(default_factory=dict)
    pen: Fenced = field(init=False)
    choice: Choice = field(init=False)

    def __post_init__(self) -> None:
        count, pen = self.request.tokenizer.count, renderer(self.layout, self.request.format, self.name)
        self.pen, self.choice = pen, Choice(self._price, lambda day: count(pen.group(day.isoformat())))

    def _price(self, c: Candidate, option: Option) -> int:
        count = self.request.tokenizer.count
        if c.talk and self.request.format == Format.CHAT:
            return count(turn(c, option)[1]) + MESSAGE_TOKENS
        return count(self.pen.once(self._entry(c, option)))

    def _entry(self, c: Candidate, option: Option) -> Entry:
        if option not in self.entries:
            self.entries[option] = Entry(self.refs.of(c), c, option)
        return self.entries[option]

    def choose(self) -> None:
        """Fill the sections, the one with the highest priority first, and let flow what they leave.

        What is left goes on to a section at once where nobody comes before it in the flow who has not
        chosen yet. In the end everybody is asked again who had less room the first time.
        """
        count = self.request.tokenizer.count
        frame = count(self.pen.head() + self.pen.foot()) + 4
        room = max(0, self.request.budget - frame)
        given = self.layout.allotments(room)
        left = room - sum(given.values())
        titles = {s.name: count(self.pen.title(s)) + 1 for s in self.layout.sections}
        odd = (Fill.RESERVE, Fill.INDEX)
        filled = [s for s in self.layout.sections if not any(f in odd for f in s.fill)]
        takers = [s for s in self.layout.takers() if s in filled]
        spared: dict[str, int] = {}
        for section in sorted(filled, key=lambda s: -s.priority):
            mine = given[section.name] - titles[section.name]
            if all(s.name in spared for s in takers[: takers.index(section)]):
                mine, left = mine + left, 0
            spared[section.name] = self._fill(section, mine)
            left += spared[section.name]
        for section in self.layout.sections:
            if Fill.INDEX in section.fill:
                left += self._index(section, given[section.name] - titles[section.name])
        for section in takers:
            if left > max(0, spared[section.name]):
                left = spared[section.name] = self._fill(section, left)

    def _fill(self, section: Section, room: int) -> int:
        if room <= 0:
            return room
        if section.name not in self.offered:
            claimed = self.choice.option.keys()
            found = [c for c in self.gatherer.of(section) if c.id not in claimed]
            self.offered[section.name] = self._beyond_the_talk(section, found)
        offered = self.offered[section.name]
        if Fill.RECENT in section.fill:
            return fill_in_order(self.choice, section.name, offered, room)
        return fill(self.choice, section.name, offered, room, section.limit)

    def _beyond_the_talk(self, section: Section, found: list[Candidate]) -> list[Candidate]:
        """Summaries of turns that are shown whole are not needed."""
        if Fill.CHUNKS not in section.fill:
            return found
        shown = [c.place[1] for c in self.choice.known.values() if c.talk and c.place]
        oldest = min(shown, default=None)
        return [
            c for c in found if c.kind != "chunk" or c.place is None or oldest is None or c.place[1] < oldest
        ]

    def _index(self, section: Section, room: int) -> int:
        """Name what was left out, and then what else there is."""
        if room <= 0:
            return room
        chosen = self.choice.option
        offered = chain(*self.offered.values(), self.gatherer.of(section))
        rest = {c.id: c for c in offered if c.id not in chosen}.values()
        entries = topics.topics(rest, self.gatherer.asked)
        cost = self._index_cost(entries)
        while entries and cost > room:
            entries = entries[: min(len(entries) - 1, len(entries) * room // cost)]
            cost = self._index_cost(entries)
        self.index = tuple(entries)
        return room - cost

    def _index_cost(self, entries: Sequence[Candidate]) -> int:
        """The tokens of the index, with a few to spare where it meets the rest of the text."""
        listed = [self._entry(c, c.options[0]) for c in entries]
        return self.request.tokenizer.count(self.pen.topics(listed)) + 6 if listed else 0

    def blocks(self) -> list[Block]:
        """The chosen entries by section, in the order of the text."""
        found = []
        chosen = defaultdict(list)
        for id, name in self.choice.section.items():
            chosen[name].append(self.choice.known[id])
        for section in self.layout.sections:
            if Fill.INDEX in section.fill:
                rest = (c for c in self.index if c.id not in self.choice.option)
                entries = tuple([self._entry(c, c.options[0]) for c in rest])
            else:
                mine = sorted(chosen[section.name], key=_order)
                entries = tuple([self._entry(c, c.options[self.choice.option[c.id]]) for c in mine])
            if self.layout.style == Style.APP and self.request.format in (Format.TEXT, Format.CHAT):
                newest = reversed(entries)
                entries = tuple(Entry(str(n), e.candidate, e.option) for n, e in enumerate(newest, 1))
            if entries:
                found.append(Block(section, entries))
        return found

    def written(self, blocks: Mapping[Block, str]) -> tuple[str, tuple[tuple[str, str], ...], int]:
        """The text, the turns of the talk, and the tokens of both together."""
        count = self.request.tokenizer.count
        if self.request.format != Format.CHAT:
            text = self.pen.whole(list(blocks.values()))
            return text, (), count(text)
        talk = turns(list(blocks))
        text = self.pen.whole([text for block, text in blocks.items() if not block.recent])
        contents = [text, *(content for _, content in talk)] if text else [content for _, content in talk]
        return text, talk, sum(count(content) + MESSAGE_TOKENS for content in contents)

    def drop(self, over: int) -> bool:
        """Take out what is worth least a token until so many tokens are gone; whether anything was left."""
        if self.index:
            self.index = self.index[: -max(1, over // 8)]
            return True
        chosen = [(self.choice.known[id], i) for id, i in self.choice.option.items()]
        chosen.sort(key=lambda one: (one[0].value / max(1, self.choice.cost(*one)), one[0].id))
        for c, i in chosen:
            if over <= 0:
                break
            over -= self.choice.cost(c, i)
            del self.choice.option[c.id], self.choice.section[c.id], self.choice.known[c.id]
        return bool(chosen)

    def finish(self, now: datetime, space: str, query: str | None) -> tuple[Context, Shown]:
        """Write it down, count what was written, and take out what does not fit."""
        budget = self.request.budget
        blocks = {block: self.pen.block(block) for block in self.blocks()}
        text, talk, tokens = self.written(blocks)
        while tokens > budget and self.drop(tokens - budget):
            blocks = {block: self.pen.block(block) for block in self.blocks()}
            text, talk, tokens = self.written(blocks)
        id = new_id(now)
        taken = self._taken(blocks)
        made = Context(
            id=id,
            layout=self.layout.name,
            format=self.request.format,
            text=text,
            tokens=tokens,
            budget=budget,
            tokenizer=self.request.tokenizer.name,
            exact=self.request.tokenizer.exact,
            made_at=now,
            query=query,
            sections=self._parts(blocks),
            taken=taken,
            left_out=self._left_out(),
            warnings=self._warnings(taken),
            turns=talk,
        )
        standing = {c.id for c in self.choice.known.values() if c.standing}
        items = tuple([ShownItem(t.ref, t.id, t.kind, t.id in standing) for t in taken])
        return made, Shown(id=id, space=space, made_at=now, asked=hashes(id, query or ""), items=items)

    def _taken(self, blocks: Iterable[Block]) -> tuple[Taken, ...]:
        return tuple(
            [
                Taken(
                    ref=entry.ref,
                    id=entry.candidate.id,
                    kind=entry.candidate.kind,
                    section=block.section.name,
                    level=entry.option.level,
                    tokens=0 if block.index else self._tokens(entry.candidate),
                    why=entry.candidate.why,
                    text=entry.option.text,
                )
                for block in blocks
                for entry in block.entries
            ]
        )

    def _tokens(self, c: Candidate) -> int:
        return self.choice.cost(c, self.choice.option[c.id])

    def _parts(self, blocks: Mapping[Block, str]) -> tuple[Part, ...]:
        given = self.layout.allotments(self.request.budget)
        by_name = {block.section.name: block for block in blocks}
        parts = []
        for section in self.layout.sections:
            block = by_name.get(section.name)
            text = blocks[block] if block else ""
            tokens = self.request.tokenizer.count(text) if text else 0
            entries = len(block.entries) if block else 0
            parts.append(
                Part(name=section.name, allotted=given[section.name], tokens=tokens, items=entries, text=text)
            )
        return tuple(parts)

    def _left_out(self) -> tuple[LeftOut, ...]:
        found: dict[str, LeftOut] = {}
        limits = {s.name: s.limit for s in self.layout.sections}
        for name, offers in self.offered.items():
            for c in offers:
                if c.id in self.choice.option or c.id in found:
                    continue
                why = "no room left"
                if limits[name] is not None and len(offers) > (limits[name] or 0):
                    why = f"not among the best {limits[name]}"
                elif self.choice.factor(c) < 1.0:
                    why = "repeats what was taken" if not c.lent else "came only with what was left out"
                found[c.id] = LeftOut(id=c.id, kind=c.kind, why=why)
        return tuple(found.values())

    def _warnings(self, taken: Sequence[Taken]) -> tuple[str, ...]:
        found = list(self.gatherer.warnings)
        if not taken and (not self.offered or any(self.offered.values())):
            found.append(f"the budget of {self.request.budget} tokens is too small for anything")
        short = {c.id for offers in self.offered.values() for c in offers if c.standing} - set(
            self.choice.option
        )
        if short and taken:
            found.append(f"{len(short)} of what is always loaded had no room: raise the budget")
        if not self.request.tokenizer.exact:
            found.append(f"tokens of {self.request.tokenizer.name} are bounded from above, not exact")
        return tuple(found)


def _order(c: Candidate) -> tuple[date, str, int, str]:
    """By time; turns of one conversation stay together within their day."""
    chat, number = c.place or ("", 0)
    return c.at.date(), chat, number, c.id


def hashes(context: str, text: str) -> tuple[int, ...]:
    """The telling words of a text as numbers that only this context can compare: no text is kept."""
    return tuple(
        int.from_bytes(blake2b(term.encode(), digest_size=6, key=context.encode()).digest())
        for term in query_terms(text)
    )

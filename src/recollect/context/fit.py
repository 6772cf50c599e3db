"""Fitting: which candidates enter, and at which level, so that the budget buys the most value.

Each candidate has options of rising cost; on their upper hull every step buys less value a token than
the one before. The best step of all is taken again and again, first what is worth most a token. What a
step is worth depends on what is already there: repetition is worth less, an answer more beside its
question. That makes it a lazy greedy choice: simple, deterministic, and fast.
"""

import heapq
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import reduce
from operator import or_

from recollect.context.candidate import Candidate, Option
from recollect.text.similarity import plain_words

REPEATED = 0.8
"""From this share of its words in one chosen text, a candidate repeats it."""
REPEAT_WORTH = 0.25
MAX_COMPARED = 2_000
"""Of longer texts only so many characters are compared, and nothing is said to repeat them."""
LENT_WORTH = 0.5
BESIDE_WORTH = 1.15
UNPRICED = -1
LEAST_LINE = 6
"""No entry takes fewer tokens."""
LONG_TOKEN = 8
"""Nor has a text more characters a token."""

Price = Callable[[Candidate, Option], int]


@dataclass(slots=True)
class Choice:
    """What was chosen so far: the option of each candidate by id, in which section, at which price."""

    price: Price
    group_price: Callable[[date], int]
    option: dict[str, int] = field(default_factory=dict)
    section: dict[str, str] = field(default_factory=dict)
    known: dict[str, Candidate] = field(default_factory=dict)
    _days: set[tuple[str, date]] = field(default_factory=set)
    _headings: dict[date, int] = field(default_factory=dict)
    _holders: dict[bytes, int] = field(default_factory=dict)
    _held: list[frozenset[bytes]] = field(default_factory=list)
    _sources: set[str] = field(default_factory=set)
    _costs: dict[Candidate, tuple[int, ...]] = field(default_factory=dict)
    _words: dict[str, frozenset[bytes]] = field(default_factory=dict)
    _steps: dict[Candidate, Sequence[int]] = field(default_factory=dict)

    def cost(self, c: Candidate, i: int) -> int:
        """The tokens of a candidate at an option, counted once."""
        return self._priced(c)[i]

    def _priced(self, c: Candidate) -> tuple[int, ...]:
        found = self._costs.get(c)
        if found is None:
            found = self._costs[c] = tuple([self.price(c, option) for option in c.options])
        return found

    def next_step(self, c: Candidate) -> int | None:
        """The next option of a candidate that is worth taking, if there is one."""
        at = self.option.get(c.id, -1)
        if len(c.options) == 1:
            return 0 if at < 0 else None
        if c not in self._steps:
            self._steps[c] = hull(c, self._priced(c))
        return next((i for i in self._steps[c] if i > at), None)

    def step_cost(self, c: Candidate, i: int, section: str) -> int:
        """What it costs to move a candidate to an option, with the day's heading if it is the first."""
        costs = self._priced(c)
        at = self.option.get(c.id)
        if at is not None:
            return costs[i] - costs[at]
        day = c.at.date()
        if (section, day) in self._days:
            return costs[i]
        if day not in self._headings:
            self._headings[day] = self.group_price(day)
        return costs[i] + self._headings[day]

    def factor(self, c: Candidate) -> float:
        """How much of its own value a candidate has beside what was chosen."""
        if c.id in self.option:
            return 1.0
        return self.together(c) * (REPEAT_WORTH if self._repeats(c) else 1.0)

    def together(self, c: Candidate) -> float:
        """The same, but for repetition: never too low, and quick."""
        if c.beside is None or c.id in self.option:
            return 1.0
        chosen = c.beside in self.option
        return (1.0 if chosen else LENT_WORTH) if c.lent else (BESIDE_WORTH if chosen else 1.0)

    def _repeats(self, c: Candidate) -> bool:
        if c.kind != "message" and c.sources and all(s in self._sources for s in c.sources):
            return True
        if not self._holders or len(words := self._words_of(c)) < 3:
            return False
        needed = math.ceil(REPEATED * len(words))
        if sum(map(self._holders.__contains__, words)) < needed:
            return False
        held = self._holders.keys() & words
        # Whoever has so many of the words has at least one of the rarest ones.
        rarest = sorted([self._holders[word] for word in held], key=int.bit_count)
        near = reduce(or_, rarest[: len(held) - needed + 1])
        return any(len(words & self._held[at]) >= needed for at in _bits(near))

    def _words_of(self, c: Candidate) -> frozenset[bytes]:
        found = self._words.get(c.id)
        if found is None:
            found = self._words[c.id] = plain_words(c.text[:MAX_COMPARED])
        return found

    def take(self, c: Candidate, i: int, section: str) -> None:
        """Choose a candidate at an option, or move it there."""
        id = c.id
        if id not in self.option:
            self.known[id] = c
            self.section[id] = section
            self._days.add((section, c.at.date()))
            self._sources.update(c.sources)
            if len(c.text) <= MAX_COMPARED:
                self._hold(self._words_of(c))
        self.option[id] = i

    def _hold(self, words: frozenset[bytes]) -> None:
        """Remember who has which word, as bits: one list a word would keep the garbage collector busy."""
        bit = 1 << len(self._held)
        self._held.append(words)
        for word in words:
            self._holders[word] = self._holders.get(word, 0) | bit


def _bits(number: int) -> Iterator[int]:
    """The places of the bits that are set."""
    while number:
        yield (number & -number).bit_length() - 1
        number &= number - 1


def hull(c: Candidate, costs: Sequence[int]) -> list[int]:
    """The options worth taking, in order: each step buys less a token than the one before."""
    steps: list[int] = []
    for i, option in enumerate(c.options):
        while steps:
            last = steps[-1]
            before = steps[-2] if len(steps) > 1 else None
            if option.worth <= c.options[last].worth or costs[i] <= costs[last]:
                if costs[i] <= costs[last] and option.worth >= c.options[last].worth:
                    steps.pop()
                    continue
                break
            old = _slope(c, costs, before, last)
            if _slope(c, costs, last, i) >= old:
                steps.pop()
                continue
            break
        if not steps or (option.worth > c.options[steps[-1]].worth and costs[i] > costs[steps[-1]]):
            steps.append(i)
    return steps


def _slope(c: Candidate, costs: Sequence[int], start: int | None, end: int) -> float:
    gain = c.options[end].worth - (0.0 if start is None else c.options[start].worth)
    return gain / max(1, costs[end] - (0 if start is None else costs[start]))


def fill(choice: Choice, section: str, offered: Sequence[Candidate], room: int, limit: int | None) -> int:
    """Choose among candidates for one section within some tokens; the tokens that are left."""
    mine = [c for c in offered if choice.section.get(c.id, section) == section]
    taken = sum([c.id in choice.option for c in mine])
    most = limit if limit is not None else len(mine)
    companions: dict[str, list[int]] = defaultdict(list)
    for order, c in enumerate(mine):
        if c.beside is not None:
            companions[c.beside].append(order)
    whole = {id for id, i in choice.option.items() if i + 1 == len(choice.known[id].options)}
    heap = [(-_hope(c), order, UNPRICED) for order, c in enumerate(mine) if c.id not in whole]
    heapq.heapify(heap)
    while heap:
        density, order, i = heapq.heappop(heap)
        c = mine[order]
        at = choice.option.get(c.id)
        if at is None and (taken >= most or len(c.options[0].text) > LONG_TOKEN * room):
            continue
        if i == UNPRICED:
            _offer(choice, heap, order, c, section)
            continue
        if at is not None and at >= i:
            continue
        cost = choice.step_cost(c, i, section)
        if cost > room:
            continue
        now = _density(choice, c, i, cost, choice.factor(c))
        if heap and now < -density - 1e-12 and now < -heap[0][0]:
            heapq.heappush(heap, (-now, order, i))
            continue
        taken += at is None
        choice.take(c, i, section)
        room -= cost
        if len(c.options) > 1:
            _offer(choice, heap, order, c, section)
        for other in companions.get(c.id, ()):
            if mine[other].id not in choice.option:
                _offer(choice, heap, other, mine[other], section)
    return _squeeze(choice, section, mine, room, most - taken)


def _hope(c: Candidate) -> float:
    """No less value a token than a candidate will show: the tokens of most are never counted."""
    return BESIDE_WORTH * c.value * max([o.worth / max(4.0, len(o.text) / LONG_TOKEN) for o in c.options])


def _offer(
    choice: Choice, heap: list[tuple[float, int, int]], order: int, c: Candidate, section: str
) -> None:
    i = choice.next_step(c)
    if i is not None:
        cost = choice.step_cost(c, i, section)
        heapq.heappush(heap, (-_density(choice, c, i, cost, choice.together(c)), order, i))


def _density(choice: Choice, c: Candidate, i: int, cost: int, factor: float) -> float:
    at = choice.option.get(c.id)
    gain = c.options[i].worth - (0.0 if at is None else c.options[at].worth)
    return c.value * gain * factor / max(1, cost)


def _squeeze(choice: Choice, section: str, mine: Iterable[Candidate], room: int, count: int) -> int:
    """The tokens at the end that no whole step fits into: what still goes in, the most valuable first."""
    if count <= 0 or room < LEAST_LINE:
        return room
    small = [c for c in mine if c.id not in choice.option and len(c.options[0].text) <= LONG_TOKEN * room]
    for c in sorted(small, key=lambda c: -c.value):
        if count <= 0 or room < LEAST_LINE:
            break
        fitting = [i for i in range(len(c.options)) if choice.step_cost(c, i, section) <= room]
        if fitting and choice.factor(c) >= 1.0:
            room -= choice.step_cost(c, fitting[-1], section)
            choice.take(c, fitting[-1], section)
            count -= 1
    return room


def fill_in_order(choice: Choice, section: str, offered: Sequence[Candidate], room: int) -> int:
    """Take candidates one after another, whole where they fit, and stop at the first that does not.

    For the last turns of a talk: a gap in the middle would mislead, a long one is cut to its best.
    """
    for c in offered:
        if c.id in choice.option:
            continue
        fitting = [i for i in range(len(c.options)) if choice.step_cost(c, i, section) <= room]
        if not fitting:
            break
        room -= choice.step_cost(c, fitting[-1], section)
        choice.take(c, fitting[-1], section)
    return room

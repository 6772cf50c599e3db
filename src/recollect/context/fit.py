"""Fitting: which candidates enter, and at which level, so that the budget buys the most value.

Each candidate has options of rising cost; on their upper hull every step buys less value a token than
the one before. The best step of all is taken again and again, first what is worth most a token. What a
step is worth depends on what is already there: repetition is worth less, an answer more beside its
question. That makes it a lazy greedy choice: simple, deterministic, and fast.
"""

import heapq
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date

from recollect.context.candidate import Candidate, Option
from recollect.text.similarity import content

REPEATED = 0.8
"""From this share of its words in one chosen text, a candidate repeats it."""
REPEAT_WORTH = 0.25
LENT_WORTH = 0.5
BESIDE_WORTH = 1.15
UNPRICED = -1
LEAST_LINE = 6
"""No entry takes fewer tokens."""

Price = Callable[[Candidate, Option], int]
Key = tuple[str, int, str]


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
    _holders: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    _sources: set[str] = field(default_factory=set)
    _prices: dict[tuple[Key, int], int] = field(default_factory=dict)
    _words: dict[str, frozenset[str]] = field(default_factory=dict)
    _steps: dict[Key, list[int]] = field(default_factory=dict)

    def cost(self, c: Candidate, i: int) -> int:
        """The tokens of a candidate at an option, counted once."""
        key = _key(c), i
        if key not in self._prices:
            self._prices[key] = self.price(c, c.options[i])
        return self._prices[key]

    def steps(self, c: Candidate) -> list[int]:
        """The options of a candidate that are worth taking, found once."""
        key = _key(c)
        if key not in self._steps:
            costs = [self.cost(c, i) for i in range(len(c.options))]
            self._steps[key] = hull(c, costs) if len(costs) > 1 else [0]
        return self._steps[key]

    def step_cost(self, c: Candidate, i: int, section: str) -> int:
        """What it costs to move a candidate to an option, with the day's heading if it is the first."""
        if c.id in self.option:
            return self.cost(c, i) - self.cost(c, self.option[c.id])
        return self.cost(c, i) + self._heading(c.at.date(), section)

    def _heading(self, day: date, section: str) -> int:
        """The tokens of a day's heading, counted once; none where the section has it already."""
        if (section, day) in self._days:
            return 0
        if day not in self._headings:
            self._headings[day] = self.group_price(day)
        return self._headings[day]

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
        words = self.words(c) if self._holders else frozenset()
        if len(words) < 3:
            return False
        needed = math.ceil(REPEATED * len(words))
        rarest = sorted(words, key=lambda word: len(self._holders.get(word, ())))
        # Whoever has so many of the words has at least one of the rarest ones.
        near = {id for word in rarest[: len(words) - needed + 1] for id in self._holders.get(word, ())}
        return any(len(words & self._words[id]) >= needed for id in near)

    def words(self, c: Candidate) -> frozenset[str]:
        """The telling words of a candidate."""
        if c.id not in self._words:
            self._words[c.id] = content(c.text[:2_000])
        return self._words[c.id]

    def take(self, c: Candidate, i: int, section: str) -> None:
        """Choose a candidate at an option, or move it there."""
        if c.id not in self.option:
            self.known[c.id] = c
            self.section[c.id] = section
            self._days.add((section, c.at.date()))
            self._sources.update(c.sources)
            if len(c.text) <= 2_000:
                for word in self.words(c):
                    self._holders[word].append(c.id)
        self.option[c.id] = i


def _key(c: Candidate) -> Key:
    """One memory is offered at other sizes to another section."""
    return c.id, len(c.options), c.options[-1].level


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
    taken = sum(c.id in choice.option for c in mine)
    most = limit if limit is not None else len(mine)
    by_id = {c.id: (order, c) for order, c in enumerate(mine)}
    companions: dict[str, list[str]] = defaultdict(list)
    for c in mine:
        if c.beside is not None:
            companions[c.beside].append(c.id)
    heap: list[tuple[float, int, int]] = []
    for order, c in enumerate(mine):
        heapq.heappush(heap, (-_hope(c), order, UNPRICED))
    while heap:
        density, order, i = heapq.heappop(heap)
        c = mine[order]
        if i == UNPRICED:
            _offer(choice, heap, order, c, section)
            continue
        if i != _next(choice, c) or (c.id not in choice.option and taken >= most):
            continue
        if choice.step_cost(c, i, section) > room:
            continue
        now = _density(choice, c, i, section, choice.factor(c))
        if heap and now < -density - 1e-12 and now < -heap[0][0]:
            heapq.heappush(heap, (-now, order, i))
            continue
        cost = choice.step_cost(c, i, section)
        taken += c.id not in choice.option
        choice.take(c, i, section)
        room -= cost
        _offer(choice, heap, order, c, section)
        for other in companions.get(c.id, ()):
            if other not in choice.option:
                _offer(choice, heap, *by_id[other], section)
    return _squeeze(choice, section, mine, room, most - taken)


def _hope(c: Candidate) -> float:
    """No less value a token than a candidate will show: the tokens of most are never counted."""
    return BESIDE_WORTH * c.value * max(o.worth / max(4.0, len(o.text) / 8) for o in c.options)


def _next(choice: Choice, c: Candidate) -> int | None:
    """The next step on a candidate's hull, if there is one."""
    at = choice.option.get(c.id, -1)
    return next((i for i in choice.steps(c) if i > at), None)


def _offer(
    choice: Choice, heap: list[tuple[float, int, int]], order: int, c: Candidate, section: str
) -> None:
    i = _next(choice, c)
    if i is not None:
        heapq.heappush(heap, (-_density(choice, c, i, section, choice.together(c)), order, i))


def _density(choice: Choice, c: Candidate, i: int, section: str, factor: float) -> float:
    at = choice.option.get(c.id)
    gain = c.options[i].worth - (0.0 if at is None else c.options[at].worth)
    return c.value * gain * factor / max(1, choice.step_cost(c, i, section))


def _squeeze(choice: Choice, section: str, mine: Iterable[Candidate], room: int, count: int) -> int:
    """The tokens at the end that no whole step fits into: what still goes in, the most valuable first."""
    for c in sorted(mine, key=lambda c: -c.value):
        if count <= 0 or room < LEAST_LINE:
            break
        if c.id in choice.option:
            continue
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

"""Whether two statements say the same, strictly: a wrong yes would lose one of them.

They must hold the same telling words, up to inflection, order and a few synonyms. One of them may say
more in a phrase of its own ("… on weekends"), but a word beside a shared one makes another thing of it
(oat milk is not milk), and a name, number, date, negation or condition is never "more of the same".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from recollect.text.names import names
from recollect.text.similarity import NUMBER_WORDS, differs_in_substance
from recollect.text.terms import STOP_WORDS, stem, words

MORE = 0.25
"""At most this share of the longer statement's telling words may be missing from the shorter one."""

_SYNONYMS = {
    stem(word): group
    for group, members in {
        "like": "like love enjoy prefer adore",
        "live": "live reside dwell",
        "buy": "buy purchase bought",
        "begin": "begin start began begun",
        "finish": "finish complete",
        "speak": "speak talk",
        "fix": "fix repair",
        "child": "kid child children",
        "picture": "photo picture photograph",
        "big": "big large",
        "help": "help assist",
    }.items()
    for word in members.split()
}
_EMPTY = frozenset(
    """really quite pretty rather actually basically simply totally truly currently presently nowadays
    the user user's users's please lot lots kind sort just indeed every
    whole entire i'm i've he's she's it's that's there's they're we're you're""".split()
)
"""Words that carry no content of their own between statements of one memory."""
_ORDERING = frozenset("before after from to than over then instead rather into onto by of".split())
_CONDITIONS = frozenset(
    """if unless until except only but without while when whenever because should would could may might
    must almost nearly maybe perhaps probably possibly hopefully used former formerly ex planned plans
    plan wants want wish hopes hope tried tries try sometimes often rarely seldom usually always am pm
    before after during since instead than more less most least""".split()
)
"""Words that narrow what is said: with one of them on one side only, it is another statement."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A statement as it is compared."""

    text: str
    telling: tuple[str, ...]
    conditions: frozenset[str]
    ordered: bool
    lonely: frozenset[str]

    @property
    def content(self) -> frozenset[str]:
        """Its telling words, whatever their order."""
        return frozenset(self.telling)


@lru_cache(maxsize=4_096)
def reading(text: str) -> Reading:
    """Read a statement once for many comparisons."""
    spoken = list(words(text))
    places = [i for i, word in enumerate(spoken) if _tells(word)]
    telling = tuple(_meaning(spoken[i]) for i in places)
    beside = set(places)
    alone = frozenset(
        meaning
        for i, meaning in zip(places, telling, strict=True)
        if i - 1 not in beside and i + 1 not in beside
    )
    present = frozenset(spoken)
    return Reading(text, telling, present & _CONDITIONS, bool(present & _ORDERING), alone)


def says_the_same(a: Reading, b: Reading) -> bool:
    """Whether either of two statements could be let go for the other without losing anything."""
    if not a.telling or not b.telling or a.conditions != b.conditions:
        return False
    left, right = a.content, b.content
    if left == right:
        alike = a.telling == b.telling or not (a.ordered or b.ordered)
    else:
        less, more = (a, b) if len(left) < len(right) else (b, a)
        added = more.content - less.content
        alike = (
            less.content <= more.content
            and len(added) <= MORE * len(more.content)
            and added <= more.lonely
            and _in_order(less.telling, more.telling)
        )
    return alike and not differs_in_substance(a.text, b.text) and _same_order_of_names(a, b)


def alikeness(a: Reading, b: Reading) -> float:
    """Shared telling words as a share of all of both, 0 to 1."""
    both = len(a.content | b.content)
    return len(a.content & b.content) / both if both else 0.0


def _same_order_of_names(a: Reading, b: Reading) -> bool:
    """Whether the names that both hold stand in the same order: who loves whom."""
    both = _named(a.text) & _named(b.text)
    first, second = ([word for word in dict.fromkeys(one.telling) if word in both] for one in (a, b))
    return first == second


@lru_cache(maxsize=4_096)
def _named(text: str) -> frozenset[str]:
    return frozenset(_meaning(word) for name in names(text) for word in words(name))


def _tells(word: str) -> bool:
    return word not in STOP_WORDS and word not in _EMPTY


@lru_cache(maxsize=65_536)
def _meaning(word: str) -> str:
    if word in NUMBER_WORDS:
        return NUMBER_WORDS[word]
    root = stem(word)
    return _SYNONYMS.get(root, root)


def _in_order(inner: Sequence[str], outer: Sequence[str]) -> bool:
    """Whether one sequence stands in another, in its order."""
    rest = iter(outer)
    return all(word in rest for word in inner)

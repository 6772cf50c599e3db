"""Named recipes: how much each part of a score counts. They are data; users can write their own."""

from dataclasses import dataclass, replace

from recollect.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Recipe:
    """Weights of the parts (each part is 0 to 1) and the shape of the keyword part.

    The score is the weighted mean of the parts that the query can use. `reach` turns before and
    after a message lend it their words, each step further `fade` times as much, later turns
    `ahead` times as much as earlier ones, and long messages (`lean` terms) borrow half as much.
    A message of a word or two tells little, whatever it matches: it loses the share `brevity` of its
    score, and one of `telling` terms loses nothing.
    A reranker reads the best `depth` hits, and the best `reread` of them once more in context.
    """

    name: str
    keyword: float
    semantic: float
    speaker: float = 0.0
    time: float = 0.0
    recency: float = 0.0
    importance: float = 0.0
    access: float = 0.0
    saturation: float = 0.8
    length: float = 0.65
    reach: int = 2
    fade: float = 0.55
    ahead: float = 0.7
    lean: float = 100.0
    brevity: float = 0.0
    telling: float = 40.0
    floor: float = 0.2
    half_life_days: float = 30.0
    latest: float = 0.3
    stale: float = 0.5
    threshold: float = 0.0
    rerank: float = 0.0
    depth: int = 60
    reread: int = 30


DEFAULT = Recipe(
    "default",
    keyword=2.0,
    semantic=0.8,
    speaker=0.35,
    time=0.5,
    importance=0.02,
    brevity=0.25,
    threshold=0.08,
)
LOCAL = replace(DEFAULT, name="local", floor=0.5, time=0.8, length=0.5, brevity=0.0, rerank=3.0)
CLASSIC = Recipe("classic", keyword=0.3, semantic=0.4, recency=0.2, importance=0.1, reach=0, threshold=0.0)
"""The weights of the first design: semantic 0.4, keyword 0.3, recency 0.2, importance 0.1."""

WORDS = replace(DEFAULT, name="words", semantic=0.0)
"""Words alone: no model is loaded, for those who cannot wait for one."""

RECIPES = {recipe.name: recipe for recipe in (DEFAULT, LOCAL, CLASSIC, WORDS)}


def named(name: str) -> Recipe:
    """The recipe of that name."""
    try:
        return RECIPES[name]
    except KeyError:
        known = ", ".join(RECIPES)
        raise InvalidInput(f"There is no recipe {name!r}: choose one of {known}.") from None

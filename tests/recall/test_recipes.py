import pytest

from recollect.errors import InvalidInput
from recollect.recall.recipes import CLASSIC, RECIPES, named


def test_every_recipe_is_found_by_its_name():
    assert {name: named(name) for name in RECIPES} == RECIPES


def test_classic_has_the_weights_of_the_first_design():
    weights = CLASSIC.semantic, CLASSIC.keyword, CLASSIC.recency, CLASSIC.importance, CLASSIC.access
    assert weights == (0.4, 0.3, 0.2, 0.1, 0.0)


def test_an_unknown_recipe_names_the_known_ones():
    with pytest.raises(InvalidInput, match="default"):
        named("spicy")

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from recollect import Layout, Memory
from recollect.errors import InvalidInput
from recollect.models.fakes import HashEmbedder
from recollect.recall.recipes import CLASSIC, RECIPES, named


def test_every_recipe_is_found_by_its_name():
    assert {name: named(name) for name in RECIPES} == RECIPES


def test_classic_has_the_weights_of_the_first_design():
    weights = CLASSIC.semantic, CLASSIC.keyword, CLASSIC.recency, CLASSIC.importance, CLASSIC.access
    assert weights == (0.4, 0.3, 0.2, 0.1, 0.0)


def test_an_unknown_recipe_names_the_known_ones():
    with pytest.raises(InvalidInput, match="default"):
        named("spicy")


def test_words_alone_need_no_model(tmp_path: Path) -> None:
    """An embedder that must not be asked: recall by words, and a context whose layout says so."""
    path = tmp_path / "m.db"
    with Memory(path, embedder=HashEmbedder(), background=False) as memory:
        memory.remember("The deploy key lives in the vault")
        memory.jobs.run()

    class Untouchable(HashEmbedder):
        def embed(self, texts: Any, *, query: bool = False) -> Any:
            raise AssertionError("a model was asked")

    with Memory(path, embedder=Untouchable(), background=False) as memory:
        (found,) = memory.recall("where is the deploy key?", recipe="words")
        assert "semantic" not in found.scores
        layout = Layout.from_toml(
            'name = "mine"\nrecipe = "words"\n[[sections]]\nname = "all"\nfill = ["recalled"]\nshare = 1.0'
        )
        assert "vault" in memory.context("deploy key", layout=layout, budget=300).text
        with pytest.raises(InvalidInput, match="no recipe 'songs'"):
            memory.context("deploy key", layout=replace(layout, recipe="songs"))

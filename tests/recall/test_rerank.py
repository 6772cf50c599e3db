from dataclasses import replace

import pytest

from recollect.models.fakes import FakeReranker
from recollect.recall.hits import Hit
from recollect.recall.recipes import DEFAULT
from recollect.recall.rerank import Pace, read, rerank

RECIPE = replace(DEFAULT, rerank=2.0)


def hit(name, score, place):
    return Hit(id=name, kind="message", score=score, scores={"keyword": score}, place=place)


def test_a_better_judgement_moves_a_hit_up_and_is_explained():
    hits = rerank([hit("a", 0.6, 1), hit("b", 0.5, 100)], [0.001, 0.99], RECIPE)
    assert [found.id for found in hits] == ["b", "a"]
    assert hits[0].scores["rerank"] > hits[1].scores["rerank"]
    assert hits[0].scores["keyword"] == 0.5


def test_a_judgement_does_not_replace_the_score():
    hits = rerank([hit("a", 0.9, 1), hit("b", 0.1, 100)], [0.5, 0.6], RECIPE)
    assert [found.id for found in hits] == ["a", "b"]


def test_the_neighbours_judgement_rubs_off():
    alone = rerank([hit("answer", 0.5, 11)], [0.01], RECIPE)[0]
    beside = rerank([hit("question", 0.5, 10), hit("answer", 0.5, 11)], [0.9, 0.01], RECIPE)
    assert beside[1].scores["rerank"] > alone.scores["rerank"]


def test_what_was_not_judged_follows_in_its_order():
    hits = [hit("a", 0.6, 1), hit("b", 0.5, 50), hit("c", 0.4, 100), hit("d", 0.3, 150)]
    found = rerank(hits, [0.01, 0.9], RECIPE)
    assert [one.id for one in found] == ["b", "a", "c", "d"]
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)


@pytest.mark.parametrize("judged", [[], [0.0], [1.0]])
def test_extreme_judgements_are_fine(judged):
    assert [one.id for one in rerank([hit("a", 0.6, 1)], judged, RECIPE)] == ["a"]


def test_the_pace_decides_how_many_texts_are_read():
    pace = Pace(rate=10_000.0)
    texts = ["x" * 350] * 100
    assert pace.affordable(texts, 1_000) == 20
    assert pace.affordable(texts, 100) == 2
    assert pace.affordable(texts, 0) == 0
    assert pace.affordable(texts[:5], 60_000) == 5


def test_the_pace_is_measured():
    clock = iter([0.0, 2.0])
    pace = Pace(rate=10_000.0, timer=lambda: next(clock))
    scores = pace.measured(FakeReranker(), "dance", ["dance", "volcano"])
    assert scores[0] > scores[1]
    assert pace.rate < 10_000


TEXTS = {"a": "tea kettle", "b": "snow", "c": "violin lesson"}


def reader(hits, *, in_context):
    return [f"violin? {TEXTS[one.id]}" if in_context else TEXTS[one.id] for one in hits]


def test_the_best_hits_are_read_and_read_again_in_context():
    hits = [hit("a", 0.5, 1), hit("b", 0.45, 50), hit("c", 0.4, 100)]
    once = read("violin", hits, reader, FakeReranker(), replace(RECIPE, reread=0))
    twice = read("violin", hits, reader, FakeReranker(), RECIPE)
    assert once[0].id == twice[0].id == "c"
    assert twice[1].scores["rerank"] > once[1].scores["rerank"]


def test_a_budget_too_small_for_one_text_reads_nothing():
    hits = [hit("a", 0.5, 1), hit("c", 0.4, 100)]
    found = read("violin", hits, reader, FakeReranker(), RECIPE, budget_ms=0.0)
    assert found == hits


def test_a_budget_limits_how_many_are_read():
    hits = [hit("a", 0.5, 1), hit("b", 0.45, 50), hit("c", 0.4, 100)]
    pace = Pace(rate=400.0, timer=lambda: 0.0)
    found = read("violin", hits, reader, FakeReranker(), RECIPE, pace=pace, budget_ms=1_000)
    assert ["rerank" in one.scores for one in found] == [True, False, False]

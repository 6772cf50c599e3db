from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.recall.query import parse
from recollect.recall.recipes import CLASSIC, DEFAULT
from recollect.recall.score import rank
from recollect.store.index.feed import Change
from recollect.store.index.pool import CONTEXT, DIRECT, LINK, NEIGHBOUR, Stats, pool_of

NOW = datetime(2023, 7, 1, tzinfo=UTC)
WORDS = ["dance", "studio", "job", "banker", "volcano", "rain", "tea", "fence"]


def said(number, text, speaker="Gina", *, days_ago=10, **more):
    at = round((NOW - timedelta(days=days_ago)).timestamp() * 1_000_000) + number
    return Change(
        seq=number + 1,
        kind="message",
        id=f"m{number}",
        space="s",
        text=text,
        conversation="c",
        turn=number,
        speaker=speaker,
        at=at,
        **more,
    )


def ranked(changes, text, recipe=DEFAULT, *, cosines=None, why=None, limit=10, items=None):
    query = parse(text, now=NOW)
    pool = pool_of(changes, query.terms, cosines or [None] * len(changes), why or [DIRECT] * len(changes))
    having = tuple(int((pool.counts[:, i] > 0).sum()) for i in range(len(query.terms)))
    stats = Stats(items or len(changes), float(pool.lengths.mean()), having)
    return rank(pool, query, stats, recipe, now=NOW, limit=limit)


def test_an_answer_is_found_through_the_question_before_it():
    hits = ranked(
        [
            said(0, "What is your favourite style of dance?", "Jon"),
            said(1, "Contemporary, it lets me express myself!"),
            said(5, "The weather was awful."),
        ],
        "favourite style of dance",
    )
    assert [hit.id for hit in hits] == ["m0", "m1"]
    assert hits[1].path == "direct"
    assert hits[1].terms == ("favourit", "style", "danc")
    assert hits[1].scores["keyword"] > 0


def test_a_neighbour_without_own_words_says_so():
    changes = [said(0, "favourite dance?"), said(1, "Contemporary!")]
    hits = ranked(changes, "favourite dance", why=[DIRECT, NEIGHBOUR])
    assert [hit.path for hit in hits] == ["direct", "neighbour"]


def test_context_rows_lend_words_but_are_no_hits():
    changes = [said(0, "favourite dance?"), said(1, "Contemporary!")]
    hits = ranked(changes, "favourite dance", why=[CONTEXT, NEIGHBOUR])
    assert [hit.id for hit in hits] == ["m1"]


def test_named_items_keep_their_path():
    assert ranked([said(0, "dance")], "dance", why=[LINK])[0].path == "link"


def test_the_named_speaker_comes_first():
    changes = [said(0, "I lost my job", "Jon"), said(4, "I lost my job", "Gina")]
    assert [hit.id for hit in ranked(changes, "When did Gina lose a job? lost")] == ["m4", "m0"]
    assert [hit.id for hit in ranked(changes, "When did Jon lose a job? lost")] == ["m0", "m4"]


def test_first_person_asks_for_the_users_words_and_facts_are_not_held_back():
    fact = replace(said(8, "job lost in May", None), kind="memory", conversation=None, turn=None)
    changes = [said(0, "job lost in May", "assistant"), said(4, "job lost in May", "user"), fact]
    hits = ranked(changes, "When was my job lost?")
    assert {hit.id for hit in hits[:2]} == {"m4", "m8"}
    assert hits[2].scores["speaker"] == 0


def test_time_is_a_preference_not_a_filter():
    changes = [said(0, "we painted the fence", days_ago=400), said(5, "we painted", days_ago=36)]
    hits = ranked(changes, "what did we paint in May 2023")
    assert [hit.id for hit in hits] == ["m5", "m0"]
    assert hits[0].scores["time"] == pytest.approx(1)


def test_recency_matters_when_the_latest_is_wanted():
    changes = [said(0, "my address is Elm Street", days_ago=300), said(5, "my address is Oak Road")]
    assert "recency" not in ranked(changes, "my address")[0].scores
    hits = ranked(changes, "my current address")
    assert hits[0].id == "m5"
    assert hits[0].scores["recency"] > 0.5


def test_superseded_steps_back_unless_history_is_asked_for():
    changes = [
        said(0, "the address is Elm Street", status="superseded"),
        said(5, "the address is a new flat in Oak Road, with a garden"),
    ]
    assert [hit.id for hit in ranked(changes, "address")] == ["m5", "m0"]
    assert [hit.id for hit in ranked(changes, "address previously")] == ["m0", "m5"]


def test_a_vector_alone_makes_a_hit_and_an_unlike_one_does_not():
    changes = [said(0, "felines"), said(5, "volcano")]
    hits = ranked(changes, "cats", cosines=[0.9, 0.1])
    assert [hit.id for hit in hits] == ["m0"]
    assert hits[0].terms == ()


def test_the_threshold_cuts_weak_hits():
    changes = [said(0, "dance studio opening"), said(5, "studio " + "talk " * 80)]
    strict = replace(DEFAULT, threshold=0.3)
    assert len(ranked(changes, "dance studio opening", strict)) == 2, "in a small memory nothing is rare yet"
    assert [hit.id for hit in ranked(changes, "dance studio opening", strict, items=500)] == ["m0"]


def test_a_long_question_has_no_threshold():
    changes = [said(0, "the banker came"), said(5, "rain")]
    strict = replace(DEFAULT, threshold=0.08)
    asked = "banker " + " ".join(f"word{i}" for i in range(40))
    assert [hit.id for hit in ranked(changes, asked, strict, items=500)] == ["m0"]


def test_classic_weighs_recency():
    changes = [said(0, "dance studio", days_ago=90), said(5, "dance studio", days_ago=0)]
    hits = ranked(changes, "dance studio", CLASSIC)
    assert [hit.id for hit in hits] == ["m5", "m0"]
    assert hits[0].scores.keys() == {"keyword", "recency", "importance"}


def test_nothing_in_nothing_out():
    query = parse("anything at all", now=NOW)
    pool = pool_of([], query.terms, [], [])
    assert rank(pool, query, Stats(0, 0.0, (0,)), DEFAULT, now=NOW, limit=5) == []


@given(
    st.lists(st.sampled_from(["dance", "studio", "job", "banker", "volcano", "rain", "tea"]), max_size=6),
    st.lists(st.integers(0, 40), min_size=1, max_size=12, unique=True),
    st.randoms(use_true_random=False),
)
def test_scores_are_shares_in_order_and_independent_of_the_order_of_rows(words, turns, random):
    changes = [said(t, " ".join(random.choices(WORDS, k=random.randint(0, 9)))) for t in turns]
    cosines = [random.choice([None, random.random()]) for _ in changes]
    text = " ".join(words) or "tea"
    hits = ranked(changes, text, cosines=cosines)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert all(0 < hit.score <= 1 for hit in hits)
    assert all(0 <= part <= 1 for hit in hits for part in hit.scores.values())
    order = list(range(len(changes)))
    random.shuffle(order)
    again = ranked([changes[i] for i in order], text, cosines=[cosines[i] for i in order])
    assert [hit.id for hit in again] == [hit.id for hit in hits]
    assert np.allclose([hit.score for hit in again], [hit.score for hit in hits])

"""The whole path: a question, the index's candidates, the score. No database needed."""

from datetime import UTC, datetime

import numpy as np
import pytest

from recollect.models.fakes import HashEmbedder
from recollect.recall.query import parse
from recollect.recall.recipes import CLASSIC, DEFAULT
from recollect.recall.score import rank
from recollect.recall.texts import model_text
from recollect.store.index.ask import Ask
from recollect.store.index.feed import Change
from recollect.store.index.index import Index
from recollect.store.index.pool import DIRECT, pool_of

NOW = datetime(2024, 1, 1, tzinfo=UTC)
EMBEDDER = HashEmbedder()
SAID = [
    ("Jon", "Hey Gina, what is your favourite style of dance?"),
    ("Gina", "Contemporary! It lets me express myself."),
    ("Jon", "I lost my job as a banker yesterday."),
    ("Gina", "Sorry to hear that. What will you do?"),
    ("Jon", "I want to open a dance studio by the water 🎉"),
    ("Gina", "東京タワーの近くに引っ越します"),
    ("Jon", 'The book is called "The Lean Startup" (2nd edition).'),
]


class Feed:
    """The turns above as changes."""

    def __init__(self, *, vectors=True):
        rows = EMBEDDER.embed([model_text(text, speaker=who) for who, text in SAID])
        self.rows = [
            Change(
                seq=number + 1,
                kind="message",
                id=f"m{number}",
                space="s",
                text=text,
                conversation="c",
                turn=number,
                speaker=who,
                at=number,
                vector=rows[number].astype(np.float16).tobytes() if vectors else None,
            )
            for number, (who, text) in enumerate(SAID)
        ]

    def head(self):
        return len(self.rows)

    def changes(self, after, limit):
        return self.rows[after : after + limit]


def recall(text, feed=None, recipe=DEFAULT):
    query = parse(text, now=NOW)
    index = Index(feed or Feed(), dim=EMBEDDER.dim)
    ask = Ask(
        spaces=("s",),
        terms=query.terms,
        weights=query.weights,
        vector=EMBEDDER.embed([text], query=True)[0],
        spans=query.spans,
    )
    pool, stats = index.search(ask)
    return rank(pool, query, stats, recipe, now=NOW, limit=5), query, stats


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("When did Jon lose his job?", "m2"),
        ("東京タワー", "m5"),
        ('"lean startup" OR NEAR(book, 2)', "m6"),
        ("dance AND (studio*", "m4"),
        ("'; DROP TABLE messages; -- banker", "m2"),
        ("banker " + "filler words that nobody said " * 3_500, "m2"),
    ],
)
def test_the_right_turn_comes_first(text, expected):
    hits, _, _ = recall(text)
    assert hits[0].id == expected


def test_an_answer_comes_with_its_question():
    hits, _, _ = recall("What is Gina's favourite style of dance?")
    assert {hit.id for hit in hits[:2]} == {"m0", "m1"}


@pytest.mark.parametrize("text", ["🎉", "?!", "the", "\0\0", "zzzz qqqq"])
def test_a_query_without_known_words_is_no_crash(text):
    hits, _, _ = recall(text)
    assert all(0 < hit.score <= 1 for hit in hits)


@pytest.mark.parametrize("recipe", [DEFAULT, CLASSIC])
@pytest.mark.parametrize("text", ["Jon's dance studio", "what did Gina say about her job", "book"])
def test_candidates_of_another_engine_rank_the_same(text, recipe):
    feed = Feed(vectors=False)
    hits, query, stats = recall(text, feed, recipe)
    pool = pool_of(feed.rows, query.terms, [None] * len(SAID), [DIRECT] * len(SAID))
    again = rank(pool, query, stats, recipe, now=NOW, limit=5)
    assert [(hit.id, hit.score) for hit in again] == [(hit.id, hit.score) for hit in hits]

"""Recall: what is remembered is found, explained, filtered and never leaked; on both databases."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from clock import Clock
from recollect import (
    Filter,
    InvalidInput,
    Kind,
    Memory,
    Message,
    NewMessage,
    Recipe,
    Record,
    Role,
    Source,
    SourceKind,
    Trust,
)
from recollect.models.fakes import HashEmbedder
from recollect.recall.recipes import named

TALK = [
    ("Jon", "Hey Gina! Lost my job as a banker yesterday."),
    ("Gina", "Sorry to hear that. What will you do?"),
    ("Jon", "I'm opening a dance studio downtown."),
    ("Gina", "Lovely! My favourite style is contemporary."),
    ("Jon", "The landlord wants the deposit by Friday."),
    ("Gina", "I adopted a cat called Biscuit last week."),
]


@pytest.fixture
def talk(memory: Memory) -> Memory:
    """A conversation between two people, embedded."""
    said = datetime(2026, 1, 20, 10, tzinfo=UTC)
    memory.add_many(
        [
            NewMessage(text=text, speaker=who, said_at=said + timedelta(minutes=i))
            for i, (who, text) in enumerate(TALK)
        ]
    )
    memory.jobs.run()
    return memory


def texts(memory: Memory, query: str, **options: object) -> list[str]:
    return [f.text for f in memory.recall(query, **options)]  # type: ignore[arg-type]


def test_the_best_comes_first(talk: Memory) -> None:
    said = Filter(items=("message",))
    assert texts(talk, "What is Gina's cat called?", wanted=said)[0] == TALK[5][1]
    assert texts(talk, "dance studio", wanted=said)[0] == TALK[2][1]
    assert texts(talk, "Who lost a job?", wanted=said)[0] == TALK[0][1]


def test_what_was_drawn_comes_before_the_few_words_it_was_drawn_from(talk: Memory) -> None:
    fact, message = talk.recall("What is Gina's cat called?").found[:2]
    assert (fact.kind, fact.sources, message.text) == ("fact", (message.id,), TALK[5][1])


def test_a_few_words_tell_little_whatever_they_match(memory: Memory) -> None:
    memory.add("Good luck at the regatta!", speaker="Gina")
    told = "The regatta starts at nine by the old lock and the winner keeps the cup"
    memory.add(told, speaker="Jon")
    memory.jobs.run()
    said = Filter(items=("message",))
    assert texts(memory, "regatta", wanted=said, recipe="words") == [told, "Good luck at the regatta!"]
    in_full = replace(named("words"), brevity=0.0)
    assert texts(memory, "regatta", wanted=said, recipe=in_full) == ["Good luck at the regatta!", told]
    parts = [f.scores.get("brevity") for f in memory.recall("regatta", wanted=said, recipe="words")]
    assert parts == [pytest.approx(1 - 0.25 * (1 - words / 40)) for words in (16, 6)]  # with the speaker


def test_new_text_is_found_by_words_before_it_has_a_vector(talk: Memory) -> None:
    talk.add("The zeppelin lands on Tuesday", speaker="Jon")
    assert texts(talk, "zeppelin")[0] == "The zeppelin lands on Tuesday"


def test_every_hit_is_explained(talk: Memory) -> None:
    best = talk.recall("Biscuit the cat", wanted=Filter(items=("message",))).found[0]
    assert best.terms == ("biscuit", "cat")
    assert best.path == "direct"
    assert best.kind == "message"
    assert best.sources == (best.id,)
    assert 0 < best.score <= 1
    assert best.scores["keyword"] > 0


def test_what_is_so_now_answers_what_is_asked_of_a_person(memory: Memory) -> None:
    memory.add("I live in Berlin and work at Acme as a data engineer")
    memory.add("I moved to Lisbon last week")
    memory.add("My sister Maria lives in Porto.")
    memory.jobs.run()

    def first(query: str) -> str | None:
        hit = memory.recall(query).found[0]
        return hit.item.value if hit.path == "key" and isinstance(hit.item, Record) else None

    assert first("where do I live?") == first("Where does Alex live?") == "Lisbon"
    assert first("where does my sister live?") == first("where does Maria live?") == "Porto"
    assert first("Who do I work for?") == "Acme"
    assert first("Where does Tom live?") is None, "nobody told"
    assert first("Where did I live before?") is None


def test_keyed_facts_come_first_and_always(talk: Memory, clock: Clock) -> None:
    for i in range(30):
        talk.remember(f"name name name {i}: what is my name again", tags=["noise"])
    talk.remember("User's name is Alex", key="name", value="Alex", category="identity")
    clock.forward(days=1)
    talk.remember("User's name is Sasha", key="name", value="Sasha", category="identity")
    first = talk.recall("What's my name?").found[0]
    assert (first.text, first.path) == ("User's name is Sasha", "key")
    assert "User's name is Alex" not in texts(talk, "What's my name?", limit=50)
    before = talk.recall("What's my name?", as_of=clock.at - timedelta(hours=12)).found[0]
    assert before.text == "User's name is Alex"


def test_facts_of_the_named_subject(talk: Memory) -> None:
    talk.remember("Jon is 30", key="age", value="30", subject="Jon")
    talk.remember("Gina is 40", key="age", value="40", subject="Gina")
    assert talk.recall("What is Gina's age?").found[0].text == "Gina is 40"


def test_superseded_facts_step_back_unless_history_is_asked_for(talk: Memory) -> None:
    talk.remember("The deploy target is Heroku", key="deploy_target", value="Heroku")
    talk.remember("The deploy target is Fly", key="deploy_target", value="Fly")
    assert "The deploy target is Heroku" not in texts(talk, "deploy target")
    assert "The deploy target is Heroku" in texts(talk, "What was the deploy target previously?")


def test_a_linked_memory_is_found_through_the_link(talk: Memory) -> None:
    decision = talk.remember("We chose PostgreSQL for Phoenix", kind="decision")
    reason = talk.remember("JSON support and team expertise mattered most")
    talk.links.add(decision.id, reason.id, "caused_by")
    talk.jobs.run()
    found = {f.id: f for f in talk.recall("PostgreSQL Phoenix", limit=50)}
    assert found[decision.id].path == "direct"
    assert found[reason.id].path in ("link", "direct")
    assert found[reason.id].score < found[decision.id].score


def test_filters(talk: Memory) -> None:
    talk.remember("Jon likes the studio", kind="preference", tags=["dance"], importance=0.9, category="hobby")
    talk.remember("The studio opens in May", kind="fact", trust="tool", importance=0.1)
    talk.jobs.run()

    def found(**wanted: object) -> set[str]:
        return set(texts(talk, "the dance studio", wanted=Filter(**wanted), limit=50))  # type: ignore[arg-type]

    everything = found()
    assert {"Jon likes the studio", "The studio opens in May", TALK[2][1]} <= everything
    assert found(kinds=(Kind.PREFERENCE,)) == {"Jon likes the studio"}
    assert found(tags=("dance",)) == {"Jon likes the studio"}
    assert found(categories=("hobby",)) == {"Jon likes the studio"}
    assert found(items=("memory",)) >= {"Jon likes the studio", "The studio opens in May"}
    assert found(items=("memory",)).isdisjoint(text for _, text in TALK)
    assert "The studio opens in May" not in found(min_trust=Trust.ASSISTANT)
    assert "The studio opens in May" not in found(min_importance=0.3)
    assert all(text in {t for _, t in TALK} for text in found(items=("message",)))
    assert found(speakers=("Gina",)) <= {text for who, text in TALK if who == "Gina"}
    assert found(until=datetime(2026, 1, 20, 10, 1, tzinfo=UTC)) <= {TALK[0][1]}
    chat = talk.conversations.list().items[0].id
    assert found(conversation=chat) <= {text for _, text in TALK}


def test_nothing_leaks_between_views_and_tenants(talk: Memory, where: str, clock: Clock) -> None:
    bob = talk.view("user:bob")
    bob.remember("Bob's cat is called Biscuit too", key="cat", value="Biscuit")
    bob.jobs.run()
    assert texts(bob, "cat Biscuit", limit=50) == ["Bob's cat is called Biscuit too"]
    assert "Bob's cat is called Biscuit too" not in texts(talk, "cat Biscuit", limit=50)
    assert "Bob's cat is called Biscuit too" in texts(
        talk.view("user:alex", "user:bob"), "cat Biscuit", limit=50
    )
    with Memory(where, tenant="other", view="user:alex", embedder=HashEmbedder(), background=False) as other:
        assert len(other.recall("cat Biscuit")) == 0


def test_what_is_forgotten_or_erased_is_not_found(talk: Memory) -> None:
    id = talk.remember("The password hint is marmalade").id
    talk.jobs.run()
    hint = "The password hint is marmalade"
    assert texts(talk, "marmalade")[0] == hint
    talk.forget(id)
    assert hint not in texts(talk, "marmalade", limit=50)
    talk.restore(id)
    assert texts(talk, "marmalade")[0] == hint
    talk.erase(memory=id)
    assert hint not in texts(talk, "marmalade", limit=50)


def test_another_processs_commit_is_found_at_once(talk: Memory, where: str, clock: Clock) -> None:
    seen = "A quokka smiled at me"
    assert seen not in texts(talk, "quokka")
    with Memory(where, view="user:alex", embedder=HashEmbedder(), clock=clock, background=False) as other:
        other.add(seen)
        assert texts(talk, "quokka")[0] == seen
        other.jobs.run()
    assert texts(talk, "quokka")[0] == seen


@pytest.mark.parametrize(
    "query", ["🎉", "你好", '"cat" OR (dog) NEAR/2 *', "'; DROP TABLE messages; --", "the of and", "%"]
)
def test_odd_queries_are_no_trouble(talk: Memory, query: str) -> None:
    assert isinstance(texts(talk, query), list)


def test_cjk_text_is_found(talk: Memory) -> None:
    talk.add("我昨天搬到了柏林")
    assert texts(talk, "柏林")[0] == "我昨天搬到了柏林"


def test_a_long_query_is_fine_and_an_empty_one_is_refused(talk: Memory) -> None:
    assert TALK[5][1] in texts(talk, "cat Biscuit " * 9_000, limit=2)
    for bad in ("", "  ", "a\0b", None, 5):
        with pytest.raises(InvalidInput):
            talk.recall(bad)  # type: ignore[arg-type]
    for options in ({"limit": 0}, {"limit": 201}, {"recipe": "magic"}):
        with pytest.raises(InvalidInput):
            talk.recall("cat", **options)  # type: ignore[arg-type]


def test_retrieval_is_counted(talk: Memory) -> None:
    id = talk.remember("Jon plays the ukulele").id
    talk.recall("ukulele")
    talk.recall("ukulele")
    talk.add("thanks")
    assert talk.get(id).usage.retrieved == 1, "counted once for each time it was written down"
    assert talk.get(id).usage.last_used_at is not None


def test_both_databases_rank_alike(tmp_path: Path, postgres_url: str) -> None:
    rankings = []
    for where in (tmp_path / "m.db", postgres_url):
        clock = Clock()
        with Memory(where, embedder=HashEmbedder(), clock=clock, background=False) as memory:
            memory.add_many([NewMessage(text=text, speaker=who) for who, text in TALK])
            memory.remember("Gina's cat is Biscuit", sources=[], kind="fact")
            memory.jobs.run()
            queries = ("cat", "studio job", "Gina")
            found = [
                [(-round(f.score, 4), f.text, f.path) for f in memory.recall(q, limit=50)] for q in queries
            ]
            rankings.append([sorted(hits) for hits in found])  # equal scores stand in the order of their ids
    assert rankings[0] == rankings[1]


def test_the_cache_beside_the_file_is_only_a_cache(tmp_path: Path) -> None:
    import shutil

    path = tmp_path / "m.db"
    with Memory(path, embedder=HashEmbedder(), background=False) as memory:
        memory.add_many([NewMessage(text=f"message {i} about topic {i % 50}") for i in range(2_500)])
        memory.jobs.run()
        before = texts(memory, "topic 17", limit=20)
    cache = tmp_path / "m.db-index"
    assert any(cache.rglob("*"))
    with Memory(path, embedder=HashEmbedder(), background=False) as memory:
        assert texts(memory, "topic 17", limit=20) == before
    for file in cache.rglob("*"):
        if file.is_file():
            file.write_bytes(b"garbage")
    with Memory(path, embedder=HashEmbedder(), background=False) as memory:
        assert texts(memory, "topic 17", limit=20) == before
    shutil.rmtree(cache)
    with Memory(path, embedder=HashEmbedder(), background=False) as memory:
        assert texts(memory, "topic 17", limit=20) == before


def test_erased_text_leaves_the_cache_files(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with Memory(path, embedder=HashEmbedder(), background=False) as memory:
        memory.add_many([NewMessage(text=f"message {i}") for i in range(2_500)])
        secret = memory.add("zanzibarquux", speaker="quuxspeaker")
        memory.jobs.run()
        memory.recall("message")
        memory.erase(message=secret.id)
        memory.recall("message")
    held = b"".join(f.read_bytes() for f in (tmp_path / "m.db-index").rglob("*") if f.is_file())
    assert held
    assert b"zanzibarquux" not in held
    assert b"quuxspeaker" not in held
    assert secret.id.encode() not in held


def test_sources_of_a_derived_memory(talk: Memory) -> None:
    said = talk.add("I play the theremin")
    talk.remember("Alex plays the theremin", sources=[Source(SourceKind.MESSAGE, said.id)])
    found = next(f for f in talk.recall("theremin") if f.kind == "note")
    assert found.sources == (said.id,)


def test_the_assistants_words_and_the_users(memory: Memory) -> None:
    memory.add("Which pasta should I cook?")
    memory.add("You could cook cacio e pepe pasta", role=Role.ASSISTANT)
    memory.jobs.run()
    assert texts(memory, "Which pasta did you suggest?")[0] == "You could cook cacio e pepe pasta"


def test_an_event_dates_a_question(memory: Memory, clock: Clock) -> None:
    """Before the migration: prefers what was said before the text that tells of it; after it: the rest."""
    start = datetime(2026, 1, 1, 10, tzinfo=UTC)
    said = [
        (0, "The team uses Jenkins for builds."),
        (30, "The database migration is done at last!"),
        (60, "The team uses Buildkite for builds."),
    ]
    memory.add_many([NewMessage(text=text, said_at=start + timedelta(days=day)) for day, text in said])
    memory.jobs.run()
    clock.at = start + timedelta(days=90)
    asked = "What did the team use for builds {} the database migration?"
    before = memory.recall(asked.format("before"), wanted=Filter(speakers=("user",)))
    after = memory.recall(asked.format("after"), wanted=Filter(speakers=("user",)))
    ranked = [[f.text for f in found if "builds" in f.text] for found in (before, after)]
    assert ranked[0] == [said[0][1], said[2][1]]
    assert ranked[1] == [said[2][1], said[0][1]]
    assert all(f.scores["time"] > 0 for f in before if f.text == said[0][1])


def test_an_event_nobody_told_of_changes_nothing(talk: Memory) -> None:
    plain = talk.recall("the dance studio")
    anchored = talk.recall("the dance studio before the eclipse")
    assert anchored.found[0].id == plain.found[0].id
    assert all("time" not in f.scores for f in anchored)


def test_a_recipe_of_ones_own_and_a_threshold(talk: Memory) -> None:
    lonely = Recipe("lonely", keyword=1.0, semantic=0.0, reach=0)
    said = Filter(items=("message",))
    assert texts(talk, "dance studio", recipe=lonely, wanted=said) == [TALK[2][1]]
    assert len(texts(talk, "dance studio", threshold=0.0, wanted=said)) > 1
    assert texts(talk, "dance studio", recipe=lonely, threshold=0.99, wanted=said) == []
    with pytest.raises(InvalidInput, match="threshold"):
        talk.recall("dance", threshold=7)
    with pytest.raises(InvalidInput, match="no recipe"):
        talk.recall("dance", recipe="grandmother's")


def test_filter_by_when_it_was_recorded(talk: Memory, clock: Clock) -> None:
    clock.at += timedelta(days=5)
    late = talk.add("I adopted another cat", speaker="Gina", said_at=datetime(2025, 1, 1, tzinfo=UTC))
    since = Filter(recorded_since=clock.at - timedelta(days=1))
    assert [f.id for f in talk.recall("adopted a cat", wanted=since)] == list(late.ids)
    until = Filter(recorded_until=clock.at - timedelta(days=1))
    assert TALK[5][1] in texts(talk, "adopted a cat", wanted=until)
    assert not set(late.ids) & {f.id for f in talk.recall("adopted a cat", wanted=until)}


def test_what_is_rare_under_a_filter_is_found_among_much_else(memory: Memory) -> None:
    noise = [NewMessage(text=f"the garden plan number {i}", speaker="Ann") for i in range(1_500)]
    memory.add_many([*noise[:700], NewMessage(text="a garden of stones", speaker="Zoe"), *noise[700:]])
    memory.jobs.run()
    assert texts(memory, "garden plan", wanted=Filter(speakers=("Zoe",))) == ["a garden of stones"]


def test_long_lists_of_odd_names_filter_too(memory: Memory) -> None:
    odd = ['a"b', "c\\d", "e,f", "{g}", "NULL", "h'i", "%s", ":name", "ü 🎈", " j "]
    for name in odd:
        memory.add("the garden plan", speaker=name)
    memory.add("the garden plan", speaker="Zoe")
    for name in odd:
        others = [f"nobody {i}" for i in range(9)]
        hits = memory.recall("garden plan", wanted=Filter(speakers=(*others, name))).found
        assert [hit.item.speaker for hit in hits if isinstance(hit.item, Message)] == [name]


def test_facts_are_not_what_somebody_said(memory: Memory) -> None:
    memory.remember("Alex lives in Porto", key="location", value="Porto")
    chat = memory.conversations.start()
    memory.add("My location is a secret", conversation=chat.id)
    found = memory.recall("location", wanted=Filter(conversation=chat.id))
    assert [f.kind for f in found] == ["message"]

"""The choice of what goes, and the prompts that a model is asked with."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect import Kind, ModelUnavailable, Record, Trust, Usage
from recollect.apps.compaction import OLDEST_FIRST, by_rules, decided, joined, oldest_first, worth
from recollect.apps.prompts.compaction import COMPACTION, Compaction
from recollect.apps.prompts.creation import CREATION
from recollect.apps.records import fitted
from recollect.text.sentences import sentences

NOW = datetime(2026, 3, 2, tzinfo=UTC)


def note(id: str, text: str, days: float = 0, importance: float = 0.5, **more: object) -> Record:
    at = NOW - timedelta(days=days)
    return Record(
        id=id,
        space="app:x",
        kind=Kind.NOTE,
        text=text,
        trust=Trust.USER,
        recorded_at=at,
        valid_from=at,
        importance=importance,
        **more,  # type: ignore[arg-type]
    )


def test_what_another_memory_says_already_goes() -> None:
    crowd = [
        note("a", "User prefers meetings after 2pm on weekdays.", 3, 0.9),
        note("b", "User is allergic to peanuts.", 2, 0.1),
        note("c", "User prefers meetings after 2pm on weekdays. Mornings are for deep work.", 1),
    ]
    cut = by_rules(crowd, 200, NOW)
    assert [r.id for r in cut.gone] == ["a"]
    assert (cut.text, cut.name, cut.reason) == (None, "deleted", "memory c says the same")


@pytest.mark.parametrize(
    "other", ["The launch of Phoenix is on June 9.", "The launch of Phoenix is not on June 8."]
)
def test_what_differs_in_a_number_or_a_denial_is_not_the_same(other: str) -> None:
    crowd = [note("a", "The launch of Phoenix is on June 8.", 1), note("b", other)]
    cut = by_rules(crowd, 200, NOW)
    assert cut.text == f"The launch of Phoenix is on June 8. {other}", "both are kept in one"


def test_two_that_are_about_the_same_become_one() -> None:
    crowd = [
        note("a", "The Phoenix launch is in June. Sara owns the Phoenix budget.", 3),
        note("b", "User is allergic to peanuts.", 2, 0.1),
        note("c", "Sara owns the Phoenix budget. The Phoenix launch needs a venue.", 1),
    ]
    cut = by_rules(crowd, 200, NOW)
    assert [r.id for r in cut.gone] == ["a", "c"]
    assert cut.text == (
        "The Phoenix launch is in June. Sara owns the Phoenix budget. The Phoenix launch needs a venue."
    )
    assert joined(crowd[0], crowd[2], 40) is None, "too long for one"


def test_otherwise_what_is_worth_least_goes() -> None:
    old = note("a", "User lives in Berlin.", 200, 0.5)
    cited = note("b", "The offsite is in Porto.", 200, 0.5, usage=Usage(cited=5, last_used_at=NOW))
    dull = note("c", "The printer on floor 3 is broken.", 1, 0.2)
    newest = note("d", "Sara likes tea.", 0, 0.1)
    assert by_rules([old, cited, dull, newest], 200, NOW).gone == (dull,), "the newest stays"
    assert by_rules([old, cited, newest], 200, NOW).gone == (old,)
    assert worth(cited, NOW) > worth(old, NOW)
    assert by_rules([cited, note("e", dull.text, 300, pinned=True), newest], 200, NOW).gone == (cited,)


def test_the_oldest_first() -> None:
    crowd = [note("b", "x", 1), note("a", "y", 5, 1.0), note("c", "z", 9, pinned=True)]
    cut = oldest_first(crowd, "why")
    assert ([r.id for r in cut.gone], cut.name, cut.rule) == (["a"], "oldest_first", OLDEST_FIRST)
    assert [r.id for r in oldest_first(crowd[2:], "why").gone] == ["c"], "where all is pinned, the cap holds"


def test_a_models_decisions() -> None:
    crowd = [note("a", "User likes tea."), note("b", "User lives in Lisbon."), note("c", "User has a cat.")]
    gone = decided(Compaction("delete", 2, None, ""), crowd, 200, "m")
    assert (gone.gone, gone.reason) == ((crowd[1],), "no reason given")
    both = decided(Compaction("edit", 1, "User likes tea and lives in Lisbon.", "x"), crowd, 200, "m")
    assert (both.gone, both.text) == ((crowd[0], crowd[1]), "User likes tea and lives in Lisbon.")
    vague = decided(Compaction("edit", 1, "Merged content.", "x"), crowd, 200, "m")
    assert vague.gone == (crowd[0], crowd[2]), "the newest, where none stands out"
    for answer in (Compaction("delete", 0), Compaction("delete", 4)):
        with pytest.raises(ModelUnavailable, match="of 3"):
            decided(answer, crowd, 200, "m")
    with pytest.raises(ModelUnavailable, match="only one"):
        decided(Compaction("edit", 1, "x", "y"), crowd[:1], 200, "m")
    with pytest.raises(ValueError, match="newContent"):
        Compaction("edit", 1, "  ", "x")


@given(
    st.lists(
        st.tuples(st.text("abc xyz.", max_size=40), st.floats(0, 1), st.booleans()), min_size=1, max_size=12
    )
)
def test_exactly_one_place_is_made(given: list[tuple[str, float, bool]]) -> None:
    crowd = [note(str(i), t or "x", i, w, pinned=p) for i, (t, w, p) in enumerate(given)]
    for cut in (by_rules(crowd, 200, NOW), oldest_first(crowd, "x")):
        assert len(cut.gone) == (1 if cut.text is None else 2)
        assert all(r in crowd for r in cut.gone)
        if not all(r.pinned for r in crowd):
            assert not any(r.pinned for r in cut.gone)


@given(st.text(max_size=600), st.integers(40, 300))
def test_fitting_never_cuts_a_sentence(text: str, length: int) -> None:
    short = fitted(text, length)
    whole = [" ".join(s.split()) for s in sentences(text)]
    assert short == " ".join(whole[: len(whole)][: max(1, _count(short, whole))])


def _count(short: str, whole: list[str]) -> int:
    return next((n for n in range(len(whole) + 1) if " ".join(whole[:n]) == short), -1)


def test_the_prompts_say_what_the_specification_says() -> None:
    made = CREATION.render(length="200", conversation="1. User (user, 2026-03-02): Hello.")
    assert made.system.startswith(
        "You are a memory creation assistant. Analyze this conversation and create a concise memory "
        "record.\n\nFocus on:\n- Key facts and information\n- User preferences or patterns\n"
        "- Important decisions or outcomes\n- Lessons learned or insights\n\n"
        "Format: Single paragraph, 2-4 sentences, factual and concise, about 200 characters"
    )
    assert made.user == (
        "Conversation:\n\n<data-5a2d3e7c>\n1. User (user, 2026-03-02): Hello.\n</data-5a2d3e7c>\n\n"
        "Create memory:"
    )
    assert (made.purpose, made.max_tokens) == ("app-memory", 400)
    asked = COMPACTION.render(count="11", cap="10", length="200", existing="1. a", new="11. k")
    assert asked.system.startswith(
        "You are a memory management assistant. You have 11 memories but can only keep 10.\n\n"
        "Analyze these memories and decide which ONE to either:\n1. DELETE (remove entirely)\n"
        "2. EDIT (merge with another or update content)\n"
    )
    assert '{\n  "action": "delete" | "edit",\n  "targetMemoryId": <id>,' in asked.system
    assert asked.user.startswith("Existing memories:\n\n<data-")
    assert "\n11. k\n</data-" in asked.user
    assert asked.purpose == "app-compaction"

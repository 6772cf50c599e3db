from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.ingest.rules.candidate import Role, Said
from recollect.ingest.rules.episodes import artifacts, detect

AT = datetime(2025, 3, 12, tzinfo=UTC)


def talk(*lines: tuple[Role, str]) -> list[Said]:
    return [Said(text, AT, role) for role, text in lines]


TALK = talk(
    ("user", "What database should we use?"),
    ("assistant", "I recommend PostgreSQL for this."),
    ("user", "We decided to use PostgreSQL because of JSON support, see ADR-012."),
    ("assistant", "Great choice!"),
    ("user", "Hmm, the login endpoint crashes when the token expires."),
    ("assistant", "Let me look at src/auth/login.py."),
    ("assistant", "I fixed the login endpoint in commit 9fceb02, see PR #42."),
    ("user", "Perfect, it works now!"),
    ("user", "How are you?"),
    ("user", "We finally released version 2.0 to production!"),
    ("assistant", "Congratulations!"),
    ("user", "On second thought, we switched from JWT to sessions because of size."),
)


def test_the_moments_of_a_project_talk() -> None:
    found = detect(TALK)
    assert [e.kind for e in found] == ["decision made", "problem solved", "task completed", "pivot"]
    decision, solved, done, pivot = found
    assert (decision.first, decision.last) == (0, 3)
    assert decision.context == "User: What database should we use?"
    assert decision.participants == ("User", "Assistant")
    assert decision.artifacts == ("ADR-012",)
    assert (solved.first, solved.last) == (4, 7)
    assert {"9fceb02", "PR #42", "src/auth/login.py"} <= set(solved.artifacts)
    assert "crashes" in solved.summary
    assert solved.valence > 0
    assert done.valence > 0
    assert "JWT→sessions" in pivot.title


def test_turns_are_counted_from_where_the_caller_says() -> None:
    assert [e.first for e in detect(TALK, first=100)] == [e.first + 100 for e in detect(TALK)]


def test_an_issue_alone_is_an_issue_and_no_joy() -> None:
    (found,) = detect(talk(("user", "We found a serious bug in the parser.")))
    assert found.kind == "issue identified"
    assert found.valence < 0


@pytest.mark.parametrize(
    "text",
    [
        "It is not fixed yet.",
        "If we decided to use Redis, it would be faster.",
        "Have you finished the report?",
        "We will fix it soon.",
        "How are you?",
        "I need to get it deployed.",
    ],
)
def test_what_has_not_happened_is_no_episode(text: str) -> None:
    assert detect(talk(("user", text))) == []


def test_documents_have_no_episodes() -> None:
    assert detect(talk(("document", "We decided to use PostgreSQL."))) == []


def test_overlapping_moments_are_one() -> None:
    found = detect(talk(("user", "We fixed the crash. We finally released version 2.0!")))
    assert len(found) == 1


def test_artifacts_are_named_once_and_ordinary_words_are_none() -> None:
    text = "See PR #42, #7, ABC-12, a1b2c3d, v1.2.3, src/x/y.py and y.py; UTF-8, facade, 1234567"
    assert artifacts(text) == ("PR #42", "#7", "ABC-12", "a1b2c3d", "v1.2.3", "src/x/y.py", "y.py")


LINES = [text.text for text in TALK] + ["I finished the draft.", "ok", "It fails on start."]


@given(st.lists(st.sampled_from(LINES), max_size=12))
def test_episodes_never_overlap_and_stay_in_bounds(lines: list[str]) -> None:
    found = detect([Said(line, AT) for line in lines])
    last = -1
    for episode in found:
        assert last < episode.first <= episode.last < len(lines)
        assert -1 <= episode.valence <= 1
        assert 0 <= episode.significance <= 1
        last = episode.last

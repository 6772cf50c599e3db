import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.levels import MAX_TAG, levels


@pytest.mark.parametrize(
    ("text", "brief", "tag"),
    [
        (
            "We decided to use PostgreSQL because of JSON support and team expertise.",
            "db: PostgreSQL (JSON support, team expertise)",
            "db_postgresql",
        ),
        (
            "We switched from JWT to sessions because of size.",
            "auth: JWT→sessions (size)",
            "auth_jwt_sessions",
        ),
        ("We replaced Redis with Memcached.", "db: Redis→Memcached", "db_redis_memcached"),
        (
            "User never eats meat on Fridays.",
            "User never eats meat Fridays",
            "user_never_eats_meat_fridays",
        ),
    ],
)
def test_briefs_read_like_notes(text: str, brief: str, tag: str) -> None:
    made = levels(text)
    assert made.brief == brief
    assert made.tag == tag


def test_a_keyed_fact_gives_its_brief_from_key_and_value() -> None:
    made = levels("User's favorite color is blue.", key="favorite_color", value="blue")
    assert (made.brief, made.tag) == ("favorite color: blue", "favorite_color_blue")


def test_a_long_text_is_summarised_in_whole_sentences() -> None:
    text = (
        "The outage began at 09:12 when Anna deployed release 4.2. " * 1
        + "It was a hectic day and everybody was quite tired. "
        + "The root cause was an exhausted connection pool in PgBouncer. "
        + "We had pizza afterwards. It was nice. "
        + "The fix was raising the pool size from 20 to 80."
    )
    made = levels(text)
    assert len(made.summary) < len(text)
    assert "PgBouncer" in made.summary
    assert made.summary.endswith(".")


def test_negations_and_numbers_survive_the_brief() -> None:
    text = (
        "The customer in Hamburg does not want to receive any of the weekly reports by mail before "
        "the 14 open invoices have been corrected by the accounting team"
    )
    brief = levels(text).brief
    assert "not" in brief
    assert "14" in brief
    assert "Hamburg" in brief


@given(st.text(max_size=400), st.sampled_from(["", "name"]), st.sampled_from(["", "Alex"]))
def test_no_level_is_longer_than_the_one_above(text: str, key: str, value: str) -> None:
    made = levels(text, key=key, value=value)
    assert len(made.full) >= len(made.summary) >= len(made.brief) >= len(made.tag)
    assert len(made.tag) <= MAX_TAG
    assert made == levels(text, key=key, value=value)

from hypothesis import given
from hypothesis import strategies as st

from recollect.text.keyphrases import keyphrases
from recollect.text.names import names

TALK = (
    "We decided to use PostgreSQL for the orders service because of its JSON support. Alice from "
    "the Platform Team will migrate the SQLite data on Monday. The PostgreSQL "
    "migration needs Alembic."
)


def test_finds_what_the_text_is_about() -> None:
    found = keyphrases(TALK, 6)
    assert any("PostgreSQL" in phrase for phrase in found)
    assert "Platform Team" in found
    assert "orders service" in found


def test_small_talk_has_no_topics() -> None:
    assert keyphrases("Hi! How are you? Thanks, that's great.") == []


def test_speakers_are_no_topics_when_told_so() -> None:
    text = "John, the garden needs water. John likes roses."
    assert all("John" not in phrase for phrase in keyphrases(text, 5, ignore=["John"]))


def test_the_same_thing_is_named_once() -> None:
    found = keyphrases("Dance studio opens. The dance studios open. Dancing studio again.", 5)
    assert len([phrase for phrase in found if "tudio" in phrase]) == 1


def test_names_are_kept_whole_and_sentence_openers_are_none() -> None:
    text = "Hey Jon! I saw New York with Mary's iPhone 12. Running helps. PostgreSQL by IBM."
    assert names(text) == ["Jon", "New York", "Mary", "iPhone 12", "PostgreSQL", "IBM"]


@given(st.text(max_size=300), st.integers(min_value=0, max_value=6))
def test_keeps_the_limit_and_repeats_itself(text: str, limit: int) -> None:
    found = keyphrases(text, limit)
    assert len(found) <= limit
    assert found == keyphrases(text, limit)

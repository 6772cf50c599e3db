"""When two statements contradict each other, on which ground, and when they do not."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.clash import DOUBTFUL, SURE, Claim, Ground, clash


def found(a: str, b: str) -> tuple[Ground, bool] | None:
    clashed = clash(Claim(a), Claim(b))
    return None if clashed is None else (clashed.ground, clashed.confidence >= SURE)


@pytest.mark.parametrize(
    ("a", "b", "ground"),
    [
        ("User likes coffee", "User does not like coffee", Ground.NEGATION),
        ("User is a vegetarian", "User isn't a vegetarian.", Ground.NEGATION),
        ("User never drinks alcohol", "User drinks wine every evening", Ground.NEGATION),
        ("The API uses Redis", "The API no longer uses Redis", Ground.STATE),
        ("User eats meat", "User stopped eating meat", Ground.STATE),
        ("User lives in Rome", "User used to live in Rome", Ground.STATE),
        ("The API uses Redis for caching", "The team switched the API from Redis to Valkey", Ground.STATE),
        ("Deploys are manual", "Deploys are automatic", Ground.OPPOSITE),
        ("The feature flag is on", "The feature flag is off.", Ground.OPPOSITE),
        ("Tests must run before merge", "Tests must run after merge", Ground.OPPOSITE),
        ("The port is 8080", "The port is 9090", Ground.NUMBER),
        ("User has two cats", "User has three cats", Ground.NUMBER),
        ("The release is on 3 May 2026", "The release is on 10 June 2026", Ground.DATE),
        ("The meeting is on Monday", "The meeting is on Tuesday", Ground.DATE),
    ],
)
def test_contradictions_are_seen_from_both_sides(a: str, b: str, ground: Ground) -> None:
    assert found(a, b) == (ground, True)
    assert found(b, a) == (ground, True)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("User likes coffee", "User likes tea"),
        ("User does not like coffee", "User doesn't like coffee"),
        ("Alice does not work at Acme", "Bob works at Acme"),
        ("The API uses Redis", "The API uses PostgreSQL"),
        ("User has two cats", "User has two dogs"),
        ("The port is about 8080", "The port is 9090"),
        ("The release is in May 2026", "The release is on 3 May 2026"),
        ("Server 1 is in room 1", "Server 2 is in room 2"),
        ("The 3 May meeting is in room A", "The 10 May meeting is in room A"),
        ("", "not"),
    ],
)
def test_what_can_both_be_true_is_left_alone(a: str, b: str) -> None:
    assert found(a, b) is None
    assert found(b, a) is None


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("User likes hot tea", "User likes cold tea"),
        ("User ran 5 km", "User ran 7 km"),
        ("User's mother is old", "User's dog is young"),
        ("User is allergic to nuts", "User is not allergic to pollen"),
    ],
)
def test_what_may_both_be_true_is_doubtful(a: str, b: str) -> None:
    clashed = clash(Claim(a), Claim(b))
    assert clashed is not None
    assert DOUBTFUL <= clashed.confidence < SURE


def keyed(value: str, key: str = "location", subject: str = "User", **more: bool) -> Claim:
    return Claim(f"{subject} {key} {value}", subject, key, value, **more)


def test_a_key_holds_one_value() -> None:
    clashed = clash(keyed("Berlin"), keyed("Lisbon"))
    assert clashed is not None
    assert (clashed.ground, clashed.reason) == (Ground.KEY, "location: Berlin or Lisbon")
    assert clash(keyed("Berlin"), keyed("berlin.")) is None
    assert clash(keyed("Berlin"), keyed("Berlin, Germany")) is None, "more exact"
    assert clash(keyed("Berlin"), keyed("Lisbon", subject="Bob")) is None
    assert clash(keyed("Berlin"), keyed("Lisbon", key="employer")) is None
    assert clash(keyed("Berlin", many=True), keyed("Lisbon", many=True)) is None
    denied = clash(keyed("Berlin"), keyed("Berlin", negated=True))
    assert denied is not None
    assert denied.ground == Ground.NEGATION


def test_dates_count_from_when_they_were_said() -> None:
    monday, tuesday = datetime(2026, 3, 2, tzinfo=UTC), datetime(2026, 3, 3, tzinfo=UTC)
    said = Claim("The launch is tomorrow", at=monday)
    assert clash(said, Claim("The launch is today", at=tuesday)) is None
    assert clash(said, Claim("The launch is tomorrow", at=tuesday)) is not None


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_text_is_read(a: str, b: str) -> None:
    clashed = clash(Claim(a), Claim(b))
    assert clashed is None or DOUBTFUL <= clashed.confidence <= 1.0
    assert clash(Claim(a), Claim(a)) is None


WORDS = st.lists(
    st.sampled_from("user likes does not no never uses tea old young 5 7 Redis".split()), max_size=8
)


@given(WORDS, WORDS)
def test_order_does_not_matter(a: list[str], b: list[str]) -> None:
    one, other = Claim(" ".join(a)), Claim(" ".join(b))
    there, back = clash(one, other), clash(other, one)
    assert (there is None) == (back is None)
    if there is not None and back is not None:
        assert (there.ground, there.confidence) == (back.ground, back.confidence)

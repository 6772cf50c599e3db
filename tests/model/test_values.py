"""The values: ids, spaces, scales, decay, and JSON out and back."""

import uuid
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect import InvalidInput, Kind, Receipt, Record, Status, Trust, View
from recollect.model.decay import decay
from recollect.model.ids import checked_id, derived_id, ids_from, micros, moment, new_id
from recollect.model.receipt import Action, Entry
from recollect.model.record import Episode, EpisodeType, Source, SourceKind, importance_of, significance
from recollect.model.wire import decoded, encoded

MOMENTS = st.datetimes(
    min_value=datetime(1970, 1, 1), max_value=datetime(9000, 1, 1), timezones=st.just(UTC)
)  # fmt: skip


@given(MOMENTS)
def test_moments_survive_as_microseconds(at: datetime) -> None:
    assert moment(micros(at)) == at


@given(st.lists(MOMENTS, min_size=2, max_size=5, unique=True))
def test_ids_sort_by_time_and_are_version_7(moments: list[datetime]) -> None:
    ids = [new_id(at) for at in sorted(moments)]
    assert ids == sorted(ids)
    for id in ids:
        assert uuid.UUID(id).version == 7
        assert checked_id(id) == id


def test_ids_of_a_batch_are_distinct_and_in_order() -> None:
    ids = ids_from(datetime.now(UTC), 50_000)
    assert ids == sorted(set(ids))


def test_derived_ids_repeat() -> None:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    assert derived_id(at, "a", "b") == derived_id(at, "a", "b")
    assert derived_id(at, "a", "b") != derived_id(at, "ab", "")
    assert derived_id(at, "a") < derived_id(at + timedelta(milliseconds=1), "a")
    assert uuid.UUID(derived_id(at, "a")).version == 7


@pytest.mark.parametrize(
    ("importance", "sig"), [(0, 1), (0.12, 1), (0.125, 2), (0.5, 3), (0.7, 4), (0.9, 5), (1, 5)]
)
def test_one_scale_two_notations(importance: float, sig: int) -> None:
    assert significance(importance) == sig
    assert significance(importance_of(sig)) == sig


def test_trust_only_falls() -> None:
    assert Trust.least(Trust.USER, Trust.DOCUMENT, Trust.TOOL) == Trust.DOCUMENT
    assert sorted(Trust, key=lambda t: t.rank) == [
        "imported",
        "document",
        "tool",
        "assistant",
        "user",
    ]


def test_decay_halves_in_a_month_and_use_lifts_it() -> None:
    now = datetime(2026, 3, 1, tzinfo=UTC)
    assert decay(now, 0, now) == 1
    assert decay(now - timedelta(days=30), 0, now) == 0.5
    assert decay(now - timedelta(days=60), 2, now) == pytest.approx(0.45)
    assert decay(now - timedelta(days=300), 1_000, now) == pytest.approx(0.5, abs=0.01)
    assert decay(now + timedelta(days=1), 0, now) == 1


def test_a_view_is_ordered_and_sound() -> None:
    assert View(("user:alex", "system")).home == "user:alex"
    for bad in ((), ("user:alex", "user:alex"), ("alex",)):
        with pytest.raises(InvalidInput):
            View(bad)


def test_a_receipt_counts() -> None:
    receipt = Receipt(
        entries=(Entry(Action.STORED, "a"), Entry(Action.STORED, "b"), Entry(Action.IGNORED, "c"))
    )
    assert receipt.counts == {"stored": 2, "ignored": 1}
    with pytest.raises(ValueError, match="too many values"):
        _ = receipt.id


TEXTS = st.text(min_size=1, max_size=20)
RECORDS = st.builds(
    Record,
    id=st.just("01a1dd8f-f49f-74ec-808a-d3ae668dea78"),
    space=st.just("user:alex"),
    kind=st.sampled_from(Kind),
    text=TEXTS,
    trust=st.sampled_from(Trust),
    recorded_at=MOMENTS,
    valid_from=MOMENTS,
    status=st.sampled_from(Status),
    tags=st.lists(TEXTS).map(tuple),
    importance=st.floats(0, 1),
    episode=st.none() | st.builds(Episode, type=st.sampled_from(EpisodeType), title=TEXTS),
    sources=st.lists(st.builds(Source, st.sampled_from(SourceKind), st.just("x"))).map(tuple),
    metadata=st.dictionaries(TEXTS, st.integers() | TEXTS | st.none()),
)


@given(RECORDS)
def test_values_survive_json(record: Record) -> None:
    assert decoded(Record, encoded(record)) == record


def test_json_that_does_not_fit_names_the_field() -> None:
    good = {"kind": "message", "id": "x"}
    for data, says in [
        ([], "must be an object"),
        (good | {"colour": 1}, "no field 'colour'"),
        ({"kind": "message"}, "needs 'id'"),
        ({"kind": "gossip", "id": "x"}, "Source.kind: 'gossip' does not fit"),
        ({"kind": "message", "id": 5}, "Source.id must be str"),
    ]:
        with pytest.raises(InvalidInput, match=says):
            decoded(Source, data)

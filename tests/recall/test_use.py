"""Use moves ranking a little, and never buries what is right."""

from hypothesis import given
from hypothesis import strategies as st

from clock import START, Clock
from recollect import Found, Kind, Memory, Record, Trust, Usage
from recollect.model.decay import USE_BOUND, use_factor
from recollect.model.ids import new_id
from recollect.recall.recall import moved_by_use
from recollect.store import usage

counts = st.integers(min_value=0, max_value=100_000)


@given(counts, counts)
def test_the_factor_is_bounded_and_fair(cited: int, ignored: int) -> None:
    factor = use_factor(cited, ignored)
    assert 1 - USE_BOUND <= factor <= 1 + USE_BOUND
    assert use_factor(cited + 1, ignored) > factor > use_factor(cited, ignored + 1)
    assert use_factor(cited, cited) == 1.0


def found(score: float, cited: int, ignored: int) -> Found:
    record = Record(
        id=new_id(START),
        space="user:alex",
        kind=Kind.NOTE,
        text="x",
        trust=Trust.USER,
        recorded_at=START,
        valid_from=START,
        usage=Usage(cited=cited, ignored=ignored),
    )
    return Found(item=record, score=score, path="direct")


@given(st.lists(st.tuples(st.floats(0.01, 1.0), counts, counts), min_size=2, max_size=8))
def test_what_fits_better_by_a_sixth_stays_in_front(hits: list[tuple[float, int, int]]) -> None:
    before = sorted((found(*hit) for hit in hits), key=lambda f: -f.score)
    after = [f.id for f in moved_by_use(before)]
    for i, better in enumerate(before):
        for worse in before[i + 1 :]:
            if better.score > worse.score * 7 / 6 + 1e-5:
                assert after.index(better.id) < after.index(worse.id)


def test_citations_decide_between_equals_and_are_explained(memory: Memory, clock: Clock) -> None:
    plain = memory.remember("the red bike stands in the cellar").id
    loved = memory.remember("the red bike stands in the garden").id
    right = memory.remember("the bike lock opens with the small brass key").id
    for _ in range(50):
        memory._scope.write(lambda tx: usage.count(tx, [loved], "cited", clock()))
        memory._scope.write(lambda tx: usage.count(tx, [plain], "ignored", clock()))
    memory.jobs.run()
    hits = list(memory.recall("where is the red bike?"))
    assert [f.id for f in hits[:2]] == [loved, plain]
    assert hits[0].scores["use"] > 1 > hits[1].scores["use"]
    assert memory.recall("which small brass key opens the bike lock?").found[0].id == right

"""Which lines are written: pure, so the limit can be small."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from recollect import Kind, Record, Trust
from recollect.files.compare import Pair, compare, line_digest, memory_digest
from recollect.files.distil import Draft, fit, follow, fresh
from recollect.files.lines import heading_of, item_of, ref_of
from recollect.files.memory_md import Heading, Item
from recollect.model.document import LineRow, Owner
from recollect.model.ids import derived_id

START = datetime(2026, 1, 1, tzinfo=UTC)


def record(number: int, text: str, importance: float = 0.5, **fields: object) -> Record:
    at = START + timedelta(days=number)
    return Record(
        id=derived_id(at, str(number)), space="project:x", kind=Kind.FACT, text=text, trust=Trust.USER,
        recorded_at=at, valid_from=at, importance=importance, **fields,
    )  # type: ignore[arg-type] # fmt: skip


def pair(number: int, r: Record, owner: Owner = Owner.OURS) -> Pair:
    item = item_of(r, heading_of(r) or Heading.IS)
    row = LineRow(
        ref=ref_of(r.id),
        memory=r.id,
        owner=owner,
        line_digest=line_digest(item),
        memory_digest=memory_digest(r),
    )
    return Pair(number, item, row)


def test_what_is_told_is_not_told_again() -> None:
    standing = [Item(heading=Heading.IS, text="The cache is Redis")]
    found = fresh(
        [record(1, "The cache is Redis."), record(2, "The cache is Redis 7"), record(3, "Go")], standing
    )
    assert [new.item.text for new in found] == ["The cache is Redis 7", "Go"]


def test_likenesses_are_joined_before_anything_is_pruned() -> None:
    records = [record(1, "The build runs on the big machine at night", 0.25),
               record(2, "The big build machine runs slow tests at night", 0.5),
               record(3, "Payments go through the blue gateway", 0.25)]  # fmt: skip
    new = fresh(records, [])
    draft = fit(Draft(), [], {}, new, limit=170)
    assert (draft.merged, draft.pruned) == (1, 0)
    assert {n.record.id for n in draft.added} == {records[1].id, records[2].id}
    assert fit(Draft(), [], {}, new).merged == 0


@given(st.lists(st.integers(0, 4), min_size=1, max_size=40), st.integers(0, 3_000))
def test_only_the_least_goes_and_what_is_protected_never(weights: list[int], limit: int) -> None:
    records = {r.id: r for n, w in enumerate(weights) for r in [record(n, f"Host h{n} serves c{n}", w / 4)]}
    pairs = [pair(n, r) for n, r in enumerate(records.values())]
    draft = fit(Draft(), pairs, records, [], limit)
    gone = {pairs[number].item.significance or 0 for number, item in draft.changes.items() if item is None}
    kept = {p.item.significance or 0 for p in pairs if p.number not in draft.changes}
    assert not gone & {4, 5}
    low_kept = [sig for sig in kept if sig < 4]
    assert not gone or not low_kept or max(gone) <= min(low_kept)
    size = sum(
        len(f"- {p.item.text} [sig:1] <!-- m:{p.item.ref} -->\n")
        for p in pairs
        if p.number not in draft.changes
    )
    assert size <= limit or not low_kept


def test_what_may_never_go_is_not_let_in_without_end() -> None:
    standing = {r.id: r for r in (record(n, f"Old host h{n}", 1.0) for n in range(20))}
    pairs = [pair(n, r) for n, r in enumerate(standing.values())]
    new = fresh([record(n, f"New host h{n}", 0.75 if n % 2 else 1.0) for n in range(40, 60)], [])
    draft = fit(Draft(), pairs, standing, new, limit=600)
    assert draft.changes == {}
    assert draft.pruned == len(new) - len(draft.added) > 0
    assert {n.item.significance for n in draft.added} <= {5}


def test_lines_of_ours_follow_and_others_are_asked_about() -> None:
    olds = [record(1, "Port 80"), record(2, "Port 81"), record(3, "Port 82", 1.0), record(4, "Port 83")]
    pairs = [pair(n, r, Owner.THEIRS if n == 1 else Owner.OURS) for n, r in enumerate(olds)]
    now = {r.id: record(n + 1, f"Host {n}", r.importance) for n, r in enumerate(olds[:3])}
    draft = follow(pairs, now)
    assert {n: item and item.text for n, item in draft.changes.items()} == {0: "Host 0", 3: None}
    assert [q.line for q in draft.questions] == ["Port 81", "Port 82"]


def test_a_copied_line_is_a_line_of_its_own() -> None:
    known = pair(0, record(1, "The cache is Redis"))
    copies = [(0, known.item), (1, known.item)]
    found = compare(copies, {known.row.ref: known.row}, {})
    assert [p.number for p in found.same] == [0]
    assert [number for number, _ in found.added] == [1]

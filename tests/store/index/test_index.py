import json
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from recollect.store.index import disk
from recollect.store.index import index as index_module
from recollect.store.index.ask import Ask, Filter
from recollect.store.index.feed import Change
from recollect.store.index.index import Index
from recollect.store.index.pool import CONTEXT, DIRECT, LINK, NEIGHBOUR
from recollect.text.terms import query_terms

DIM = 16


class ListFeed:
    """Changes in a list, each item given once, at its newest number."""

    def __init__(self):
        self.items = {}
        self.seq = 0

    def head(self):
        return self.seq

    def changes(self, after, limit):
        newer = [change for change in self.items.values() if change.seq > after]
        return sorted(newer, key=lambda change: change.seq)[:limit]

    def put(self, name, text="", *, kind="message", space="a", **more):
        self.seq += 1
        change = Change(seq=self.seq, kind=kind, id=name, space=space, text=text, **more)
        self.items[kind, name] = change
        return change


def vector(seed):
    row = np.random.default_rng(seed).standard_normal(DIM)
    return (row / np.linalg.norm(row)).astype(np.float16)


def found(index, text="", *, spaces=("a",), why=(DIRECT,), **more):
    terms = tuple(query_terms(text)) if text else ()
    pool, _ = index.search(Ask(spaces=spaces, terms=terms, weights=(1.0,) * len(terms), **more))
    chosen = np.isin(pool.why, why)
    return {name.decode() for name in pool.ids[chosen]}


def test_words_are_found_at_once_and_only_in_the_asked_spaces():
    feed = ListFeed()
    index = Index(feed, dim=DIM)
    feed.put("m1", "the violin lesson", space="a")
    feed.put("m2", "the violin teacher", space="b")
    assert found(index, "violins") == {"m1"}
    assert found(index, "violins", spaces=("b", "a")) == {"m1", "m2"}
    assert found(index, "violins", spaces=("c",)) == set()
    feed.put("m3", "a violin case")
    assert found(index, "violins") == {"m1", "m3"}


def test_statistics_are_those_of_the_asked_spaces():
    feed = ListFeed()
    index = Index(feed, dim=DIM)
    for number in range(5):
        feed.put(f"m{number}", "violin " * (number + 1), space="a" if number < 3 else "b")
    _, stats = index.search(Ask(spaces=("a",), terms=("violin", "tea"), weights=(1.0, 1.0)))
    assert (stats.items, stats.average_length, stats.having) == (3, 2.0, (3, 0))


def test_an_update_replaces_and_an_erasure_removes():
    feed = ListFeed()
    index = Index(feed, dim=DIM)
    feed.put("m1", "violin")
    feed.put("m2", "violin")
    assert found(index, "violin") == {"m1", "m2"}
    feed.put("m1", "trumpet")
    feed.put("m2", erased=True)
    assert found(index, "violin") == set()
    assert found(index, "trumpet") == {"m1"}
    _, stats = index.search(Ask(spaces=("a",), terms=("violin",), weights=(1.0,)))
    assert (stats.items, stats.having) == (1, (0,))


def test_segments_of_which_nothing_is_left_go():
    """Eight small segments whose items all changed at once, as when many messages get their vectors."""
    feed = ListFeed()
    index = Index(feed, dim=DIM)
    for number in range(77):
        feed.put(f"m{number}", "violin")
        if number >= 69:
            index.refresh()
    for number in range(77):
        feed.put(f"m{number}", "trumpet")
    assert len(found(index, "trumpet")) == 77
    feed.put("m77", "trumpet")
    assert len(found(index, "trumpet")) == 78
    assert 0 not in index.sizes()


def test_a_vector_that_comes_later_is_found_by_meaning():
    feed = ListFeed()
    index = Index(feed, dim=DIM)
    feed.put("m1", "violin")
    near = vector(1).astype(np.float32)
    assert found(index, vector=near) == set()
    feed.put("m1", "violin", vector=vector(1).tobytes())
    feed.put("m2", "tea", vector=b"\0\0" * (DIM + 1))
    assert found(index, vector=near) == {"m1"}
    pool, _ = index.search(Ask(spaces=("a",), vector=near))
    assert pool.cosine[0] == pytest.approx(1, abs=0.02)


def test_neighbours_come_along_also_from_other_segments():
    feed = ListFeed()
    index = Index(feed, dim=DIM)
    for number in range(12):
        text = "violin" if number == 6 else "other"
        feed.put(f"m{number}", text, conversation="c", turn=number)
        index.refresh()
    feed.put("n7", "other", conversation="d", turn=7)
    assert found(index, "violin") == {"m6"}
    assert found(index, "violin", why=(NEIGHBOUR,)) == {"m4", "m5", "m7", "m8"}
    assert found(index, "violin", why=(CONTEXT,)) == {"m2", "m3", "m9", "m10"}
    assert found(index, "violin", why=(NEIGHBOUR, CONTEXT), reach=0) == set()


def test_named_items_and_times_propose_rows_too():
    feed = ListFeed()
    index = Index(feed, dim=DIM)
    for number in range(10):
        feed.put(f"m{number}", "tea", at=number * 100)
    assert found(index, items=(("message", "m3"), ("memory", "m4")), why=(LINK,)) == {"m3"}
    assert found(index, spans=((200, 400),)) == {"m2", "m3"}


@pytest.mark.parametrize(
    ("only", "expected"),
    [
        (Filter(kinds=frozenset({"memory"})), {"m0"}),
        (Filter(statuses=frozenset({"active"})), {"m0", "m1", "m2"}),
        (Filter(speakers=frozenset({"Jon"})), {"m2", "m3"}),
        (Filter(since=200), {"m2", "m3"}),
        (Filter(until=200), {"m0", "m1"}),
        (Filter(recorded_since=7), {"m3"}),
        (Filter(recorded_until=7), {"m0", "m1", "m2"}),
        (Filter(min_importance=0.6), {"m3"}),
        (Filter(conversation="c"), {"m1", "m2"}),
        (Filter(facets=(frozenset({"tag:x", "tag:y"}),)), {"m1", "m2"}),
        (Filter(facets=(frozenset({"tag:x"}), frozenset({"tag:y"}))), {"m2"}),
        (Filter(kinds=frozenset()), set()),
    ],
)
def test_filters(only, expected):
    feed = ListFeed()
    index = Index(feed, dim=DIM)
    feed.put("m0", "tea", kind="memory", at=0)
    feed.put("m1", "tea", conversation="c", turn=1, at=100, speaker="Gina", facets=("tag:x",))
    feed.put("m2", "tea", conversation="c", turn=2, at=200, speaker="Jon", facets=("tag:x", "tag:y"))
    feed.put("m3", "tea", at=300, speaker="Jon", importance=0.9, status="archived", recorded=7)
    assert found(index, "tea", only=only) == expected
    assert found(index, "tag x", only=None) == set()


def test_filtered_rows_are_no_neighbours_but_lend_context():
    feed = ListFeed()
    index = Index(feed, dim=DIM)
    feed.put("m1", "violin", conversation="c", turn=1, speaker="Jon")
    feed.put("m2", "yes", conversation="c", turn=2, speaker="Gina")
    only = Filter(speakers=frozenset({"Jon"}))
    assert found(index, "violin", only=only) == {"m1"}
    assert found(index, "violin", only=only, why=(CONTEXT,)) == {"m2"}


def test_many_segments_answer_like_one():
    feed = ListFeed()
    grown = Index(feed, dim=DIM)
    random = np.random.default_rng(5)
    for number in range(600):
        words = " ".join(f"w{i}" for i in random.zipf(1.5, 8))
        feed.put(f"m{number % 450}", words, turn=number, vector=vector(number).tobytes())
        grown.refresh()
    fresh = Index(feed, dim=DIM)
    fresh.refresh()
    assert sum(grown.sizes()) == sum(fresh.sizes()) == 450
    assert len(grown.sizes()) < 30
    for number in range(1, 12):
        ask = Ask(spaces=("a",), terms=(f"w{number}",), weights=(1.0,), vector=vector(number))
        (left, left_stats), (right, right_stats) = grown.search(ask), fresh.search(ask)
        assert left_stats == right_stats
        assert sorted(left.ids[left.why == DIRECT]) == sorted(right.ids[right.why == DIRECT])
    grown.compact()
    assert sum(grown.sizes()) == 450
    assert found(grown, "w1") == found(fresh, "w1")


def test_frequent_words_choose_no_rows_where_rare_ones_do(monkeypatch):
    monkeypatch.setattr("recollect.store.index.search.DRIVING", 50)
    feed = ListFeed()
    index = Index(feed, dim=DIM)
    for number in range(300):
        feed.put(f"m{number}", "tea kettle" if number in (7, 8) else "tea pot")
    feed.put("both", "kettle kettle tea")
    assert found(index, "tea kettle") == {"m7", "m8", "both"}
    assert len(found(index, "tea")) >= 120


def test_codes_find_the_nearest_vectors(monkeypatch):
    monkeypatch.setattr("recollect.store.index.vectors.CODED_FROM", 256)
    feed = ListFeed()
    index = Index(feed, dim=DIM)
    rows = np.stack([vector(number) for number in range(2_000)])
    for number, row in enumerate(rows):
        feed.put(f"m{number}", "tea", vector=row.tobytes())
    index.refresh()
    index.compact()
    assert len(index.sizes()) == 1
    hits = 0
    for seed in range(5_000, 5_020):
        query = vector(seed).astype(np.float32)
        best = {f"m{i}" for i in np.argsort(-(rows.astype(np.float32) @ query))[:5]}
        hits += len(best & found(index, vector=query, by_meaning=50))
    assert hits >= 90


def test_a_cold_index_reads_the_cache_and_only_the_rest_from_the_feed(tmp_path):
    feed = ListFeed()
    index = Index(feed, dim=DIM, folder=tmp_path, key="k")
    for number in range(100):
        feed.put(f"m{number}", f"tea w{number}", vector=vector(number).tobytes())
    feed.put("m5", "trumpet")
    index.save()
    feed.put("later", "tea")
    asked = []
    changes = feed.changes
    feed.changes = lambda after, limit: asked.append(after) or changes(after, limit)
    cold = Index(feed, dim=DIM, folder=tmp_path, key="k")
    assert found(cold, "tea", by_words=200) == {f"m{i}" for i in range(100) if i != 5} | {"later"}
    assert found(cold, "trumpet") == {"m5"}
    assert asked[0] == 101


def test_erased_text_leaves_the_files_at_once(tmp_path):
    feed = ListFeed()
    index = Index(feed, dim=DIM, folder=tmp_path)
    feed.put("keep-me", "tea")
    feed.put("secret-id", "violin", vector=vector(9).tobytes())
    index.save()
    assert b"secret-id" in b"".join(path.read_bytes() for path in tmp_path.iterdir())
    feed.put("secret-id", erased=True)
    index.refresh()
    files = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"secret-id" not in files
    assert b"keep-me" in files
    assert found(Index(feed, dim=DIM, folder=tmp_path), "tea violin") == {"keep-me"}


@pytest.mark.parametrize("harm", ["flip", "cut", "manifest", "gone", "other key", "future"])
def test_a_harmed_cache_counts_as_none(tmp_path, harm):
    feed = ListFeed()
    for number in range(50):
        feed.put(f"m{number}", "tea")
    index = Index(feed, dim=DIM, folder=tmp_path, key="k")
    index.save()
    segment = next(tmp_path.glob("*.segment"))
    manifest = tmp_path / disk.MANIFEST
    if harm == "flip":
        content = bytearray(segment.read_bytes())
        content[-100] ^= 255
        segment.write_bytes(content)
    elif harm == "cut":
        segment.write_bytes(segment.read_bytes()[:-200])
    elif harm == "manifest":
        manifest.write_text("{")
    elif harm == "gone":
        segment.unlink()
    elif harm == "future":
        manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"seq": 10_000}))
    key = "other" if harm == "other key" else "k"
    assert len(found(Index(feed, dim=DIM, folder=tmp_path, key=key), "tea")) == 50


def test_an_older_process_does_not_overwrite_a_newer_cache(tmp_path):
    feed = ListFeed()
    feed.put("m1", "tea")
    old = Index(feed, dim=DIM, folder=tmp_path)
    old.refresh()
    feed.put("m2", "tea")
    Index(feed, dim=DIM, folder=tmp_path).save()
    before = (tmp_path / disk.MANIFEST).read_bytes()
    head, feed.seq = feed.seq, 1
    old.save()
    feed.seq = head
    assert (tmp_path / disk.MANIFEST).read_bytes() == before


def test_clearing_the_cache_is_safe(tmp_path):
    feed = ListFeed()
    feed.put("m1", "tea")
    index = Index(feed, dim=DIM, folder=tmp_path)
    index.save()
    disk.clear(tmp_path)
    assert not list(tmp_path.glob("*.segment"))
    assert found(index, "tea") == {"m1"}


def test_many_unsaved_changes_are_saved_by_themselves(tmp_path, monkeypatch):
    monkeypatch.setattr(index_module, "SAVE_AFTER", 20)
    feed = ListFeed()
    index = Index(feed, dim=DIM, folder=tmp_path)
    for number in range(25):
        feed.put(f"m{number}", "tea")
    index.refresh()
    assert (tmp_path / disk.MANIFEST).exists()


def test_readers_on_threads_see_whole_states():
    feed = ListFeed()
    index = Index(feed, dim=DIM)
    lock = threading.Lock()
    changes = feed.changes

    def guarded(after, limit):
        with lock:
            return changes(after, limit)

    feed.changes = guarded

    def write(number):
        with lock:
            feed.put(f"m{number}", f"tea round{number}")
        return found(index, f"round{number}") == {f"m{number}"}

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(write, range(200)))
    assert sum(index.sizes()) == 200


class IndexMachine(RuleBasedStateMachine):
    """Whatever happens, the index finds what a plain dictionary of items holds."""

    def __init__(self):
        super().__init__()
        self.feed = ListFeed()
        self.index = Index(self.feed, dim=DIM)
        self.held = {}

    names = st.sampled_from([f"m{number}" for number in range(12)])
    words = st.sets(st.sampled_from(["tea", "kettle", "violin", "harbour", "snow"]), max_size=3)

    @rule(name=names, words=words, space=st.sampled_from("ab"))
    def put(self, name, words, space):
        self.feed.put(name, " ".join(words), space=space)
        self.held[name] = (space, words)

    @rule(name=names)
    def erase(self, name):
        if name in self.held:
            self.feed.put(name, erased=True, space=self.held.pop(name)[0])

    @rule()
    def follow(self):
        self.index.refresh()

    @rule()
    def compact(self):
        self.index.compact()

    @invariant()
    def finds_what_is_held(self):
        for space in "ab":
            expected = {n for n, (s, words) in self.held.items() if s == space and "tea" in words}
            assert found(self.index, "tea", spaces=(space,)) == expected


IndexMachine.TestCase.settings = settings(max_examples=30, stateful_step_count=25, deadline=None)
TestIndexMachine = IndexMachine.TestCase

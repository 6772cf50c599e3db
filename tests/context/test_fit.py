"""Fitting: the most value for the tokens, repetition counted, questions beside answers, no gaps in a talk."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from recollect.context.candidate import Candidate, Option, excerpts, usefulness
from recollect.context.fit import Choice, fill, fill_in_order, hull
from recollect.model.record import Usage

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)


def one(id: str, text: str, value: float, **more: object) -> Candidate:
    option = (Option("full", text, 1.0),)
    return Candidate(id=id, kind="message", value=value, options=option, at=NOW, why="", **more)  # type: ignore[arg-type]


def by_words() -> Choice:
    return Choice(lambda _, option: len(option.text.split()), lambda _: 0)


def test_many_small_good_ones_win_over_a_big_one() -> None:
    big = one("big", " ".join(f"w{i}" for i in range(10)), 1.0)
    small = [one(f"s{i}", f"a{i} b{i} c{i} d{i} e{i}", 0.8) for i in range(2)]
    choice = by_words()
    assert fill(choice, "s", [big, *small], 10, None) == 0
    assert set(choice.option) == {"s0", "s1"}


def test_levels_rise_as_far_as_the_room_goes() -> None:
    sizes = tuple(
        Option(f"l{i}", " ".join(["w"] * n), w) for i, (n, w) in enumerate([(2, 0.5), (5, 0.8), (20, 1)])
    )
    c = Candidate(id="c", kind="fact", value=1.0, options=sizes, at=NOW, why="")
    for room, level in ((1, None), (2, 0), (4, 0), (5, 1), (19, 1), (20, 2)):
        choice = by_words()
        fill(choice, "s", [c], room, None)
        assert choice.option.get("c") == level


def test_what_repeats_is_left_for_last() -> None:
    first = one("first", "the landlord wants the deposit by friday", 1.0)
    again = one("again", "landlord wants deposit by friday", 0.9)
    other = one("other", "gina adopted a cat called biscuit", 0.5)
    choice = by_words()
    fill(choice, "s", [first, again, other], 13, None)
    assert set(choice.option) == {"again", "other"}


def test_a_question_comes_with_its_answer() -> None:
    answer = one("answer", "about forty euros each", 1.0)
    question = one("question", "what do tickets cost", 0.5, beside="answer", lent=True)
    rival = one("rival", "gina adopted one cat", 0.4)
    choice = by_words()
    fill(choice, "s", [answer, question, rival], 8, None)
    assert set(choice.option) == {"answer", "question"}
    choice = by_words()
    fill(choice, "s", [question, rival], 4, None)
    assert set(choice.option) == {"rival"}


def test_a_talk_has_no_gaps() -> None:
    said = [one("3", "newest words", 1.0), one("2", "w " * 50, 0.9), one("1", "old", 0.8)]
    choice = by_words()
    assert fill_in_order(choice, "s", said, 10) == 8
    assert set(choice.option) == {"3"}


def test_one_memory_in_other_words_has_its_own_price() -> None:
    value, sentence = one("m", "friday", 1.0), one("m", "the deposit is due on friday", 1.0)
    choice = by_words()
    assert (choice.cost(value, 0), choice.cost(sentence, 0)) == (1, 6)


def test_no_more_than_the_limit() -> None:
    choice = by_words()
    fill(choice, "s", [one(str(i), f"word{i}", 1.0) for i in range(20)], 100, 3)
    assert len(choice.option) == 3


@given(st.lists(st.tuples(st.integers(1, 60), st.floats(0.01, 1)), max_size=20), st.integers(0, 200))
def test_the_room_is_kept(sizes: list[tuple[int, float]], room: int) -> None:
    offered = [one(str(i), " ".join(f"w{i}x{j}" for j in range(n)), v) for i, (n, v) in enumerate(sizes)]
    choice = by_words()
    left = fill(choice, "s", offered, room, None)
    used = sum(choice.cost(choice.known[id], i) for id, i in choice.option.items())
    assert left == room - used >= 0
    rest = [c for c in offered if c.id not in choice.option]
    assert all(choice.cost(c, 0) > left for c in rest)


@given(st.lists(st.tuples(st.integers(1, 100), st.floats(0.01, 1)), min_size=1, max_size=6))
def test_steps_buy_less_and_less(sizes: list[tuple[int, float]]) -> None:
    ordered = sorted(sizes)
    options = tuple(Option(str(i), "x", worth) for i, (_, worth) in enumerate(ordered))
    c = Candidate(id="c", kind="fact", value=1.0, options=options, at=NOW, why="")
    costs = [cost for cost, _ in ordered]
    steps = hull(c, costs)
    assert steps
    slopes = []
    before = (0, 0.0)
    for i in steps:
        slopes.append((options[i].worth - before[1]) / (costs[i] - before[0]))
        before = (costs[i], options[i].worth)
    assert slopes == sorted(slopes, reverse=True)
    assert all(slope > 0 for slope in slopes)


def test_long_texts_have_their_best_sentences() -> None:
    text = "We talked about the weather for a while. " * 10 + "The deposit is due on Friday. " + "Bye. " * 30
    small, *_, whole = excerpts(text, {"deposit", "friday"})
    assert "The deposit is due on Friday." in small.text
    assert small.level == "excerpt"
    assert len(small.text) < 300
    assert whole.text == text
    assert small.worth < whole.worth
    assert len(excerpts("short", {"deposit"})) == 1


def test_use_lifts_and_neglect_lowers() -> None:
    plain = usefulness(Usage(), NOW, NOW, 0.5)
    cited = usefulness(Usage(cited=3, last_used_at=NOW), NOW, NOW, 0.5)
    ignored = usefulness(Usage(ignored=3), NOW, NOW, 0.5)
    assert ignored < plain < cited

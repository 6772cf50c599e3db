from hypothesis import given
from hypothesis import strategies as st

from recollect.text.sentences import sentences
from recollect.text.smalltalk import is_small_talk
from recollect.text.summarise import Turn, estimate_tokens, summarise

TALK = [
    Turn("Gina", "Hey Jon! Good to see you. What's up?"),
    Turn("Jon", "Hey Gina! Good to see you too. Lost my job as a banker yesterday."),
    Turn("Gina", "Sorry to hear that. That's tough!"),
    Turn("Jon", "Thanks! I decided to open a dance studio in Boston by May 2023."),
    Turn("Gina", "Sounds great! Wow."),
    Turn("Jon", "Yeah, I signed the lease with Mr. Smith for 1,200 dollars a month."),
]


def test_keeps_the_facts_and_leaves_the_small_talk() -> None:
    summary = summarise(TALK, 60)
    assert "Lost my job as a banker yesterday." in summary
    assert "dance studio in Boston by May 2023." in summary
    assert "Good to see you" not in summary
    assert "Sounds great" not in summary


def test_names_the_speaker_where_it_changes() -> None:
    turns = [Turn("Ann", "I moved to Oslo in 2020."), Turn("Bo", "I work for Volvo in Malmö.")]
    assert summarise(turns, 50) == "Ann: I moved to Oslo in 2020. Bo: I work for Volvo in Malmö."


def test_stays_within_the_target_but_never_cuts_a_sentence() -> None:
    summary = summarise(TALK, 30)
    assert estimate_tokens(summary) <= 30
    whole = {s for turn in TALK for s in sentences(turn.text)}
    assert all(any(part.strip() in w for w in whole) for part in summary.removeprefix("Jon: ").split(". "))


def test_a_target_too_small_gives_one_whole_sentence() -> None:
    summary = summarise(["I moved to Oslo in 2020 with my family and two dogs."], 2)
    assert summary == "I moved to Oslo in 2020 with my family and two dogs."


def test_empty_and_code_only() -> None:
    assert summarise([], 10) == ""
    assert summarise(["```\nx = 1\n```"], 10) == ""


def test_small_talk_is_told_from_news() -> None:
    assert is_small_talk("Thanks, Maria!")
    assert is_small_talk("How are you?")
    assert is_small_talk("That's awesome, congrats!")
    assert not is_small_talk("I work as a nurse.")
    assert not is_small_talk("We decided to use PostgreSQL.")


@given(st.lists(st.text(alphabet="abc de. !?\n1A", max_size=60), max_size=8), st.integers(1, 60))
def test_is_deterministic_and_bounded(texts: list[str], target: int) -> None:
    summary = summarise(texts, target)
    assert summary == summarise(texts, target)
    longest = max((estimate_tokens(s) for text in texts for s in sentences(text)), default=0)
    assert estimate_tokens(summary) <= max(target, longest)

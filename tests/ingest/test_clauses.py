import pytest

from recollect.ingest.rules.clauses import MAX_SENTENCE, clauses, expand
from recollect.ingest.rules.guards import is_hypothesis, quotes_somebody, standing
from recollect.ingest.rules.person import others, possessive, tell
from recollect.ingest.rules.predicates import parse


def texts(sentence: str) -> list[str]:
    return [clause.text for clause in clauses(sentence)]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("I lived in Ohio, but now I'm in Texas.", ["I lived in Ohio", "I am in Texas"]),
        ("Oh wow, Gina, I lost my job!", ["I lost my job"]),
        ("I work for a dealer and love shopping.", ["I work for a dealer", "I love shopping"]),
        ("I like to watch TV and play games.", ["I like to watch TV and play games"]),
        ("My name is Alex, what's yours?", ["My name is Alex"]),
        ("Do you like tea?", []),
        ("My wife and I moved.", ["My wife and I moved"]),
        ("I am not a fan but I like it", ["I am not a fan", "I like it"]),
    ],
)
def test_a_sentence_falls_into_statements(sentence: str, expected: list[str]) -> None:
    assert texts(sentence) == expected


def test_a_time_in_front_is_kept_apart() -> None:
    (clause,) = clauses("Last Friday, I hiked with friends.")
    assert (clause.text, clause.time) == ("I hiked with friends", "Last Friday")


def test_corrections_and_hedges_are_noticed() -> None:
    assert clauses("Actually, I live in Rome.")[0].correction
    assert clauses("I probably prefer tea.")[0].hedged
    plain = clauses("I prefer tea.")[0]
    assert not plain.correction
    assert not plain.hedged


def test_a_sentence_longer_than_any_sentence_is_left_alone() -> None:
    assert clauses("I like " + "x" * MAX_SENTENCE) == []


def test_contractions_are_written_out() -> None:
    assert expand("I’m sure we've won, I don't and can't") == "I am sure we have won, I do not and can not"


@pytest.mark.parametrize(
    ("after", "tense", "negated", "lemma", "rest"),
    [
        ("have always wanted to travel", "perfect", False, "want", "to travel"),
        ("do not like chicken", "present", True, "like", "chicken"),
        ("am also really into tea", "present", False, "be", "into tea"),
        ("am starting a studio", "progressive", False, "start", "a studio"),
        ("am going to move", "future", False, "move", ""),
        ("am going to the beach", "progressive", False, "go", "to the beach"),
        ("used to play chess", "habit", False, "play", "chess"),
        ("lost my job", "past", False, "lose", "my job"),
        ("have been to Rome", "perfect", False, "be", "to Rome"),
        ("no longer work here", "present", True, "work", "here"),
        ("do like tea", "present", False, "like", "tea"),
        ("do yoga", "present", False, "do", "yoga"),
        ("would rather use vim", "modal", False, "use", "vim"),
    ],
)
def test_the_verb_group_is_read(after: str, tense: str, negated: bool, lemma: str, rest: str) -> None:
    p = parse(after)
    assert p is not None
    assert (p.tense, p.negated, p.lemma, p.after) == (tense, negated, lemma, rest)


@pytest.mark.parametrize(
    ("after", "told"),
    [
        ("lost my job", "Jon lost their job"),
        ("do not like it when I am late", "Jon does not like it when they are late"),
        ("also try my best", "Jon tries their best"),
        ("do like tea", "Jon likes tea"),
        ("was there in World War I", "Jon was there in World War I"),
    ],
)
def test_a_clause_is_told_of_somebody(after: str, told: str) -> None:
    p = parse(after)
    assert p is not None
    assert tell("Jon", p) == told


def test_words_of_the_first_person_change_and_names_do_not() -> None:
    assert others("my dog and me") == "their dog and them"
    assert others("The Last of Us") == "The Last of Us"
    assert possessive("James") == "James'"


@pytest.mark.parametrize(
    ("clause", "kept"),
    [
        ("love tea because it is warm", "love tea"),
        ("love it", None),
        ("love that movie", None),
        ("like stories that end well", "like stories that end well"),
        ("want to help you", None),
        ("went there", None),
        ("have one too", None),
        ("like my job too", "like my job"),
    ],
)
def test_what_leans_on_the_talk_is_cut_or_dropped(clause: str, kept: str | None) -> None:
    found = standing(clause.split(), 2)
    assert (" ".join(found) if found else None) == kept


def test_hypotheses_and_quotations_are_told_from_statements() -> None:
    assert is_hypothesis("I might move")
    assert is_hypothesis("if I were rich")
    assert not is_hypothesis("I would love to go to Rome")
    assert quotes_somebody('He said "I hate mornings a lot".')
    assert not quotes_somebody('We played "Walking Dead" again.')

from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from recollect.ingest.rules.candidate import Candidate, Said
from recollect.ingest.rules.extract import extract
from recollect.ingest.rules.reconcile import MARGIN, MAX_CONFIDENCE, Known, raised, reconcile, same_value

AT = datetime(2025, 3, 12, tzinfo=UTC)


def one(text: str) -> Candidate:
    (found,) = extract(Said(text, AT))
    return found


def known(*texts: str) -> list[Known]:
    return [Known.of(one(text), str(number)) for number, text in enumerate(texts)]


def test_alex_al_alexander() -> None:
    held = known("My name is Alex")
    nickname = reconcile(one("Call me Al"), held)
    assert nickname.action == "ignore"
    full = reconcile(one("My full name is Alexander"), held)
    assert (full.action, full.replaces) == ("supersede", ("0",))


def test_nothing_known_is_added() -> None:
    assert reconcile(one("I live in Rome"), []).action == "add"
    assert reconcile(one("I live in Rome"), known("I like tea")).action == "add"


def test_the_same_again_confirms_and_raises_confidence() -> None:
    held = known("I live in Rome.")
    verdict = reconcile(one("I live in rome!"), held)
    assert (verdict.action, verdict.confirms) == ("confirm", "0")
    assert held[0].confidence < verdict.confidence <= MAX_CONFIDENCE


def test_a_newer_value_replaces_the_old_one() -> None:
    assert reconcile(one("I live in Oslo"), known("I live in Rome")).action == "supersede"


def test_a_correction_wins_however_unsure() -> None:
    held = known("My name is Alex")
    weak = replace(one("Call me Al"), correction=True, confidence=0.41)
    assert reconcile(weak, held).action == "supersede"


def test_several_hobbies_stand_side_by_side() -> None:
    assert reconcile(one("I collect hats"), known("I collect stamps")).action == "add"


def test_a_liking_denied_replaces_the_liking() -> None:
    verdict = reconcile(one("I don't like coffee"), known("I like coffee", "I like tea"))
    assert (verdict.action, verdict.replaces) == ("supersede", ("0",))


def test_leaving_an_employer_ends_that_fact_only() -> None:
    verdict = reconcile(one("I no longer work at Acme"), known("I work at Acme"))
    assert (verdict.action, verdict.replaces) == ("supersede", ("0",))
    assert reconcile(one("I no longer work at Acme"), known("I work at Globex")).action == "add"


def test_what_was_true_earlier_does_not_replace_what_is_true_now() -> None:
    held = known("I moved to Berlin last month")
    assert reconcile(one("I moved to Oslo in 2010"), held).action == "ignore"


def test_statements_without_a_key_confirm_or_contradict() -> None:
    held = known("I can play chess")
    assert reconcile(one("I can play chess!"), held).action == "confirm"
    assert reconcile(one("I can't play chess"), held).action == "contradiction"
    assert reconcile(one("I can play poker"), held).action == "add"


def test_other_subjects_are_left_alone() -> None:
    held = [replace(known("I live in Rome")[0], subject="Ann")]
    assert reconcile(one("I live in Oslo"), held).action == "add"


def test_values_are_compared_by_what_they_say() -> None:
    assert same_value("the  Violin", "The violin")
    assert same_value("running", "runs")
    assert not same_value("two dogs", "three dogs")
    assert not same_value("Paris", "Rome")


@given(st.floats(min_value=0, max_value=1), st.floats(min_value=0, max_value=1))
def test_the_margin_decides_between_single_values(old: float, new: float) -> None:
    held = [replace(known("I live in Rome")[0], confidence=old)]
    verdict = reconcile(replace(one("I live in Oslo"), confidence=new), held)
    assert verdict.action == ("ignore" if round(old - new, 6) > MARGIN else "supersede")


@given(st.floats(min_value=0, max_value=1))
def test_confidence_rises_but_never_to_certainty(confidence: float) -> None:
    assert confidence <= raised(confidence) <= max(confidence, MAX_CONFIDENCE)

import pytest

from recollect.ingest.rules.keys import relation_key, slug, subject_key
from recollect.ingest.rules.relations import Relation, ask, read_relation


@pytest.mark.parametrize(
    ("sentence", "subject", "key", "value"),
    [
        ("The chairperson of Fatah is Mahmoud Abbas.", "Fatah", "chairperson", "Mahmoud Abbas"),
        ("Ann Lee is married to Bo Ek.", "Ann Lee", "partner", "Bo Ek"),
        ("Ann Lee works in the field of biology.", "Ann Lee", "works_field", "biology"),
        ("Ann Lee was born in the city of Oslo.", "Ann Lee", "born_city", "Oslo"),
        ("Macbeth was created by W. Shakespeare.", "Macbeth", "created_by", "W. Shakespeare"),
        ("Ann's child is Bo.", "Ann", "child", "Bo"),
        ("The company that produced X1 is Acme.", "X1", "company_produced", "Acme"),
        ("sumo was created in the country of Japan.", "sumo", "created_country", "Japan"),
        ("The author of Our Mutual Friend is Charles Dickens.", "Our Mutual Friend", "author",
         "Charles Dickens"),
    ],
)  # fmt: skip
def test_relations_are_read(sentence: str, subject: str, key: str, value: str) -> None:
    found = read_relation(sentence)
    assert found is not None
    assert (found.subject, found.key, found.value) == (subject, key, value)


@pytest.mark.parametrize(
    "sentence",
    [
        "It was created by magic.",
        "The problem of my life is time.",
        "Family is everything to me.",
        "Paris is beautiful.",
        "The author of Hamlet might be Bacon.",
        "Macbeth was not created by Bacon.",
        "Is the capital of France Paris?",
        "The one session that really stood out was about breathing.",
    ],
)
def test_talk_is_no_relation(sentence: str) -> None:
    assert read_relation(sentence) is None


def test_old_and_new_statements_share_their_key() -> None:
    old = read_relation("The CEO of Acme is Ann Lee.")
    new = read_relation("The chief executive officer of ACME is Bo Ek.")
    assert old is not None
    assert new is not None
    assert old.key == new.key
    assert subject_key(old.subject) == subject_key(new.subject)


def test_a_question_finds_its_relation_and_the_newest_comes_first() -> None:
    known = [
        Relation("Acme", "was founded by", "founded_by", "Ann"),
        Relation("Acme", "was founded in the city of", "founded_city", "Oslo"),
        Relation("Acme", "ceo", "chief_executive_officer", "Bo"),
        Relation("Acme", "ceo", "chief_executive_officer", "Cy"),
        Relation("Acme Labs", "ceo", "chief_executive_officer", "Di"),
    ]
    assert ask("Who founded Acme?", known)[0].value == "Ann"
    assert ask("Where was Acme founded?", known)[0].value == "Oslo"
    assert ask("Who is the CEO of Acme?", known)[0].value == "Cy"
    assert ask("Who is the chief executive officer of Acme Labs?", known)[0].value == "Di"
    assert ask("Who is the CEO of Globex?", known) == []


def test_keys_are_readable() -> None:
    assert relation_key("was born in the city of") == "born_city"
    assert slug("the Favorite Movies") == "favorite_movie"

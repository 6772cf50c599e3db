from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.models.answers import WrongAnswer, json_schema, read_answer


class Kind(StrEnum):
    FACT = "fact"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Fact:
    text: str = field(metadata={"description": "one sentence"})
    kind: Kind
    importance: float
    certain: bool
    quote: str | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    facts: tuple[Fact, ...]
    mood: Literal["good", "bad"] = "good"
    count: int = 0

    def __post_init__(self) -> None:
        if self.count < 0:
            raise ValueError("count is below zero")


FACT = {"text": "a", "kind": "fact", "importance": 1, "certain": True, "quote": None}


def test_the_schema_says_what_is_read() -> None:
    assert json_schema(Facts) == {
        "type": "object",
        "properties": {
            "facts": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "text": {"type": "string", "description": "one sentence"},
                        "kind": {"type": "string", "enum": ["fact", "note"]},
                        "importance": {"type": "number"},
                        "certain": {"type": "boolean"},
                        "quote": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                    },
                    "required": ["text", "kind", "importance", "certain", "quote"],
                    "additionalProperties": False,
                },
            },
            "mood": {"type": "string", "enum": ["good", "bad"]},
            "count": {"type": "integer"},
        },
        "required": ["facts", "mood", "count"],
        "additionalProperties": False,
    }


def test_a_good_answer_becomes_the_dataclass() -> None:
    answer = read_answer(Facts, {"facts": [FACT], "mood": "bad"})
    assert answer == Facts(facts=(Fact("a", Kind.FACT, 1.0, True, None),), mood="bad")
    assert isinstance(answer.facts[0].importance, float)
    assert isinstance(answer.facts[0].kind, Kind)


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ([], "answer must be an object"),
        ({}, "answer lacks the field 'facts'"),
        ({"facts": {}}, r"answer\.facts must be an array"),
        ({"facts": [], "extra": 1}, "unknown field 'extra'"),
        ({"facts": [], "mood": "so so"}, r"answer\.mood must be one of 'good', 'bad'"),
        ({"facts": [], "mood": ["good"]}, "must be one of"),
        ({"facts": [], "count": True}, r"answer\.count must be of type integer"),
        ({"facts": [], "count": 1.0}, "must be of type integer"),
        ({"facts": [], "count": -1}, "answer: count is below zero"),
        ({"facts": [FACT | {"kind": "guess"}]}, r"answer\.facts\[0\]\.kind must be one of"),
        ({"facts": [FACT | {"importance": float("nan")}]}, "finite"),
        ({"facts": [FACT | {"importance": True}]}, "must be of type number"),
        ({"facts": [FACT | {"quote": 5}]}, r"type string\. Or: .* type null"),
    ],
)
def test_a_wrong_answer_says_where_and_why(value: object, complaint: str) -> None:
    with pytest.raises(WrongAnswer, match=complaint):
        read_answer(Facts, value)


def test_a_type_that_json_cannot_hold_is_a_mistake_of_ours() -> None:
    with pytest.raises(TypeError, match="cannot hold"):
        json_schema(bytes)
    with pytest.raises(TypeError, match="cannot hold"):
        read_answer(bytes, b"")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["facts", "mood", "count", "text", "kind"]), inner, max_size=4)
    ),
    max_leaves=10,
)


@given(JSON)
def test_any_json_is_read_or_refused(value: object) -> None:
    with suppress(WrongAnswer):
        assert isinstance(read_answer(Facts, value), Facts)

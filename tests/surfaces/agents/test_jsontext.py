"""Editing JSON as text: the value changes as it should, and nothing else does."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect import InvalidInput
from recollect.surfaces.agents import jsontext

NAMES = st.text('abc"\\/é\n', max_size=3)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=10,
)
OBJECTS = st.dictionaries(NAMES, VALUES, max_size=4)
STYLES = st.sampled_from([None, 0, 2, 4, "\t"])


def written(held: Any, indent: Any, end: str = "\n") -> str:
    return json.dumps(held, indent=indent) + end


@given(OBJECTS, STYLES, NAMES, VALUES)
def test_a_member_is_set_and_taken_out_again(
    held: dict[str, Any], indent: Any, name: str, value: Any
) -> None:
    text = written(held, indent)
    made = jsontext.put(text, [name], value)
    assert json.loads(made) == {**held, name: value}
    assert list(json.loads(made)) == list({**held, name: value}), "the order is kept"
    if name not in held:
        assert jsontext.remove(made, [name]) == text or not held, "taken out, not a byte differs"
    rest = {other: inner for other, inner in held.items() if other != name}
    assert json.loads(jsontext.remove(made, [name])) == rest


@given(OBJECTS, STYLES, st.lists(NAMES, min_size=1, max_size=3), VALUES)
def test_a_deep_member_is_set_or_refused(
    held: dict[str, Any], indent: Any, path: list[str], value: Any
) -> None:
    inner: Any = held
    for name in path[:-1]:
        inner = inner.get(name, {}) if isinstance(inner, dict) else None
    text = written(held, indent)
    if not isinstance(inner, dict):
        with pytest.raises(InvalidInput, match="is not an object"):
            jsontext.put(text, path, value)
        return
    found = json.loads(jsontext.put(text, path, value))
    for name in path:
        found = found[name]
    assert found == value


@given(OBJECTS, STYLES, st.lists(VALUES, max_size=4), VALUES)
def test_items_are_added_and_taken_out(
    held: dict[str, Any], indent: Any, items: list[Any], value: Any
) -> None:
    text = written({**held, "list": items}, indent)
    longer = jsontext.append(text, ["list"], value)
    assert json.loads(longer) == {**held, "list": [*items, value]}
    for place in range(len(items) + 1):
        kept = [*items, value][:place] + [*items, value][place + 1 :]
        assert json.loads(jsontext.remove(longer, ["list", place])) == {**held, "list": kept}
    if items:
        assert jsontext.remove(longer, ["list", len(items)]) == text


COMMENTED = """{
    // who wrote this: a person
    "theme": "dark", /* not light */
    "hooks": {
        "Stop": [
            {"command": "say done"}, // loud
        ],
    },
    "last": [1, 2], // two
}
"""


def test_comments_and_trailing_commas_stay() -> None:
    made = jsontext.append(COMMENTED, ["hooks", "Stop"], {"command": "x"})
    made = jsontext.put(made, ["mcpServers", "recollect"], {"command": "r"})
    assert jsontext.read(made) == {
        "theme": "dark",
        "hooks": {"Stop": [{"command": "say done"}, {"command": "x"}]},
        "last": [1, 2],
        "mcpServers": {"recollect": {"command": "r"}},
    }
    for line in COMMENTED.splitlines():
        assert line in made
    back = jsontext.remove(jsontext.remove(made, ["mcpServers"]), ["hooks", "Stop", 1])
    assert jsontext.read(back) == jsontext.read(COMMENTED)
    for remark in ("// who wrote this: a person", "/* not light */", "// loud", "// two"):
        assert remark in back


def test_the_style_of_the_file_is_kept() -> None:
    assert jsontext.put('{\n\t"a": 1\n}', ["b"], {"c": 2}) == '{\n\t"a": 1,\n\t"b": {\n\t\t"c": 2\n\t}\n}'
    assert jsontext.put('{"a": 1}', ["b"], 2) == '{"a": 1, "b": 2}'
    assert jsontext.put("{}", ["a", "b"], 1) == '{\n  "a": {\n    "b": 1\n  }\n}'


def test_line_breaks_and_a_mark_at_the_start_are_kept() -> None:
    text = '\ufeff{\r\n    "a": 1\r\n}\r\n'
    made = jsontext.put(text, ["b"], {"c": 2})
    assert made == '\ufeff{\r\n    "a": 1,\r\n    "b": {\r\n        "c": 2\r\n    }\r\n}\r\n'
    assert jsontext.remove(made, ["b"]) == text


@pytest.mark.parametrize(
    "text", ["", "{", '{"a" 1}', "{1: 2}", "[1 2]", '{"a": nul}', "{} x", "[" * 500, '"\\x"']
)
def test_what_is_not_json_is_told(text: str) -> None:
    with pytest.raises(InvalidInput, match="JSON"):
        jsontext.read(text)

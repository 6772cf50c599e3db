"""Changing a JSON text in one place and leaving every other byte as it is, comments and all.

The configuration files of agents are written by people and by other programs: what is ours is put in or
taken out as text, between spans that a small tolerant reader finds.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from recollect.errors import InvalidInput

Path = Sequence[str | int]
_BLANK = re.compile(r"(?:\s|\ufeff|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_ATOM = re.compile(r"-?\d[\d.eE+-]*|true|false|null")
MAX_DEPTH = 200


@dataclass(slots=True)
class Node:
    """A value and where it stands; `keys` are where the names of an object's members begin."""

    start: int
    end: int
    value: Any
    children: dict[str | int, "Node"] = field(default_factory=dict)
    keys: dict[str | int, int] = field(default_factory=dict)

    def begin(self, name: str | int) -> int:
        """Where a child begins, with its name."""
        return self.keys.get(name, self.children[name].start)


def read(text: str) -> Any:
    """The value of a JSON text that may have comments and trailing commas; InvalidInput if it is none."""
    return _tree(text).value


def put(text: str, path: Path, value: Any) -> str:
    """The text with a member set: replaced where it stands, else added last."""
    node, depth = _tree(text), 0
    while depth < len(path) and path[depth] in node.children:
        node, depth = node.children[path[depth]], depth + 1
    if depth == len(path):
        return text[: node.start] + _written(text, value, depth) + text[node.end :]
    if not isinstance(node.value, dict):
        raise InvalidInput(
            f"{'.'.join(map(str, path[:depth])) or 'the file'} is not an object: mend it first"
        )
    for name in reversed(path[depth + 1 :]):
        value = {name: value}
    return _added(text, node, depth, f"{json.dumps(path[depth])}: ", value)


def append(text: str, path: Path, value: Any) -> str:
    """The text with a value added to the end of an array, which is made where there is none."""
    node, depth = _tree(text), 0
    while depth < len(path) and path[depth] in node.children:
        node, depth = node.children[path[depth]], depth + 1
    if depth < len(path):
        return put(text, path, [value])
    if not isinstance(node.value, list):
        raise InvalidInput(f"{'.'.join(map(str, path))} is not an array: mend it first")
    return _added(text, node, depth, "", value)


def remove(text: str, path: Path) -> str:
    """The text without a member or an item, and without a comma that is no longer needed."""
    parent = _tree(text)
    for name in path[:-1]:
        parent = parent.children[name]
    name, names = path[-1], list(parent.children)
    place = names.index(name)
    begin, end = parent.begin(name), parent.children[name].end
    start = len(text[:begin].rstrip())
    comma = _comma(text, end)
    if comma is not None:
        end = comma + 1
        if place == 0 and len(names) > 1:  # what follows moves up to where this one stood
            return text[:begin] + text[parent.begin(names[1]) :]
    elif place > 0:
        before = _comma(text, parent.children[names[place - 1]].end)
        if before is not None:
            return text[:before] + text[before + 1 : start] + text[end:]
    rest = text[:start] + text[end:]
    inside = rest[parent.start + 1 : start + parent.end - end - 1]
    return (
        rest
        if inside.strip() or len(names) > 1
        else rest[: parent.start + 1] + rest[start + parent.end - end - 1 :]
    )


def _added(text: str, node: Node, depth: int, name: str, value: Any) -> str:
    """A child added at the end, in the style of its siblings."""
    close = node.end - 1
    last = len(text[:close].rstrip())
    inline = node.children and "\n" not in text[node.start : close]
    if inline:
        made = name + json.dumps(value, ensure_ascii=False)
    else:
        step = _unit(text)
        made = _break(text) + step * (depth + 1) + name + _written(text, value, depth + 1)
    if not node.children:
        tail = _break(text) + _unit(text) * depth
        return text[:last] + made + tail + text[close:]
    end = list(node.children.values())[-1].end
    comma = "" if _comma(text, end) is not None else ","
    gap = " " if inline else ""
    return text[:end] + comma + text[end:last] + gap + made + text[last:]


def _written(text: str, value: Any, depth: int) -> str:
    step = _unit(text)
    written = json.dumps(value, ensure_ascii=False, indent=step)
    return written.replace("\n", _break(text) + step * depth)


def _break(text: str) -> str:
    """How the text breaks its lines."""
    return "\r\n" if "\r\n" in text else "\n"


def _unit(text: str) -> str:
    """The indentation of one level, as the text has it."""
    found = re.search(r"[{\[][ \t]*\r?\n([ \t]+)\S", text)
    return found[1] if found else "  "


def _comma(text: str, end: int) -> int | None:
    """Where the comma after a value is, if there is one."""
    at = _skip(text, end)
    return at if text[at : at + 1] == "," else None


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _tree(text: str) -> Node:
    node = _node(text, _skip(text, 0), 0)
    if _skip(text, node.end) != len(text):
        raise _wrong(text, node.end)
    return node


def _node(text: str, at: int, depth: int) -> Node:
    if depth > MAX_DEPTH:
        raise InvalidInput(f"the JSON is nested more than {MAX_DEPTH} levels deep")
    first = text[at : at + 1]
    if first in ("{", "["):
        return _container(text, at, depth, "}" if first == "{" else "]")
    found = _STRING.match(text, at) if first == '"' else _ATOM.match(text, at)
    if found is None:
        raise _wrong(text, at)
    try:
        return Node(at, found.end(), json.loads(found[0]))
    except ValueError:
        raise _wrong(text, at) from None


def _container(text: str, start: int, depth: int, close: str) -> Node:
    node = Node(start, start, {} if close == "}" else [])
    at = _skip(text, start + 1)
    while text[at : at + 1] != close:
        name: str | int = len(node.children)
        if close == "}":
            named = _node(text, at, depth + 1)
            if not isinstance(named.value, str):
                raise _wrong(text, at)
            name = named.value
            node.keys[name] = at
            at = _skip(text, named.end)
            if text[at : at + 1] != ":":
                raise _wrong(text, at)
            at = _skip(text, at + 1)
        child = _node(text, at, depth + 1)
        node.children[name] = child
        if close == "}":
            node.value[name] = child.value
        else:
            node.value.append(child.value)
        at = _skip(text, child.end)
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
        elif text[at : at + 1] != close:
            raise _wrong(text, at)
    node.end = at + 1
    return node


def _wrong(text: str, at: int) -> InvalidInput:
    line = text.count("\n", 0, at) + 1
    return InvalidInput(f"it is not JSON at line {line}: {text[at : at + 20]!r}; mend it first")

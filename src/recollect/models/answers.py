"""Answers as dataclasses: their JSON schema for the model, and a strict reading of what came back.

Understood are str, int, float, bool, None, Literal, enums of strings, lists, tuples of one type,
unions, and dataclasses of these. A field with a default may be missing; an unknown one may not be
there. A field's metadata may hold a `description` for the model.
"""

from __future__ import annotations

import dataclasses
import math
import types
from collections.abc import Mapping
from enum import Enum
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

Answer = TypeVar("Answer")

_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}


class WrongAnswer(ValueError):
    """An answer that does not fit its schema; says where and why, for the one who answered."""


def json_schema(kind: Any) -> dict[str, Any]:
    """The JSON schema of a type; every property is required, as strict services demand."""
    if kind in _PLAIN:
        return {"type": _PLAIN[kind]}
    if dataclasses.is_dataclass(kind):
        hints = get_type_hints(kind)
        properties = {}
        for field in dataclasses.fields(kind):
            properties[field.name] = json_schema(hints[field.name])
            if "description" in field.metadata:
                properties[field.name]["description"] = field.metadata["description"]
        return {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }
    if isinstance(kind, type) and issubclass(kind, Enum):
        return {"type": "string", "enum": [member.value for member in kind]}
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        return {"type": "string", "enum": list(arguments)}
    if origin in (list, tuple):
        return {"type": "array", "items": json_schema(arguments[0])}
    if origin in (Union, types.UnionType):
        return {"anyOf": [json_schema(argument) for argument in arguments]}
    raise TypeError(f"An answer cannot hold {kind!r}.")


def read_answer(kind: type[Answer], value: object) -> Answer:
    """The value as that type, or `WrongAnswer`."""
    answer: Answer = _read(kind, value, "answer")
    return answer


def _read(kind: Any, value: object, place: str) -> Any:
    """Read one value; `place` says where it stands."""
    if kind in _PLAIN:
        return _read_plain(kind, value, place)
    if dataclasses.is_dataclass(kind):
        return _read_object(kind, value, place)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(_one_of([member.value for member in kind], value, place))
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        return _one_of(list(arguments), value, place)
    if origin in (list, tuple):
        if not isinstance(value, list):
            raise WrongAnswer(f"{place} must be an array.")
        return origin(_read(arguments[0], item, f"{place}[{i}]") for i, item in enumerate(value))
    if origin in (Union, types.UnionType):
        return _read_union(arguments, value, place)
    raise TypeError(f"An answer cannot hold {kind!r}.")


def _read_plain(kind: Any, value: object, place: str) -> object:
    if kind is float and type(value) is int:
        return float(value)
    if type(value) is not kind:
        raise WrongAnswer(f"{place} must be of type {_PLAIN[kind]}.")
    if isinstance(value, float) and not math.isfinite(value):
        raise WrongAnswer(f"{place} must be a finite number.")
    return value


def _read_object(kind: Any, value: object, place: str) -> object:
    if not isinstance(value, Mapping):
        raise WrongAnswer(f"{place} must be an object.")
    fields = {field.name: field for field in dataclasses.fields(kind)}
    unknown = sorted(set(value) - set(fields))
    if unknown:
        raise WrongAnswer(f"{place} has an unknown field {unknown[0]!r}.")
    hints = get_type_hints(kind)
    given: dict[str, Any] = {}
    for name, field in fields.items():
        if name in value:
            given[name] = _read(hints[name], value[name], f"{place}.{name}")
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            raise WrongAnswer(f"{place} lacks the field {name!r}.")
    try:
        return kind(**given)
    except ValueError as error:  # what the dataclass itself forbids
        raise WrongAnswer(f"{place}: {error}") from error


def _one_of(allowed: list[Any], value: object, place: str) -> object:
    if not isinstance(value, str) or value not in allowed:
        raise WrongAnswer(f"{place} must be one of {', '.join(map(repr, allowed))}.")
    return value


def _read_union(kinds: tuple[Any, ...], value: object, place: str) -> object:
    reasons = []
    for kind in kinds:
        try:
            return _read(kind, value, place)
        except WrongAnswer as error:
            reasons.append(str(error))
    raise WrongAnswer(" Or: ".join(reasons))

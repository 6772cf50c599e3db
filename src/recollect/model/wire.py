"""Values as plain JSON and back: what exports, `--json` and the servers speak."""

import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import UTC, datetime
from enum import Enum
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from recollect.errors import InvalidInput

T = TypeVar("T")


def encoded(value: Any) -> Any:
    """A value as JSON types: values become objects, times ISO 8601 in UTC."""
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: encoded(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if isinstance(value, Mapping):
        return {str(key): encoded(held) for key, held in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [encoded(held) for held in value]
    return value


def decoded(kind: type[T], data: Any) -> T:
    """A value of a type from its JSON form; InvalidInput names the field that does not fit."""
    if not isinstance(data, Mapping):
        raise InvalidInput(f"a {kind.__name__} must be an object, not {type(data).__name__}")
    hints, required = _shape(kind)  # type: ignore[arg-type]
    unknown = sorted(data.keys() - hints.keys())
    if unknown:
        raise InvalidInput(f"a {kind.__name__} has no field {unknown[0]!r}")
    lacking = sorted(required - data.keys())
    if lacking:
        raise InvalidInput(f"a {kind.__name__} needs {lacking[0]!r}")
    return kind(**{name: _part(hints[name], held, f"{kind.__name__}.{name}") for name, held in data.items()})


@cache
def _shape(kind: type) -> tuple[dict[str, Any], frozenset[str]]:
    hints = get_type_hints(kind)
    known = fields(kind)
    required = (f.name for f in known if f.default is MISSING and f.default_factory is MISSING)
    return {f.name: hints[f.name] for f in known}, frozenset(required)


def _part(hint: Any, data: Any, where: str) -> Any:
    """One field by its annotation."""
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        if data is None:
            return None
        options = [option for option in get_args(hint) if option is not type(None)]
        return _part(options[0] if len(options) == 1 else _fitting(options, data, where), data, where)
    if origin in (tuple, list):
        if not isinstance(data, list):
            raise InvalidInput(f"{where} must be a list, not {type(data).__name__}")
        return origin(_part(get_args(hint)[0], held, where) for held in data)
    if origin in (dict, Mapping) or hint is dict:
        if not isinstance(data, dict):
            raise InvalidInput(f"{where} must be an object, not {type(data).__name__}")
        return data
    return _leaf(hint, data, where)


def _fitting(options: list[Any], data: Any, where: str) -> Any:
    """The value out of several whose fields are those of the data."""
    for option in options:
        if isinstance(data, Mapping) and is_dataclass(option) and _shape(option)[0].keys() == data.keys():  # type: ignore[arg-type]
            return option
    raise InvalidInput(f"{where} is none of {', '.join(option.__name__ for option in options)}")


def _leaf(hint: Any, data: Any, where: str) -> Any:
    if is_dataclass(hint):
        return decoded(hint, data)  # type: ignore[arg-type]
    if hint is Any:
        return data
    try:
        if hint is datetime:
            at = datetime.fromisoformat(data)
            if at.tzinfo is None:
                raise InvalidInput(f"{where} has no time zone: write it as 2026-01-31T12:00:00Z")
            return at
        if isinstance(hint, type) and issubclass(hint, Enum):
            return hint(data)
    except (TypeError, ValueError):
        raise InvalidInput(f"{where}: {str(data)[:60]!r} does not fit") from None
    if hint is float and isinstance(data, int) and not isinstance(data, bool):
        return float(data)
    if not isinstance(data, hint) or (isinstance(data, bool) and hint is not bool):
        raise InvalidInput(f"{where} must be {hint.__name__}, not {type(data).__name__}")
    return data

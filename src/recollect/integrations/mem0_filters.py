"""mem0's filters: field comparisons joined by AND, OR and NOT, judged on one memory at a time."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from recollect.errors import InvalidInput

IDS = ("user_id", "agent_id", "run_id")


def _ordered(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    """A comparison that is false, not an error, between things that have no order."""

    def judged(held: Any, given: Any) -> bool:
        try:
            return held is not None and compare(held, given)
        except TypeError:
            return False

    return judged


OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda held, given: bool(held == given),
    "ne": lambda held, given: bool(held != given),
    "in": lambda held, given: held in given,
    "nin": lambda held, given: held not in given,
    "gt": _ordered(lambda held, given: bool(held > given)),
    "gte": _ordered(lambda held, given: bool(held >= given)),
    "lt": _ordered(lambda held, given: bool(held < given)),
    "lte": _ordered(lambda held, given: bool(held <= given)),
    "contains": _ordered(lambda held, given: given in held),
    "icontains": _ordered(lambda held, given: str(given).lower() in str(held).lower()),
}
JOINS: dict[str, Callable[[Iterator[bool]], bool]] = {
    "AND": all,
    "OR": any,
    "NOT": lambda judged: not any(judged),
}


def fits(filters: Mapping[str, Any], shown: Mapping[str, Any]) -> bool:
    """Whether a memory, as mem0 shows it with its metadata flat, fits every part of a filter."""
    return all(_part(name, given, shown) for name, given in filters.items())


def ids_in(filters: Mapping[str, Any]) -> dict[str, str]:
    """The ids that a filter demands for sure: at the top or within AND, as plain values."""
    found: dict[str, str] = {}
    for part in _listed(filters.get("AND", [])):
        found |= ids_in(part)
    for name in IDS:
        given = filters.get(name)
        if isinstance(given, Mapping):
            given = given.get("eq")
        if isinstance(given, str) and given != "*":
            found[name] = given
    return found


def names(filters: Mapping[str, Any]) -> Iterator[str]:
    """Every field a filter speaks of."""
    for name, given in filters.items():
        if name in JOINS:
            for part in _listed(given):
                yield from names(part)
        else:
            yield name


def _part(name: str, given: Any, shown: Mapping[str, Any]) -> bool:
    if name in JOINS:
        return JOINS[name](fits(part, shown) for part in _listed(given))
    held = shown.get(name)
    if given == "*":
        return held is not None
    if not isinstance(given, Mapping):
        return held in given if isinstance(given, list) else bool(held == given)
    for operator in given:
        if operator not in OPERATORS:
            raise InvalidInput(f"filter {name}: no operator {operator!r}; known are: {', '.join(OPERATORS)}")
    return all(OPERATORS[operator](held, against) for operator, against in given.items())


def _listed(parts: Any) -> list[Mapping[str, Any]]:
    listed = parts if isinstance(parts, list) else [parts]
    if not all(isinstance(part, Mapping) for part in listed):
        raise InvalidInput("AND, OR and NOT take a list of filters, such as {'AND': [{'user_id': 'alex'}]}")
    return listed

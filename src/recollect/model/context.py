"""Context: what an assistant receives for one turn, with the receipt of how it was chosen."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple


class Format(StrEnum):
    """How a context is written down."""

    TEXT = "text"
    MARKDOWN = "markdown"
    XML = "xml"
    JSON = "json"
    CHAT = "chat"


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """One thing that was taken: its short ref, at which level, and why."""

    ref: str
    id: str
    kind: str
    section: str
    level: str
    tokens: int
    why: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """One thing that was considered and left out, and why."""

    id: str
    kind: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One section as it came out: what it was allotted, what it uses, and its text."""

    name: str
    allotted: int
    tokens: int
    items: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Text for a prompt within a token budget. `exact` says whether the count is the model's own.

    With format `chat` the promise is kept for `messages()`: the sum over its messages, with what each
    costs to frame. `text` is then the part that goes into the system message.
    """

    id: str
    layout: str
    format: Format
    text: str
    tokens: int
    budget: int
    tokenizer: str
    exact: bool
    made_at: datetime
    query: str | None = None
    sections: tuple[Part, ...] = ()
    taken: tuple[Taken, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    warnings: tuple[str, ...] = ()
    turns: tuple[tuple[str, str], ...] = ()

    def messages(self) -> list[dict[str, str]]:
        """The context as chat messages: a system message, and with format `chat` the turns after it."""
        system = [{"role": "system", "content": self.text}] if self.text else []
        return system + [{"role": role, "content": content} for role, content in self.turns]

    def ids(self) -> tuple[str, ...]:
        """The ids of everything taken."""
        return tuple(dict.fromkeys(taken.id for taken in self.taken))


@dataclass(frozen=True, slots=True, kw_only=True)
class Expansion:
    """One entry of a context in full, with its sources, as far as the budget goes."""

    ref: str
    id: str
    kind: str
    text: str
    tokens: int
    sources: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """Which memories of a context were used and which were passed over, by id, and why."""

    context: str
    cited: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    why: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What is remembered of a context: which item stood behind which ref, and hashes of what was asked."""

    id: str
    space: str
    made_at: datetime
    asked: tuple[int, ...]
    items: tuple["ShownItem", ...]


class ShownItem(NamedTuple):
    """An item behind a ref; `standing` ones are always loaded, so passing them over says nothing."""

    ref: str
    id: str
    kind: str
    standing: bool


Signals = Mapping[str, Any]
"""What is going on: current_file, recent_errors, activity, branch."""

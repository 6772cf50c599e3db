"""Layouts: which sections a context has, what fills them, and how they share the budget. They are data.

First the sections with a fixed size are set aside: `tokens`, but never more than `share` of the budget
where both are given. The others divide what is left by their shares. What a section does not need flows
on, first to the sections that `flow` names, in that order.
"""

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import Any

from recollect.errors import InvalidInput
from recollect.model.record import Kind, Level


class Fill(StrEnum):
    """Where a section's contents come from."""

    STANDING = "standing"
    CONTRADICTIONS = "contradictions"
    ERRORS = "errors"
    RECALLED = "recalled"
    LISTED = "listed"
    FACTS = "facts"
    RECENT = "recent"
    CHUNKS = "chunks"
    INDEX = "index"
    RESERVE = "reserve"


class Style(StrEnum):
    """The frame of the plain text: fenced, or one of the two older injection formats."""

    FENCED = "fenced"
    PROFILE = "profile"
    APP = "app"


ITEMS = ("message", "chunk", "memory")


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One section. A higher `priority` chooses first; the order in the layout is the order of the text.

    One with a fixed size is set aside only where the budget is at least `above`: a smaller one is meant
    for memory alone. `kinds` and `items` narrow what `recalled` and `listed` bring, `level` is the largest
    level used and `limit` the most items.
    """

    name: str
    fill: tuple[Fill, ...]
    share: float | None = None
    tokens: int | None = None
    above: int = 0
    priority: float = 0.5
    title: str = ""
    kinds: tuple[Kind, ...] = ()
    items: tuple[str, ...] = ()
    level: Level = Level.FULL
    limit: int | None = None

    @property
    def fixed(self) -> bool:
        """Whether it is set aside before the others divide the rest."""
        return self.tokens is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Sections in the order of the text, the budget they are made for, and who takes what is left over.

    `recipe` is how its recall ranks; else as fits the embedder.
    """

    name: str
    sections: tuple[Section, ...]
    budget: int = 8_000
    flow: tuple[str, ...] = ()
    style: Style = Style.FENCED
    profiles: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    recipe: str | None = None

    def __post_init__(self) -> None:
        _check(self)

    @classmethod
    def from_toml(cls, text: str) -> "Layout":
        """A layout written as TOML; InvalidInput names what does not fit."""
        try:
            data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise InvalidInput(f"the layout is not TOML: {error}") from None
        return _from_data(data)

    def during(self, activity: str | None) -> "Layout":
        """The layout with the shares of an activity, where it has a profile of that name."""
        shares = self.profiles.get(activity or "")
        if not shares:
            return self
        moved = tuple(replace(s, share=shares.get(s.name, s.share)) for s in self.sections)
        return replace(self, sections=moved)

    def allotments(self, budget: int) -> dict[str, int]:
        """The tokens of every section, before anything flows."""
        given = {s.name: _fixed(s, budget) for s in self.sections if s.fixed}
        rest = max(0, budget - sum(given.values()))
        for s in self.sections:
            if not s.fixed:
                given[s.name] = int(rest * (s.share or 0.0) + 1e-6)
        return given

    def takers(self) -> list[Section]:
        """The sections that take what is left over, in order."""
        by_name = {s.name: s for s in self.sections}
        named = [by_name[name] for name in self.flow]
        others = sorted((s for s in self.sections if s.name not in self.flow), key=lambda s: -s.priority)
        return [s for s in named + others if Fill.RESERVE not in s.fill]


def _fixed(section: Section, budget: int) -> int:
    tokens = section.tokens or 0
    if budget < section.above:
        return 0
    return tokens if section.share is None else min(tokens, int(budget * section.share))


def layout_of(given: "str | Layout") -> Layout:
    """A layout by its name, or itself."""
    if isinstance(given, Layout):
        return given
    try:
        return LAYOUTS[given]
    except (KeyError, TypeError):
        raise InvalidInput(
            f"no layout {str(given)[:60]!r}: choose one of {', '.join(LAYOUTS)}, or pass a Layout"
        ) from None


def _check(layout: Layout) -> None:
    """Whether a layout makes sense; the first thing that does not is named with the way out."""
    where = f"layout {layout.name!r}"
    names = [s.name for s in layout.sections]
    if not names:
        raise InvalidInput(f"{where} has no sections: give it at least one")
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise InvalidInput(f"{where} has two sections called {twice!r}: give each its own name")
    if not isinstance(layout.budget, int) or layout.budget < 1:
        raise InvalidInput(f"{where}: the budget must be at least 1 token, not {layout.budget!r}")
    for section in layout.sections:
        _check_section(section, where)
    for activity, shares in {"": {}, **layout.profiles}.items():
        _check_shares(layout, shares, f"{where}, profile {activity!r}" if activity else where)
    for name in layout.flow:
        if name not in names:
            raise InvalidInput(f"{where}: flow names {name!r}, which is no section of it")


def _check_shares(layout: Layout, shares: Mapping[str, float], where: str) -> None:
    names = {s.name: s for s in layout.sections}
    if stray := next((name for name in shares if name not in names), None):
        raise InvalidInput(f"{where}: {stray!r} is no section of it")
    for name, share in shares.items():
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
            raise InvalidInput(f"{where}: the share of {name!r} must be from 0 to 1, not {share!r}")
    total = math.fsum(shares.get(s.name, s.share or 0.0) for s in layout.sections if not s.fixed)
    if total > 1 + 1e-9:
        raise InvalidInput(f"{where}: the shares add up to {total:g}; make them at most 1")


def _check_section(section: Section, where: str) -> None:
    here = f"{where}, section {section.name!r}"
    if not section.name or not section.name.replace("-", "").replace("_", "").isalnum():
        raise InvalidInput(f"{here}: a name has letters, digits, - and _ only")
    if not section.fill:
        raise InvalidInput(f"{here} has no fill: choose from {', '.join(Fill)}")
    if section.share is None and section.tokens is None:
        raise InvalidInput(f"{here} needs a share (0 to 1) or a number of tokens")
    if section.share is not None and not 0 <= section.share <= 1:
        raise InvalidInput(f"{here}: the share must be from 0 to 1, not {section.share!r}")
    if section.tokens is not None and section.tokens < 0:
        raise InvalidInput(f"{here}: tokens must not be negative, not {section.tokens!r}")
    if section.limit is not None and section.limit < 1:
        raise InvalidInput(f"{here}: the limit must be at least 1, not {section.limit!r}")
    if stray := next((item for item in section.items if item not in ITEMS), None):
        raise InvalidInput(f"{here}: items has {stray!r}; choose from {', '.join(ITEMS)}")


def _from_data(data: Mapping[str, Any]) -> Layout:
    known = {f.name for f in fields(Layout)}
    if stray := next((name for name in data if name not in known), None):
        raise InvalidInput(f"a layout has no {stray!r}; it has {', '.join(sorted(known))}")
    for needed in ("name", "sections"):
        if needed not in data:
            raise InvalidInput(f"the layout needs {needed!r}")
    if not isinstance(data["sections"], list):
        raise InvalidInput("the layout's sections are tables: write [[sections]] above each")
    sections = tuple(_section(raw, str(data["name"])) for raw in data["sections"])
    rest = {name: held for name, held in data.items() if name not in ("sections", "flow", "style")}
    if not isinstance(rest.get("profiles", {}), Mapping):
        raise InvalidInput("the layout's profiles are tables: write [profiles.debugging]")
    style = _member(Style, data.get("style", Style.FENCED), f"layout {data['name']!r}: style")
    return Layout(**rest, sections=sections, flow=tuple(data.get("flow", ())), style=style)


def _section(raw: Any, layout: str) -> Section:
    if not isinstance(raw, Mapping):
        raise InvalidInput("the layout's sections are tables: write [[sections]] above each")
    here = f"layout {layout!r}, section {str(raw.get('name', '?'))!r}"
    known = {f.name for f in fields(Section)}
    if stray := next((name for name in raw if name not in known), None):
        raise InvalidInput(f"{here} has no {stray!r}; it has {', '.join(sorted(known))}")
    if "name" not in raw or "fill" not in raw:
        raise InvalidInput(f"{here} needs a name and a fill")
    for name, kinds in _TYPES.items():
        if name in raw and (isinstance(raw[name], bool) or not isinstance(raw[name], kinds)):
            raise InvalidInput(f"{here}: {name} cannot be {raw[name]!r}")
    fill = [raw["fill"]] if isinstance(raw["fill"], str) else raw["fill"]
    made: dict[str, Any] = dict(raw)
    made["fill"] = tuple(_member(Fill, one, f"{here}: fill") for one in fill)
    made["kinds"] = tuple(_member(Kind, one, f"{here}: kinds") for one in raw.get("kinds", ()))
    made["items"] = tuple(raw.get("items", ()))
    made["level"] = _member(Level, raw.get("level", Level.FULL), f"{here}: level")
    return Section(**made)


_TYPES: dict[str, tuple[type, ...]] = {
    "name": (str,),
    "fill": (str, list),
    "title": (str,),
    "share": (int, float),
    "priority": (int, float),
    "tokens": (int,),
    "above": (int,),
    "limit": (int,),
    "kinds": (list,),
    "items": (list,),
}


def _member(kind: Any, value: Any, where: str) -> Any:
    try:
        return kind(value)
    except ValueError:
        raise InvalidInput(f"{where} has {value!r}; choose from {', '.join(kind)}") from None


_ALWAYS = (Fill.STANDING, Fill.CONTRADICTIONS, Fill.ERRORS)

CHAT = Layout(
    name="chat",
    budget=128_000,
    sections=(
        Section(name="system", fill=(Fill.RESERVE,), tokens=2_000, share=2 / 128, above=16_000),
        Section(name="working", fill=(Fill.RESERVE,), tokens=8_000, share=8 / 128, above=16_000),
        Section(name="standing", fill=_ALWAYS, tokens=2_000, share=0.15, priority=0.95, title="Always"),
        Section(name="recalled", fill=(Fill.RECALLED,), share=0.4, priority=0.8, title="Recalled"),
        Section(name="chunks", fill=(Fill.CHUNKS,), share=0.0, priority=0.5, title="Earlier in this talk"),
        Section(name="recent", fill=(Fill.RECENT,), share=0.6, priority=0.9, title="Now", limit=30),
    ),
    flow=("recent", "recalled", "chunks"),
)
"""Reserves for the system prompt (2K of 128K) and the turn's own work (8K), then recent 60, recalled 40 %."""

TIERS = Layout(
    name="tiers",
    budget=8_000,
    sections=(
        Section(
            name="critical",
            fill=(*_ALWAYS, Fill.RECALLED),
            share=0.25,
            priority=1.0,
            title="Critical",
            kinds=(Kind.DECISION, Kind.CONSTRAINT, Kind.GOAL, Kind.ERROR),
        ),
        Section(
            name="background",
            fill=(Fill.LISTED, Fill.CHUNKS),
            share=0.25,
            priority=0.5,
            title="Background",
            kinds=(Kind.PATTERN, Kind.WORKFLOW, Kind.PROCEDURE, Kind.PREFERENCE, Kind.CONSTRAINT),
            level=Level.SUMMARY,
        ),
        Section(name="relevant", fill=(Fill.RECALLED,), share=0.375, priority=0.8, title="Relevant"),
        Section(name="index", fill=(Fill.INDEX,), share=0.125, priority=0.3, title="Index"),
    ),
    flow=("relevant", "critical", "background", "index"),
    profiles={
        "debugging": {"critical": 0.375, "relevant": 0.3125, "background": 0.1875, "index": 0.125},
        "new-feature": {"critical": 0.25, "relevant": 0.375, "background": 0.25, "index": 0.125},
    },
)
"""Four tiers of 8,000 tokens: 2,000, 3,000, 2,000 and 1,000; while debugging 3,000, 2,500, 1,500, 1,000."""

PROFILE = Layout(
    name="profile",
    budget=4_000,
    style=Style.PROFILE,
    sections=(
        Section(name="facts", fill=(Fill.FACTS, *_ALWAYS), share=0.3, priority=1.0, title="User Profile"),
        Section(name="episodes", fill=(Fill.RECALLED,), share=0.4, priority=0.8, title="Recent Context"),
        Section(name="recent", fill=(Fill.RECENT,), share=0.3, priority=0.9, title="Recent Conversation"),
    ),
    flow=("episodes", "facts", "recent"),
)
"""Facts of the user, then episodes that fit the question, then the last turns."""

APP = Layout(
    name="app",
    budget=1_000,
    style=Style.APP,
    sections=(
        Section(
            name="memories",
            fill=(*_ALWAYS, Fill.RECALLED, Fill.LISTED),
            share=1.0,
            title="Memories",
            limit=10,
        ),
    ),
)
"""The dated list: at most ten memories of an app."""

LAYOUTS = {layout.name: layout for layout in (CHAT, TIERS, PROFILE, APP)}

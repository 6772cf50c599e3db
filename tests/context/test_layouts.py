"""Layouts are data: they add up, flow in a defined order, come from TOML, and say what is wrong."""

import pytest

from recollect import Fill, InvalidInput, Layout, Section
from recollect.context.layouts import LAYOUTS, layout_of

OWN = """
name = "support"
budget = 3000
flow = ["cases"]

[[sections]]
name = "rules"
fill = ["standing", "contradictions"]
tokens = 500
share = 0.2

[[sections]]
name = "cases"
fill = "recalled"
share = 0.8
kinds = ["episode", "error"]
level = "summary"

[[sections]]
name = "more"
fill = "index"
share = 0.2

[profiles.outage]
cases = 0.9
more = 0.1
"""


def test_the_chat_layout_divides_a_window_as_designed() -> None:
    given = LAYOUTS["chat"].allotments(128_000)
    assert (given["system"], given["working"], given["standing"]) == (2_000, 8_000, 2_000)
    rest = 128_000 - 12_000
    assert (given["recent"], given["recalled"], given["chunks"]) == (rest * 0.6, rest * 0.4, 0)


@pytest.mark.parametrize(
    ("activity", "tiers"),
    [
        (None, (2000, 3000, 2000, 1000)),
        ("new-feature", (2000, 3000, 2000, 1000)),
        ("debugging", (3000, 2500, 1500, 1000)),
        ("sleeping", (2000, 3000, 2000, 1000)),
    ],
)
def test_tiers_by_activity(activity: str | None, tiers: tuple[int, ...]) -> None:
    given = LAYOUTS["tiers"].during(activity).allotments(8_000)
    assert tuple(given[name] for name in ("critical", "relevant", "background", "index")) == tiers


@pytest.mark.parametrize("name", sorted(LAYOUTS))
@pytest.mark.parametrize("budget", [0, 1, 7, 100, 999, 8_000, 200_000])
def test_sections_never_get_more_than_there_is(name: str, budget: int) -> None:
    assert sum(LAYOUTS[name].allotments(budget).values()) <= budget


def test_a_layout_of_your_own() -> None:
    own = Layout.from_toml(OWN)
    assert own.allotments(3_000) == {"rules": 500, "cases": 2_000, "more": 500}
    assert own.allotments(1_000)["rules"] == 200
    assert own.during("outage").allotments(3_000)["cases"] == 2_250
    assert [s.name for s in own.takers()] == ["cases", "rules", "more"]
    assert layout_of(own) is own


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('name = "support"', "", "needs 'name'"),
        ("name = ", "nme = ", "a layout has no 'nme'"),
        ('level = "summary"', 'level = "tiny"', "section 'cases': level has 'tiny'; choose from full"),
        ('"episode"', '"epsode"', "kinds has 'epsode'"),
        ('fill = "recalled"', 'fill = "magic"', "fill has 'magic'; choose from standing"),
        ('fill = "recalled"', "fill = []", "has no fill"),
        ("share = 0.8", "share = 0.9", "shares add up to 1.1"),
        ("share = 0.8", "share = 1.8", "share must be from 0 to 1"),
        ("share = 0.8", 'share = "much"', "share cannot be 'much'"),
        ("share = 0.8", "", "needs a share"),
        ("share = 0.8", "shair = 0.8", "has no 'shair'"),
        ('flow = ["cases"]', 'flow = ["case"]', "flow names 'case'"),
        ('name = "more"', 'name = "cases"', "two sections called 'cases'"),
        ('name = "more"', 'name = "a b"', "letters, digits"),
        ("budget = 3000", "budget = 0", "at least 1 token"),
        ("tokens = 500", "tokens = -1", "must not be negative"),
        ("cases = 0.9", "case = 0.9", "'case' is no section"),
        ("cases = 0.9", "cases = 1.0", "add up to 1.1"),
        ('level = "summary"', "limit = 0", "limit must be at least 1"),
        ('level = "summary"', 'items = ["cat"]', "items has 'cat'"),
        ("[[sections]]", "[sections", "not TOML"),
    ],
)
def test_what_is_wrong_is_named(old: str, new: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        Layout.from_toml(OWN.replace(old, new, 1))


def test_layouts_need_sections_and_names_that_exist() -> None:
    with pytest.raises(InvalidInput, match="no sections"):
        Layout(name="empty", sections=())
    with pytest.raises(InvalidInput, match="no layout 'chatty': choose one of chat, tiers"):
        layout_of("chatty")
    with pytest.raises(InvalidInput, match="needs a share"):
        Layout(name="bare", sections=(Section(name="a", fill=(Fill.RECALLED,)),))

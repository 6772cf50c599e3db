"""The one table of rights: complete, and refusing what it does not name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect import Forbidden, InvalidInput, Memory, groups
from recollect.apps.verbs import Apps
from recollect.context.verbs import Contexts
from recollect.ingest.verbs import Conversations, Links, Review
from recollect.surfaces.access import ON_DISK, OPERATIONS, TENANT_WIDE, Grant, Right, check, checked_patterns
from recollect.upkeep.inbox import Contradictions
from recollect.upkeep.verbs import Upkeep

DOORS = {
    "": Memory,
    "spaces.": groups.Spaces,
    "conversations.": Conversations,
    "links.": Links,
    "review.": Review,
    "jobs.": groups.Jobs,
    "transfers.": groups.Transfers,
    "contexts.": Contexts,
    "contradictions.": Contradictions,
    "upkeep.": Upkeep,
    "apps.": Apps,
}
LOCAL = {
    "view", "close", "jobs.work", "jobs.stop", "transfers.export_folder", "transfers.load_folder",
    "transfers.load_chats",
}  # fmt: skip
"""Verbs of the process or the disk that they are called on."""


def grant(*spaces: str, rights: str = "read") -> Grant:
    return Grant("t", spaces, frozenset(Right(r) for r in rights.split()), "test")


def test_every_verb_has_its_right() -> None:
    verbs = {
        prefix + name
        for prefix, door in DOORS.items()
        for name, value in vars(door).items()
        if callable(value) and not name.startswith("_")
    }
    assert verbs - LOCAL <= OPERATIONS.keys()
    assert OPERATIONS.keys() >= TENANT_WIDE


@pytest.mark.parametrize("operation", sorted(OPERATIONS))
def test_each_right_opens_what_it_names(operation: str) -> None:
    needed = OPERATIONS[operation]
    for right in Right:
        holder = grant("*", rights=right)
        if right in (needed, Right.ADMIN):
            check(holder, operation, ["user:alex"], host="t")
        else:
            with pytest.raises(Forbidden):
                check(holder, operation, ["user:alex"], host="t")


def test_what_is_not_in_the_table_is_refused() -> None:
    with pytest.raises(Forbidden):
        check(grant("*", rights="admin"), "drop_everything")


@pytest.mark.parametrize("operation", sorted(TENANT_WIDE))
def test_the_whole_tenant_needs_all_spaces(operation: str) -> None:
    with pytest.raises(Forbidden, match="all spaces"):
        check(grant("user:alex", rights="admin"), operation)


@pytest.mark.parametrize("operation", sorted(ON_DISK))
def test_files_of_a_machine_are_for_its_own_tenant(operation: str) -> None:
    for host in (None, "another"):
        with pytest.raises(Forbidden, match="files of the server"):
            check(grant("*", rights="admin"), operation, host=host)


@pytest.mark.parametrize(
    ("pattern", "space", "opens"),
    [
        ("user:alex", "user:alex", True),
        ("user:alex", "user:alexa", False),
        ("user:al%", "user:alex", False),
        ("user:alex", "project:x/user:alex", False),
        ("project:x/*", "project:x/user:alex", True),
        ("project:x/*", "project:x/user:alex/app:y", True),
        ("project:x/*", "project:x", False),
        ("project:x/*", "project:xy/user:alex", False),
        ("*", "system", True),
    ],
)
def test_spaces_are_matched_exactly_or_by_nesting(pattern: str, space: str, opens: bool) -> None:
    assert grant(pattern).covers(space) is opens


@given(st.lists(st.sampled_from(["user:a", "user:b", "project:x", "project:x/user:a"]), unique=True))
def test_a_view_is_open_only_if_each_of_its_spaces_is(view: list[str]) -> None:
    holder = grant("user:a", "project:x/*")
    if all(holder.covers(space) for space in view):
        check(holder, "recall", view)
    else:
        with pytest.raises(Forbidden):
            check(holder, "recall", view)


def test_patterns_are_checked() -> None:
    assert checked_patterns(["user:a", "*", "project:x/*", "user:a"]) == ("user:a", "*", "project:x/*")
    for bad in ([], ["user:*"], ["alex"], ["/*"], ["user:a/*/*"]):
        with pytest.raises(InvalidInput):
            checked_patterns(bad)

"""The contract of the verbs, proved once more through a real server: the same tests, another door."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from clock import Clock
from contract.test_context import *  # noqa: F403
from contract.test_conversations import *  # noqa: F403
from contract.test_links import *  # noqa: F403
from contract.test_memories import *  # noqa: F403
from contract.test_recall import *  # noqa: F403
from contract.test_review import *  # noqa: F403
from contract.test_time import *  # noqa: F403
from recollect import Memory
from recollect.models.fakes import HashEmbedder
from served import served

for elsewhere in (
    "test_what_is_always_loaded_needs_no_resemblance",  # these need the database itself
    "test_erasing_takes_the_contexts_along",
    "test_what_was_shown_together_and_cited_is_counted",
    "test_a_thousand_turns_later_the_beginning_is_known",  # these are long, and no other over the wire
    "test_tiers_are_filled_to_their_shares",
    "test_starting_a_new_feature",
    "test_debugging_an_error",
    "test_a_small_budget_lists_what_could_be_asked_for",
):
    del globals()[elsewhere]


@pytest.fixture
def where(tmp_path: Path) -> str:
    """The server's database; both kinds are behind the same routes, which are tested on both."""
    return str(tmp_path / "memory.db")


@pytest.fixture
def memory(where: str, clock: Clock) -> Iterator[Memory]:
    """The memory of Alex that a server holds, as its client sees it."""
    held = Memory(where, view="user:alex", embedder=HashEmbedder(), clock=clock, background=False)
    with served(held) as server, Memory(server.url, key=server.key("user:alex", "*")) as opened:
        yield opened

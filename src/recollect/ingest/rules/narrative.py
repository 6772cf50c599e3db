"""The arc of a conversation: what happened in each third of it, and what mattered."""

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.ingest.rules.episodes import Episode

KEY_MOMENT = 0.7
"""From this significance on, an episode is a key moment."""


@dataclass(frozen=True, slots=True)
class Narrative:
    """Episodes by thirds of the conversation; key moments stand in their third too."""

    beginning: tuple[Episode, ...]
    middle: tuple[Episode, ...]
    end: tuple[Episode, ...]
    key_moments: tuple[Episode, ...]


def narrative(episodes: Sequence[Episode], turns: int, first: int = 0) -> Narrative:
    """The arc of a conversation of `turns` turns whose first has the number `first`."""
    thirds: tuple[list[Episode], list[Episode], list[Episode]] = ([], [], [])
    for episode in sorted(episodes, key=lambda e: (e.first, e.last)):
        place = (episode.first - first) * 3 // max(turns, 1)
        thirds[max(0, min(2, place))].append(episode)
    ordered = [episode for third in thirds for episode in third]
    key = tuple(e for e in ordered if e.significance >= KEY_MOMENT)
    return Narrative(tuple(thirds[0]), tuple(thirds[1]), tuple(thirds[2]), key)

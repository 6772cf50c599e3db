"""Reembedding: how far a change of embedder has come."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Reembedding:
    """Which embedder serves, which one is to take its place, and how many texts it has and lacks."""

    serving: str | None
    target: str | None
    done: int = 0
    remaining: int = 0

    @property
    def complete(self) -> bool:
        """Whether nothing is on its way."""
        return self.target is None

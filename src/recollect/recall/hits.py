"""What recall answers with."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Hit:
    """A found item: its score, the score's parts, the matched terms and the way it was found.

    Messages with consecutive places follow each other in a conversation. `weight` is the sum of
    the weights behind the score, so that another part can be blended in.
    """

    id: str
    kind: str
    score: float
    scores: dict[str, float] = field(default_factory=dict)
    terms: tuple[str, ...] = ()
    path: str = "direct"
    sources: tuple[str, ...] = ()
    place: int = 0
    weight: float = 1.0

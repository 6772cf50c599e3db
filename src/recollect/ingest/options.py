"""DigestOptions: the numbers by which messages become chunks, facts and episodes."""

from dataclasses import dataclass
from datetime import timedelta

from recollect.errors import SettingsError


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestOptions:
    """How much is kept verbatim, how big chunks are, how sure a fact must be, when silence is an end."""

    promote_at: float = 0.6
    recent_window: int = 20
    chunk_size: int = 10
    max_chunks: int = 10
    idle: timedelta = timedelta(hours=24)

    def __post_init__(self) -> None:
        if not 0 <= self.promote_at <= 1:
            raise SettingsError(f"promote_at must be from 0 to 1, not {self.promote_at:g}")
        if min(self.recent_window, self.chunk_size, self.max_chunks) < 1 or self.idle <= timedelta(0):
            raise SettingsError("recent_window, chunk_size, max_chunks and idle_hours must be above 0")
        if self.chunk_size > self.recent_window:
            raise SettingsError(
                f"chunk_size ({self.chunk_size}) must not exceed recent_window ({self.recent_window}): "
                "a chunk is cut from messages that left the window"
            )

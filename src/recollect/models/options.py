"""How to reach a model that is not in this process."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """Address, key and patience for a remote model; local models need none of it."""

    base_url: str | None = None
    """Where the service is; each provider has its usual address as default."""
    api_key: str | None = field(default=None, repr=False)
    """Sent with every call and shown nowhere."""
    timeout: float = 30.0
    """Seconds that one call may take."""
    batch: int = 64
    """How many texts one embedding call carries."""

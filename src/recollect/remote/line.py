"""Line: a server's client with the view that every request goes through."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from recollect.errors import InvalidInput
from recollect.remote.client import Client, packed


@dataclass(frozen=True, slots=True)
class Line:
    """Who to ask and what to see; without spaces, the server sees what the key opens."""

    client: Client
    spaces: tuple[str, ...]

    def get(self, path: str, **params: Any) -> Any:
        """What a route holds, in this view."""
        return self.client.get(path, **params, view=self.spaces)

    def ask(self, path: str, body: Mapping[str, Any]) -> Any:
        """The answer to a question, in this view."""
        return self.client.ask(path, body, view=self.spaces)

    def write(self, method: str, path: str, body: Mapping[str, Any] | None = None, **params: Any) -> Any:
        """Change something, in this view."""
        return self.client.write(method, path, body, **params, view=self.spaces)

    def follow(self, path: str, body: Mapping[str, Any], tell: Callable[[Any], None]) -> Any:
        """Have long work done, in this view, and hear of it on the way."""
        kind = {"content-type": "application/json"}
        params = {"view": self.spaces}
        return self.client.follow(path, tell, params=params, content=packed(body), headers=kind)


def segment(value: object, safe: str = "") -> str:
    """A part of a path; only text that is not empty can be one."""
    if not isinstance(value, str) or not value:
        raise InvalidInput(f"{value!r} is not a name or an id")
    try:
        return quote(value, safe=safe)
    except UnicodeEncodeError:
        raise InvalidInput(f"{value!r} has a lone surrogate: decode it with errors='replace'") from None

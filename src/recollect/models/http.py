"""JSON over HTTP to a model service: retried where it can help, bounded, careful with the key.

Redirects are not followed, so the key goes only where it was meant to go. Every failure becomes
`ModelUnavailable` with a message that says what happened.
"""

from __future__ import annotations

import email.utils
import ipaddress
import json
import time
import weakref
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from recollect.errors import ModelMissing, ModelUnavailable, SettingsError
from recollect.models.breaker import Breaker

if TYPE_CHECKING:
    import httpx2

ATTEMPTS = 4
"""How often a call is tried that might work the next time."""
LONGEST_WAIT = 20.0
"""Seconds; who asks for a longer pause gets the job back instead of a blocked worker."""
_FIRST_WAIT = 0.5
_MAX_ANSWER = 64 * 2**20
_RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})

Explain = Callable[[int, str], Exception | None]
"""Turns a bad status and what the service said about it into an error, or None for the usual."""


class Endpoint:
    """One model service: an address, the headers that open it, and the patience to wait for it."""

    def __init__(
        self,
        base_url: str,
        *,
        headers: Mapping[str, str] | None = None,
        secret: str | None = None,
        timeout: float = 30.0,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.base_url = _checked(base_url)
        self._headers = {"content-type": "application/json"} | dict(headers or {})
        self._secret = secret
        self._timeout = timeout
        self._sleep = sleep
        self._clock = clock
        self._breaker = Breaker()

    def post(self, path: str, payload: object, explain: Explain | None = None) -> dict[str, Any]:
        """The JSON object that the service answers with; temporary failures are tried again."""
        url = f"{self.base_url}/{path.lstrip('/')}"
        if not self._breaker.admit(self._clock()):
            raise ModelUnavailable(f"{url} failed several times in a row; it is left alone now.")
        worked = False
        try:
            answer = self._patiently(url, payload)
            worked = True
        finally:
            self._breaker.report(worked, self._clock())
        return self._accepted(url, answer, explain)

    def _patiently(self, url: str, payload: object) -> _Answer:
        """The first answer that trying again would not change."""
        trouble = ""
        for attempt in range(ATTEMPTS):
            answer = self._once(url, payload)
            wait = _FIRST_WAIT * 2**attempt
            if isinstance(answer, str):
                trouble = answer
            elif answer.status not in _RETRIED:
                return answer
            else:
                trouble = f"answered {answer.status}{self._said(answer)}"
                wait = wait if answer.retry_after is None else answer.retry_after
            if wait > LONGEST_WAIT:
                raise ModelUnavailable(f"{url} {trouble}; it asks to wait {wait:.0f} s.")
            if attempt + 1 < ATTEMPTS:
                self._sleep(wait)
        raise ModelUnavailable(f"{url} {trouble} (tried {ATTEMPTS} times).")

    @cached_property
    def _client(self) -> httpx2.Client:
        try:
            import httpx2
        except ImportError as error:
            raise ModelMissing("Remote models need httpx2: pip install 'recollect[llm]'") from error
        client = httpx2.Client(
            headers=self._headers, timeout=self._timeout, trust_env=not _is_loopback(self.base_url)
        )
        weakref.finalize(self, client.close)
        return client

    def _once(self, url: str, payload: object) -> _Answer | str:
        """One try: what was answered, or what went wrong on the way."""
        client = self._client
        import httpx2

        deadline = self._clock() + self._timeout
        try:
            with client.stream("POST", url, content=json.dumps(payload).encode()) as response:
                body = bytearray()
                for piece in response.iter_bytes():
                    body += piece
                    if len(body) > _MAX_ANSWER:
                        raise ModelUnavailable(f"{url} answered more than {_MAX_ANSWER} bytes.")
                    if self._clock() > deadline:
                        return f"did not finish its answer within {self._timeout:g} s"
                return _Answer(response.status_code, bytes(body), _retry_after(response.headers))
        except httpx2.TimeoutException:
            return f"did not answer within {self._timeout:g} s"
        except httpx2.ConnectError:
            return "cannot be reached"
        except httpx2.HTTPError as error:
            return f"broke the connection ({type(error).__name__})"

    def _accepted(self, url: str, answer: _Answer, explain: Explain | None) -> dict[str, Any]:
        """The JSON of a good answer; anything else is an error with a reason."""
        if answer.status in (401, 403):
            raise ModelUnavailable(f"{url} refused the API key ({answer.status}): check it.")
        if answer.status != 200:
            said = self._said(answer)
            special = explain(answer.status, said) if explain else None
            raise special or ModelUnavailable(f"{url} answered {answer.status}{said}.")
        parsed = answer.json()
        if not isinstance(parsed, dict):
            raise ModelUnavailable(f"{url} answered something that is not a JSON object.")
        return parsed

    def _said(self, answer: _Answer) -> str:
        """The service's own words about an error, short and without the key."""
        parsed = answer.json()
        error = parsed.get("error") if isinstance(parsed, dict) else None
        message = error.get("message") if isinstance(error, dict) else error
        if not isinstance(message, str) or not message.strip():
            return ""
        if self._secret:
            message = message.replace(self._secret, "[key]")
        return f": {' '.join(message.split())[:200]}"


class _Answer:
    """What came back: status, bytes, and how long the service asks to be left alone."""

    __slots__ = ("body", "retry_after", "status")

    def __init__(self, status: int, body: bytes, retry_after: float | None) -> None:
        self.status = status
        self.body = body
        self.retry_after = retry_after

    def json(self) -> object:
        """The body as JSON, or None if it is not."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None


def _checked(base_url: str) -> str:
    """The address without a trailing slash, if it is one that a key may be sent to."""
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise SettingsError(f"A model's address must start with http:// or https://: {base_url!r}")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise SettingsError("A model's address holds no name, password or query; use the API key.")
    return base_url.rstrip("/")


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """The pause a service asks for: seconds, or a date told by the service's own clock."""
    wanted = headers.get("retry-after", "").strip()
    if not wanted:
        return None
    if wanted.replace(".", "", 1).isdecimal():
        return float(wanted)
    try:
        until = email.utils.parsedate_to_datetime(wanted)
        since = email.utils.parsedate_to_datetime(headers.get("date", ""))
        return max(0.0, (until - since).total_seconds())
    except (TypeError, ValueError):
        return None

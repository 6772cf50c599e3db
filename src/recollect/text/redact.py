"""Secrets out of text before it is stored: keys, tokens, passwords, card numbers, account numbers.

Precision matters as much as recall: a memory full of `[redacted]` is useless. Known key shapes are
taken as they are; anything else needs both a secret's name in front and a value that looks like
one, or a check digit that fits. UUIDs, commit hashes, paths and plain numbers stay.

Every pattern begins at a literal or at the start of a run of its own characters and repeats with
possessive or bounded quantifiers, so the time is linear in the length of the text.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class Secret:
    """What kind of secret stood where in the original text."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Redaction:
    """A text without its secrets, and what was taken out of the original."""

    text: str
    found: tuple[Secret, ...]


_SHAPES: list[tuple[str, str, str]] = [
    ("private key", "PRIVATE", r"-----BEGIN (?P<name>[A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?)-----"),
    (
        "aws key",
        "AKIA|ASIA|AGPA|AROA|AIDA",
        r"(?<![A-Za-z0-9])(?:AKIA|ASIA|AGPA|AROA|AIDA)[0-9A-Z]{16}(?![A-Za-z0-9])",
    ),
    (
        "github token",
        "gh",
        r"(?<![A-Za-z0-9_])(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_\w{60,255})",
    ),
    ("gitlab token", "gl", r"(?<![\w-])gl(?:pat|ptt|dt|rt|cbt)-[\w-]{20,128}"),
    ("slack token", "xox", r"(?<![\w-])xox[abeoprs]-[A-Za-z0-9-]{10,200}"),
    ("slack webhook", "hooks.slack", r"(?<=hooks\.slack\.com/services/)[A-Za-z0-9/]{20,100}"),
    (
        "stripe key",
        "_live_|_test_",
        r"(?<![A-Za-z0-9_])(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,200}",
    ),
    ("anthropic key", "sk-ant-", r"(?<![\w-])sk-ant-[\w-]{20,250}"),
    (
        "openai key",
        "sk-",
        r"(?<![\w-])sk-(?:proj-|svcacct-|admin-)?(?=[\w-]*\d)[A-Za-z0-9][\w-]{30,250}",
    ),
    ("google key", "AIza", r"(?<![\w-])AIza[\w-]{35}(?![\w-])"),
    ("google token", "ya29.", r"(?<![\w.-])ya29\.[\w-]{20,300}"),
    ("npm token", "npm_", r"(?<![A-Za-z0-9_])npm_[A-Za-z0-9]{36}"),
    ("pypi token", "pypi-", r"(?<![\w-])pypi-AgEIcHlwaS5vcmc[\w-]{50,400}"),
    ("hugging face token", "hf_", r"(?<![A-Za-z0-9_])hf_[A-Za-z0-9]{30,100}"),
    ("sendgrid key", "SG.", r"(?<![\w.-])SG\.[\w-]{16,32}\.[\w-]{30,64}"),
    ("twilio key", "SK", r"(?<![A-Za-z0-9])SK[0-9a-f]{32}(?![A-Za-z0-9])"),
    ("telegram token", ":AA", r"(?<![\w:])\d{8,10}:AA[\w-]{32,34}(?![\w-])"),
    ("digitalocean token", "_v1_", r"(?<![A-Za-z0-9_])do[opr]_v1_[0-9a-f]{64}"),
    ("azure key", "AccountKey", r"(?<=AccountKey=)[A-Za-z0-9+/]{40,120}={0,2}"),
    ("age key", "AGE-SECRET", r"(?<![\w-])AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    ("jwt", "eyJ", r"(?<![\w.-])eyJ[\w-]{8,4096}+\.eyJ[\w-]{8,8192}+\.[\w-]{16,2048}"),
]


@cache
def _shapes() -> list[tuple[str, tuple[str, ...], re.Pattern[str]]]:
    """Kind, literal parts and pattern of each shape; one is looked for only where a part of it occurs."""
    return [(kind, tuple(hints.split("|")), re.compile(pattern)) for kind, hints, pattern in _SHAPES]


_BEARER = re.compile(
    r"\b(?:bearer|authorization:\s{0,4}(?:basic|token))\s{1,4}(?P<value>[\w.~+/=-]{16,4096}+)",
    re.IGNORECASE,
)
_URL = re.compile(r"://[^\s:/@?#\"'<>]{0,128}+:(?P<value>[^\s/@\"'<>]{1,256}+)@")
_NAMED = re.compile(
    r"(?:pass(?:word|wd|phrase|code)|\bpwd|\bpasswd|(?:api|access|secret|private|auth|encryption|"
    r"account|signing|master)[ _-]?key|(?:api|access|auth|refresh|bearer|session)[ _-]?token|"
    r"client[ _-]?secret|secret|token|\bpin(?: code)?|credentials?)"
    r"[\"'`\]]{0,2}(?P<link>\s{0,4}(?::=|=>|[:=])\s{0,4}|\s{1,4}(?:is|was|are|to)\s{1,4}:?\s{0,4})"
    r"(?P<quote>[\"'`]?)(?P<value>[^\s\"'`<>{}()\[\],;|\\]{2,512}+)",
    re.IGNORECASE,
)
_NAME_HINTS = ("pass", "pwd", "key", "token", "secret", "pin", "credential")
_TELLTALES = (
    *_NAME_HINTS, "://", "bearer", "authorization", "hooks.slack", "eyj", "aiza", "ya29.", "sg.", ":aa",
)  # fmt: skip
_JOINED = re.compile(
    r"gh[pousr]_|github_pat_|gl(?:pat|ptt|dt|rt|cbt)-|xox[abeoprs]-|_live_|_test_|sk-|npm_|pypi-|hf_|_v1_"
)
_DIGIT = re.compile(r"\d")
_LONG_NUMBER = re.compile(r"\d(?:[ -]?\d){12}")
_CAPITALS = re.compile(r"[A-Z]{2}(?=\d{2}|[0-9A-Za-z]{14})")
"""How an IBAN, an AWS key or a Twilio key begins."""
_CARD = re.compile(r"(?<![\d.,/:_-])(?:\d[ -]?){12,18}\d(?![\d_/])")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b")
_CARD_BRAND = re.compile(
    r"4\d{12}(?:\d{3})?(?:\d{3})?|5[1-5]\d{14}|2(?:2[2-9]|[3-6]\d|7[01])\d{13}|3[47]\d{13}|"
    r"6(?:011|5\d\d|4[4-9]\d)\d{12}|62\d{14,17}|3(?:0[0-5]|[68]\d)\d{11}|35[2-8]\d{13}"
)
_PLACEHOLDER = re.compile(
    r"(?:x+|\*+|\.+|-+|_+|none|null|nil|true|false|required|optional|string|str|text|secret|hidden|"
    r"password|passwd|pwd|token|changeme|example|placeholder|redacted|invalid|incorrect|wrong|"
    r"correct|expired|missing|empty|unknown|undefined|your.*|my.*|the|not|a|an|too|very|set|reset|"
    r"stored|saved|hashed|encrypted|shared|weak|strong|safe|still|now|always|never|being|"
    r"used)[.!?:]*",
    re.IGNORECASE,
)
_REFERENCE = re.compile(
    r"[$%@#&]|os\.|env[.:]|process\.|self\.|this\.|config\.|settings\.|https?:|/|\.{1,2}/|~/"
)
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
_MIN_ENTROPY = 2.5


def redact(text: str) -> Redaction:
    """The text with each secret replaced by `[redacted: kind]`, and where the secrets stood."""
    if not _may_hold_secret(text):
        return Redaction(text, ())
    found = _without_overlaps(sorted(_secrets(text), key=lambda s: (s.start, -s.end)))
    parts: list[str] = []
    at = 0
    for secret in found:
        parts += (text[at : secret.start], f"[redacted: {secret.kind}]")
        at = secret.end
    parts.append(text[at:])
    return Redaction("".join(parts), tuple(found))


def _may_hold_secret(text: str) -> bool:
    """A cheap look that ordinary text does not pass: every pattern has a part that is looked for here."""
    low = text.lower()
    for hint in _TELLTALES:
        if hint in low:
            return True
    if ("_" in low or "-" in low) and _JOINED.search(low):
        return True
    return bool(_DIGIT.search(text) and (_LONG_NUMBER.search(text) or _CAPITALS.search(text)))


def _without_overlaps(ordered: list[Secret]) -> list[Secret]:
    """Overlapping finds become one, named after the first and reaching to the furthest end."""
    kept: list[Secret] = []
    for secret in ordered:
        if kept and secret.start < kept[-1].end:
            last = kept[-1]
            kept[-1] = Secret(last.kind, last.start, max(last.end, secret.end))
        else:
            kept.append(secret)
    return kept


def _secrets(text: str) -> Iterator[Secret]:
    for kind, hints, pattern in _shapes():
        if any(hint in text for hint in hints):
            for match in pattern.finditer(text):
                end = _key_end(text, match) if kind == "private key" else match.end()
                yield Secret(kind, match.start(), end)
    for match in _BEARER.finditer(text):
        if any(c.isdigit() for c in match["value"]):
            yield Secret("bearer token", *match.span("value"))
    for match in _URL.finditer(text):
        if not _REFERENCE.match(match["value"]):
            yield Secret("password", *match.span("value"))
    yield from _named(text)
    for match in _CARD.finditer(text):
        digits = re.sub(r"\D", "", match.group())
        if _CARD_BRAND.fullmatch(digits) and len(set(digits)) > 1 and _luhn(digits):
            yield Secret("card number", *match.span())
    for match in _IBAN.finditer(text):
        if _iban(match.group().replace(" ", "")):
            yield Secret("iban", *match.span())


def _key_end(text: str, begin: re.Match[str]) -> int:
    """The end of a private key block; without its last line, the rest of the text is the key."""
    tail = f"-----END {begin['name']}-----"
    end = text.find(tail, begin.end())
    return len(text) if end < 0 else end + len(tail)


def _named(text: str) -> Iterator[Secret]:
    """Values that follow the name of a secret."""
    low = text.lower()
    if not any(hint in low for hint in _NAME_HINTS):
        return
    for match in _NAMED.finditer(text):
        start, end = match.span("value")
        if match["quote"]:
            closing = text.find(match["quote"], start, start + 512)
            end = end if closing < 0 else closing
        else:
            end -= len(match["value"]) - len(match["value"].rstrip(".!?:"))
        value = text[start:end]
        name = match.group()[: match.start("link") - match.start()].lower()
        assigned = any(c in match["link"] for c in ":=")
        password = name.startswith(("pass", "pwd", "pin", "credential"))
        if len(value) < 3 or _PLACEHOLDER.fullmatch(value) or _REFERENCE.match(value):
            continue
        if text[end : end + 1] == "(":  # a call: password = get_password()
            continue
        if _is_secret(value, password=password, assigned=assigned, quoted=bool(match["quote"])):
            yield Secret("password" if password else "secret", start, end)


def _is_secret(value: str, *, password: bool, assigned: bool, quoted: bool) -> bool:
    """Whether a value after a secret's name looks like the secret itself."""
    digit = any(c.isdigit() for c in value)
    letter = any(c.isalpha() for c in value)
    mark = any(not c.isalnum() and c not in ".-_/" for c in value)
    if password:
        if assigned:
            return quoted or digit or mark or len(value) >= 4
        return (digit and (letter or len(value) >= 4)) or mark or quoted
    if len(value) < 8 or not letter or not (digit or mark):
        return False
    if not assigned and _UUID.fullmatch(value):
        return False
    return _entropy(value) >= _MIN_ENTROPY


def _entropy(value: str) -> float:
    """Shannon entropy in bits per character."""
    counts = Counter(value)
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())


def _luhn(digits: str) -> bool:
    total = 0
    for index, digit in enumerate(reversed(digits)):
        number = int(digit) * (1 + index % 2)
        total += number - 9 if number > 9 else number
    return total % 10 == 0


def _iban(code: str) -> bool:
    if not 15 <= len(code) <= 34:
        return False
    moved = code[4:] + code[:4]
    return int("".join(str(int(c, 36)) for c in moved)) % 97 == 1

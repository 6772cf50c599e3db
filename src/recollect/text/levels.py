"""The four sizes of one memory: full, summary, brief, tag; each no longer than the one above.

A brief reads like a note in a margin: `db: PostgreSQL (JSON support, team expertise)`. It is built
from the sentence itself: a label, what was chosen or said, and the reason in brackets. Changes are
written with an arrow (`auth: JWT→sessions (size)`). Names, numbers and negations are kept first.
"""

import re
from dataclasses import dataclass

from recollect.text.keyphrases import keyphrases
from recollect.text.sentences import sentences
from recollect.text.summarise import summarise
from recollect.text.terms import STOP_WORDS, words

MAX_TAG = 50
"""The longest tag, in characters."""


@dataclass(frozen=True, slots=True)
class Levels:
    """One memory at four sizes."""

    full: str
    summary: str
    brief: str
    tag: str


_AREAS: dict[str, str] = {
    name: area
    for area, names in {
        "db": "postgresql postgres mysql mariadb sqlite mongodb redis cassandra dynamodb database "
        "db duckdb cockroachdb elasticsearch schema",
        "auth": "jwt oauth oauth2 saml sso login auth authentication session sessions passkeys",
        "api": "rest graphql grpc api endpoint openapi webhook webhooks",
        "frontend": "react vue svelte angular htmx css tailwind frontend ui",
        "backend": "django flask fastapi express rails spring backend",
        "lang": "python rust typescript javascript java kotlin swift golang ruby elixir",
        "infra": "kubernetes docker terraform aws gcp azure nginx helm ansible",
        "queue": "kafka rabbitmq celery sqs nats queue",
        "cache": "memcached cache caching cdn",
        "test": "pytest jest cypress playwright tests testing",
        "ci": "jenkins ci pipeline github-actions gitlab-ci",
        "editor": "vim neovim emacs vscode intellij editor",
    }.items()
    for name in names.split()
}
_WHY = (
    r"(?:\s*[,;(-]?\s*(?:because(?: of)?|since|due to|thanks to|as|"
    r"for(?! the \w+ (?:service|project)))\s+(?P<why>.+))?"
)
_THING = r"[\w+#/-]+(?:\.\w+)*(?: [\w+#/-]+(?:\.\w+)*){0,2}?"
_STOP = r"(?=\s*(?:[.,;(!]|$)|\s+(?:because|since|due|for|as|in|on|after|so)\b)"
_CHANGES = [
    re.compile(
        r"\b(?:switch|mov|migrat|chang|convert)(?:ed|ing|es|e)?\s+(?:(?P<what>[\w -]{2,40}?)\s+)?"
        rf"from\s+(?P<old>{_THING})\s+to\s+(?P<new>{_THING}){_STOP}{_WHY}",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:replac|swap|swapp)(?:ed|ing|es|e)?\s+(?P<what>)"
        rf"(?P<old>{_THING})\s+(?:with|by|for)\s+(?P<new>{_THING}){_STOP}{_WHY}",
        re.IGNORECASE,
    ),
]
_CHOICE = re.compile(
    r"(?:decided(?: to)?|agreed(?: to| on)?|chose(?: to)?|chosen|picked|selected|settled on|"
    r"went with|opted for|(?:will|'ll|let's) (?:use|go with)|(?:are|is) using|plans? to use|"
    r"going with)\s+(?:(?:use|using|go with|adopt|pick|choose)\s+)?"
    r"(?P<new>[^,;.()]+?)(?:\s+(?:over|instead of|rather than)\s+(?P<old>[^,;.()]+?))?"
    r"(?:\s+(?:for|as)\s+(?:the |our |its )?"
    r"(?P<what>[\w -]{2,30}? (?:service|layer|store|project|app|api)))?" + _WHY + r"[.!]?$",
    re.IGNORECASE,
)
_REASON_END = re.compile(r"[.;!?]\s|[.;!?]$|\bso\b|\bbut\b")
_GLUE = re.compile(r"\s+and\s+|,\s*(?:and\s+)?|\s+plus\s+")
_NEGATION = re.compile(
    r"\b(?:not|never|no|don't|doesn't|didn't|can't|cannot|won't|isn't|aren't|without)\b", re.I
)
_SLUG = re.compile(r"[^\w]+", re.UNICODE)
_BRIEF_WORDS = 9
_MAX_READ = 1000  # a longer "sentence" is data; its beginning names it
_FILLER = (STOP_WORDS | set("it's i'm i've we'll we've that's there's they're".split())) - {
    "no",
    "not",
    "nor",
    "only",
    "before",
    "after",
    "until",
    "off",
}


def levels(text: str, *, key: str = "", value: str = "", summary_tokens: int = 45) -> Levels:
    """All four sizes of a text; a keyed fact gives its brief and tag from key and value."""
    full = text.strip()
    summary = _fit(_summary(full, summary_tokens), full)
    brief = _fit(_brief(full, key, value), summary)
    return Levels(
        full, summary, brief, _tag(brief, full)[: max(1, min(MAX_TAG, len(brief)))] if brief else ""
    )


def _fit(small: str, large: str) -> str:
    return small if small and len(small) <= len(large) else large


def _summary(text: str, tokens: int) -> str:
    """One or two sentences."""
    whole = sentences(text)
    if len(whole) <= 2 and len(text) <= 4 * tokens:
        return " ".join(whole)
    return " ".join(sentences(summarise([text], tokens))[:2])


def _brief(text: str, key: str, value: str) -> str:
    if key and value:
        why = _reasons(_after_because(text))
        return f"{key.replace('_', ' ')}: {value}" + (f" ({why})" if why else "")
    first = (sentences(text) or [text])[0][:_MAX_READ]
    change = next((hit for hit in (p.search(first) for p in _CHANGES) if hit), None)
    if change:
        old, new = _noun(change["old"]), _noun(change["new"])
        if old and new:
            return _note(_label(first, change["what"] or new), f"{old}→{new}", change["why"])
    choice = _CHOICE.search(first)
    if choice:
        new = _noun(choice["new"])
        if new and len(new.split()) <= 6:
            area = _noun(choice["what"] or "")
            label = _area(f"{new} {area}") or area or "decision"
            over = f" over {_noun(choice['old'])}" if choice["old"] else ""
            return _note(label, new + over, choice["why"])
    return _telegram(first)


def _note(label: str, body: str, why: str | None) -> str:
    reasons = _reasons(why or "")
    return f"{label}: {body}" + (f" ({reasons})" if reasons else "")


def _area(text: str) -> str:
    """The area of the first known technology in the text, or nothing."""
    return next((_AREAS[w] for w in words(text) if w in _AREAS), "")


def _label(text: str, fallback: str) -> str:
    return _area(text) or next(iter(keyphrases(fallback, 1)), "change").lower()


def _noun(phrase: str) -> str:
    """A noun phrase without articles in front."""
    return re.sub(r"^(?:the|a|an|our|my|their|its|using|use|to)\s+", "", phrase.strip(), flags=re.I).strip()


def _after_because(text: str) -> str:
    hit = re.search(r"\b(?:because(?: of)?|due to|since)\s+(.+)", text, re.IGNORECASE)
    return hit.group(1) if hit else ""


def _reasons(text: str) -> str:
    """Up to three reasons, each cut to its telling words."""
    text = _REASON_END.split(text, maxsplit=1)[0]
    told = [_telegram(part, 3) for part in _GLUE.split(text)[:3]]
    return ", ".join(part for part in told if part)


def _telegram(text: str, limit: int = _BRIEF_WORDS) -> str:
    """The telling words in order; names, numbers and negations are kept before anything else."""
    pieces = [piece.strip('.,;:!?()"“”') for piece in text.split()]
    telling = [p for p in pieces if p and p.lower().replace("’", "'") not in _FILLER]
    if len(telling) > limit:
        strong = {
            p for p in telling if p[0].isupper() or any(c.isdigit() for c in p) or _NEGATION.fullmatch(p)
        }
        spare = limit - sum(p in strong for p in telling[1:])
        kept: list[str] = []
        for piece in telling:
            if piece in strong:
                kept.append(piece)
            elif spare > 0:
                kept.append(piece)
                spare -= 1
        telling = kept[: limit + 3]
    return " ".join(telling)


def _tag(brief: str, full: str) -> str:
    """A slug of the brief without its reasons: `db_postgresql`."""
    plain = re.sub(r"\(.*\)$", "", brief)
    slug = _SLUG.sub("_", plain.lower()).strip("_") or _SLUG.sub("_", full.lower()).strip("_")
    if len(slug) <= MAX_TAG:
        return slug or "memory"
    return slug[: MAX_TAG + 1].rpartition("_")[0] or slug[:MAX_TAG]

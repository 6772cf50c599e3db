"""Statements about named things: "The chairperson of Fatah is …", "Macbeth was created by …".

Five shapes of plain English relations give subject, relation and value; the relation's words make a
key that is the same for the old and the new statement. `ask` reads a question with the same keys.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from recollect.ingest.rules.keys import MANY_RELATIONS, relation_key, relation_terms, subject_key
from recollect.text.terms import stem, words


@dataclass(frozen=True, slots=True)
class Relation:
    """Subject, relation in words, its key, and the value."""

    subject: str
    relation: str
    key: str
    value: str

    @property
    def many(self) -> bool:
        """Whether one subject can have several values at once."""
        return not MANY_RELATIONS.isdisjoint(self.key.split("_"))


_KINDS = (
    r"(?:city|town|country|continent|state|village|region|field|position|language|religion|sport|"
    r"genre|type|party|team|company|university|school|instrument|role|title|rank|area|district|"
    r"province|industry|profession|denomination)"
)
_NAME = r"(?:(?:the |The )?[A-Z0-9\"“][^\n]*?|i[A-Z][^\n]*?)"
_VERB = (
    r"(?:born|married|located|created|founded|performed|developed|written|employed|educated|"
    r"affiliated|associated|produced|directed|composed|published|invented|designed|built|owned|"
    r"discovered|named|based|headquartered|engaged|related|broadcast|recorded|established|led|"
    r"painted|manufactured|buried|killed|raised|trained|coached|managed|illustrated|edited|hosted)"
)
_OF = re.compile(
    rf"^The (?P<rel>[a-zA-Z][\w' -]{{1,60}}?) (?:of|in) (?P<sub>.+) (?:is|are|was|were) "
    rf"(?:located in the {_KINDS} of )?(?P<value>.+)$"
)
_WHERE = re.compile(
    r"^The (?P<rel>[a-z][\w -]{2,40}?) (?P<how>where|that|which|who) (?P<mid>.+) (?:is|are|was|"
    r"were) (?P<value>.+)$"
)
_HEAD = re.compile(
    r"^The (?P<rel>(?:name of the )?(?:current )?head of) the (?P<sub>.+) government is "
    r"(?P<value>.+)$"
)
_STATE = re.compile(
    r"^The (?P<rel>(?:name of the )?(?:current )?head of state) in (?P<sub>.+) is (?P<value>.+)$"
)
_GENITIVE = re.compile(
    r"^(?P<sub>[A-Z0-9\"“][^\n]*?)['’]s? (?P<rel>[a-z][\w -]{2,40}?) (?:is|are|was) (?P<value>.+)$"
)
_TYPED = re.compile(
    rf"^(?P<sub>[^\n,]{{2,120}}?|{_NAME}) (?P<rel>(?:is |are |was |were )?[a-z]+(?: in| with| by|"
    rf" for| to| at)? the {_KINDS} of) "
    r"(?P<value>.+)$"
)
_PASSIVE = re.compile(
    rf"^(?P<sub>.{{2,160}}?) (?P<rel>(?:is|are|was|were) (?:\w+ly )?(?:{_VERB} (?:by|in|with|at|to|"
    rf"for|on)|famous for|known for|"
    r"an? citizen of|an? member of|the \w+ of|the capital of|part of|an employee of|married to)) "
    r"(?P<value>.+)$"
)
_NOT_SUBJECTS = frozenset(
    """i we you he she it they this that these those there here my our your his her their who what
    which where when how why let if so and but because everyone everything someone something one
    nothing nobody people as when while then also last next today yesterday tomorrow""".split()
)
_TALKING = re.compile(r"(?<![\w-])(?:I(?:'m|'ve)? [a-z]\w*|my|me|you|your|we|our|us|which)\b")
_MODAL_OR_DOUBT = re.compile(
    r"\b(?:might|may|could|would|should|maybe|perhaps|if|probably|not|never|no longer|n't)\b|\?$",
    re.IGNORECASE,
)


def read_relation(sentence: str) -> Relation | None:
    """The relation a sentence states, if it is one plain statement about a named thing."""
    text = " ".join(sentence.split()).rstrip()
    text = text[:-1].rstrip() if text.endswith((".", "!")) else text
    if not 8 <= len(text) <= 300 or _no_subject(text):
        return None
    if _MODAL_OR_DOUBT.search(text) and not _capital_only(text):
        return None
    for pattern in (_HEAD, _STATE, _WHERE, _OF, _TYPED, _PASSIVE, _GENITIVE):
        if match := pattern.match(text):
            found = _made(match)
            if found is not None:
                return found
    return None


def _no_subject(text: str) -> bool:
    """Whether a sentence opens with a pronoun or conjunction that is not part of a title."""
    opening = [word.strip(",'\"") for word in text.split()[:2]]
    title = len(opening) > 1 and opening[1][:1].isupper() and opening[0][:1].isupper()
    first = opening[0].lower().replace("’", "'").split("'")[0] if opening else ""
    return first in _NOT_SUBJECTS and not title


def _capital_only(text: str) -> bool:
    """Whether every doubtful word is part of a name ("May", "Never")."""
    return all(hit.group()[0].isupper() for hit in _MODAL_OR_DOUBT.finditer(text))


def _made(match: re.Match[str]) -> Relation | None:
    groups = match.groupdict()
    subject, phrase, value = groups.get("sub") or "", groups["rel"], groups["value"].strip()
    if groups.get("mid"):
        subject, verb = _middle(groups["mid"])
        phrase = f"{phrase} {verb}"
    typed = match.re is _TYPED
    if not subject or (match.start("sub" if not groups.get("mid") else "mid") == 0 and _no_subject(subject)):
        return None
    talk = _TALKING.search(f"{subject} / {value}")
    key = relation_key(phrase)
    if talk or key == "is" or (groups.get("mid") and not _named(subject)):
        return None
    if match.re in (_OF, _GENITIVE) and not _plain_value(value, match.group()):
        return None
    if subject.split()[0] in _NOT_SUBJECTS or len(value.split()) > 14 or len(subject.split()) > 16:
        return None
    if not typed and match.re is not _WHERE and not _named(subject) and not _named(value):
        return None
    if value.split()[0].lower() in (
        "so",
        "very",
        "really",
        "not",
        "it",
        "that",
        "this",
        "my",
        "your",
        "what",
        "how",
        "to",
    ):
        return None
    if re.search(r"\bby$", phrase):
        key += "_by"
    return Relation(subject, phrase, key, value)


def _plain_value(value: str, sentence: str) -> bool:
    """Whether a value is a name, a number or a short noun, rather than a judgement."""
    if value[:1].isupper() or value[:1].isdigit() or value[:1] in "\"“'":
        return "," not in value or value[:1].isupper()
    past = f" was {value}" in sentence or f" were {value}" in sentence
    return not past and len(value.split()) <= 3 and value.split()[0] not in _JUDGING


_JUDGING = frozenset(
    """great good bad amazing awesome nice cool fun broken slow fast fine ok okay important key
    crucial beautiful perfect huge interesting delicious incredible insane""".split()
)


def _middle(text: str) -> tuple[str, str]:
    """Subject and verb of a relative clause: "X was educated", "produced X", "X plays"."""
    if match := re.match(r"^(?P<sub>.+) (?:was|is|were|are) (?P<verb>[a-z]+)$", text):
        return match["sub"], match["verb"]
    if match := re.match(r"^(?P<verb>[a-z]+(?:ed|s|t|e|d)) (?P<sub>.+)$", text):
        return match["sub"], match["verb"]
    if match := re.match(r"^(?P<sub>.+) (?P<verb>[a-z]+)$", text):
        return match["sub"], match["verb"]
    return "", ""


def _named(text: str) -> bool:
    bare = text.removeprefix("The ").removeprefix("the ")
    return any(c.isupper() or c.isdigit() for c in bare)


_IMPLIED = {
    "where": frozenset(("citi", "countri", "locat", "place", "contin")),
    "who": frozenset(("by",)),
}
"""What a question word asks for without saying it."""


def ask(question: str, known: Iterable[Relation]) -> list[Relation]:
    """The known relations a question asks for, best first: its subject named, its relation alike.

    Among relations that fit equally well the later one in `known` comes first.
    """
    text = f" {subject_key(question.rstrip('?'))} "
    scored: list[tuple[float, int, int, Relation]] = []
    for place, relation in enumerate(known):
        subject = subject_key(relation.subject)
        if subject and (f" {subject} " in text or f" {subject}'s " in text):
            rest = text.replace(subject, " ")
            score = _likeness(rest, relation)
            if score > 0:
                scored.append((score, len(subject), place, relation))
    if not scored:
        return []
    longest = max(item[1] for item in scored)
    scored = [item for item in scored if item[1] == longest]
    return [item[3] for item in sorted(scored, key=lambda item: (-item[0], -item[2]))]


def _likeness(question: str, relation: Relation) -> float:
    """How much of the relation's key the rest of a question names, 0 to about 1.2."""
    asked = set(relation_terms(question)) - {"which", "mani"}
    mine = {stem(part) if part != "by" else part for part in relation.key.split("_")}
    if not any(_same(a, m) for a in asked for m in mine):
        return 0.0
    asked |= _IMPLIED.get(next(iter(words(question)), ""), frozenset())
    hits = sum(any(_same(a, m) for a in asked) for m in mine)
    return hits / len(mine) + 0.2 * hits / len(asked)


def _same(a: str, b: str) -> bool:
    """Equal stems, or one the long beginning of the other (citizen, citizenship)."""
    return a == b or (min(len(a), len(b)) >= 5 and (a.startswith(b) or b.startswith(a)))

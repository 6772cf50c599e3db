"""What a new statement does to what is known: add, confirm, supersede, ignore or contradict.

Pure: the caller brings the known memories of the same subject (with or without the same key) and
applies the verdict. A newer statement wins unless it is clearly less sure than the old one; an
explicit correction always wins; nothing is ever deleted here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol, Self

from recollect.ingest.rules.candidate import Cardinality
from recollect.text.similarity import content, differs_in_substance, overlap
from recollect.text.terms import stem, words

Action = Literal["add", "confirm", "supersede", "ignore", "contradiction"]

MARGIN = 0.1
"""How much less sure a newer statement may be than the one it replaces."""

CONFIRM_STEP = 0.5
"""The share of the remaining doubt that a confirmation takes away."""

MAX_CONFIDENCE = 0.99
SAME_TEXT = 0.8
"""From this overlap on, two statements without a key say the same."""


class Statement(Protocol):
    """What reconciliation reads of a candidate."""

    @property
    def subject(self) -> str:
        """Who or what it is about."""

    @property
    def key(self) -> str:
        """What about the subject, or empty."""

    @property
    def value(self) -> str:
        """What is said."""

    @property
    def text(self) -> str:
        """The statement in full."""

    @property
    def cardinality(self) -> Cardinality:
        """Whether the key holds one value or many."""

    @property
    def confidence(self) -> float:
        """How sure it is, 0 to 1."""

    @property
    def correction(self) -> bool:
        """Whether it was said as a correction."""

    @property
    def negated(self) -> bool:
        """Whether it denies the value."""

    @property
    def valid_from(self) -> datetime | None:
        """Since when it is true, if known."""


@dataclass(frozen=True, slots=True)
class Known:
    """A memory already held, as far as reconciliation needs it."""

    id: str
    subject: str
    key: str
    value: str
    text: str
    confidence: float
    cardinality: Cardinality = "one"
    negated: bool = False
    valid_from: datetime | None = None

    @classmethod
    def of(cls, statement: Statement, id: str) -> Self:
        """The known form of a statement once it is stored under `id`."""
        return cls(
            id, statement.subject, statement.key, statement.value, statement.text,
            statement.confidence, statement.cardinality, statement.negated, statement.valid_from,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Verdict:
    """What to do with a new statement, which memories it touches, and why."""

    action: Action
    reason: str
    replaces: tuple[str, ...] = ()
    confirms: str = ""
    confidence: float = 0.0


def reconcile(new: Statement, known: Sequence[Known]) -> Verdict:
    """The verdict on a new statement against what is known of the same subject."""
    same_subject = [k for k in known if _fold(k.subject) == _fold(new.subject)]
    if not new.key:
        return _unkeyed(new, same_subject)
    held = [k for k in same_subject if k.key == new.key]
    same = next((k for k in held if same_value(k.value, new.value)), None)
    if same is not None:
        return _same_value(new, same)
    if not held:
        return Verdict("add", "nothing known under this key", confidence=new.confidence)
    if new.cardinality == "many" and not new.correction:
        return Verdict("add", "this key holds several values", confidence=new.confidence)
    if new.cardinality == "many":
        return _corrected_list(new, held)
    if new.negated:
        return Verdict("add", "denies a value that is not held", confidence=new.confidence)
    return _other_value(new, [k for k in held if not k.negated] or held)


def same_value(a: str, b: str) -> bool:
    """Whether two values say the same: equal words, or like ones that differ in nothing telling."""
    left, right = _fold(a), _fold(b)
    if left == right:
        return True
    if differs_in_substance(a, b):
        return False
    return content(a) == content(b) if content(a) else False


def raised(confidence: float) -> float:
    """The confidence after one more independent confirmation, bounded below certainty."""
    if confidence >= MAX_CONFIDENCE:
        return confidence
    return round(min(MAX_CONFIDENCE, confidence + CONFIRM_STEP * (1 - confidence)), 4)


def _same_value(new: Statement, old: Known) -> Verdict:
    if new.negated == old.negated:
        stronger = max(old.confidence, new.confidence)
        return Verdict("confirm", "the same value again", confirms=old.id, confidence=raised(stronger))
    return _against(new, [old], "the same value, now " + ("denied" if new.negated else "affirmed"))


def _other_value(new: Statement, held: Sequence[Known]) -> Verdict:
    return _against(new, held, "a newer value")


def _against(new: Statement, held: Sequence[Known], reason: str) -> Verdict:
    """A statement that cannot be true beside the held ones: the newer wins if sure enough."""
    ids = tuple(k.id for k in held)
    if new.valid_from is not None and any(k.valid_from and k.valid_from > new.valid_from for k in held):
        return Verdict("ignore", f"{reason}, but true before what is known", ids)
    if new.correction:
        why = f"{reason}, said as a correction"
        return Verdict("supersede", why, ids, confidence=new.confidence)
    strongest = max(k.confidence for k in held)
    if round(strongest - new.confidence, 6) > MARGIN:
        return Verdict("ignore", f"{reason}, but less sure ({new.confidence} against {strongest})", ids)
    return Verdict("supersede", reason, ids, confidence=new.confidence)


def _corrected_list(new: Statement, held: Sequence[Known]) -> Verdict:
    """A correction on a key of many values replaces the one it resembles, else is added."""
    close = [k for k in held if content(k.value) & content(new.value) and k.negated == new.negated]
    if len(close) == 1:
        ids = (close[0].id,)
        return Verdict("supersede", "a correction of this value", ids, confidence=new.confidence)
    return Verdict("add", "this key holds several values", confidence=new.confidence)


def _unkeyed(new: Statement, known: Sequence[Known]) -> Verdict:
    """Statements without a key: the same again, its denial, or something new."""
    for old in known:
        alike = overlap(old.text, new.text)
        if alike >= SAME_TEXT and not differs_in_substance(old.text, new.text):
            stronger = max(old.confidence, new.confidence)
            return Verdict(
                "confirm", "the same statement again", confirms=old.id, confidence=raised(stronger)
            )
        if alike >= SAME_TEXT - 0.2 and old.negated != new.negated and _bare(old.text) == _bare(new.text):
            if new.correction:
                ids = (old.id,)
                return Verdict("supersede", "now said the other way round", ids, confidence=new.confidence)
            return Verdict("contradiction", "says the opposite", (old.id,), confidence=new.confidence)
    return Verdict("add", "nothing like it is known", confidence=new.confidence)


_NEGATING = frozenset(
    """not no never n't don't doesn't didn't isn't aren't wasn't can't cannot won't
    can doe do did""".split()
)


def _bare(text: str) -> frozenset[str]:
    return frozenset(stem(w) for w in words(text) if w not in _NEGATING) - {"doe", "do", "did"}


def _fold(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .,!\"'")

"""Compaction: which memory of an app goes, or which two become one, when there are more than its cap.

Everything here is pure: a choice among records. The keeper applies it in one transaction.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations

from recollect.apps.prompts.compaction import Compaction
from recollect.apps.records import SLACK, fitted
from recollect.errors import ModelUnavailable
from recollect.model.decay import decay
from recollect.model.record import Record
from recollect.text.sentences import sentences
from recollect.text.similarity import containment, content, negated, numbers

RULES = "rules:compaction"
OLDEST_FIRST = "oldest first"
SAID_ALREADY = 0.9
"""From this share of its words in another memory on, a memory says nothing of its own."""
ALIKE = 0.35
"""From this share of common words on, two memories are about the same and may become one."""


@dataclass(frozen=True, slots=True)
class Cut:
    """What to do: one memory goes, or with `text` two become one under the first one's date."""

    gone: tuple[Record, ...]
    reason: str
    rule: str
    text: str | None = None

    @property
    def name(self) -> str:
        """What it is counted as."""
        if self.rule == OLDEST_FIRST:
            return "oldest_first"
        return "deleted" if self.text is None else "merged"


def free(crowd: Sequence[Record]) -> list[Record]:
    """Those that may go, oldest first: not what a person pinned, unless that is all there is."""
    unpinned = [r for r in crowd if not r.pinned]
    return sorted(unpinned or crowd, key=lambda r: (r.valid_from, r.id))


def oldest_first(crowd: Sequence[Record], reason: str) -> Cut:
    """The choice that is always possible."""
    return Cut((free(crowd)[0],), reason, OLDEST_FIRST)


def by_rules(crowd: Sequence[Record], length: int, now: datetime) -> Cut:
    """The choice without a model: what another one says already, two that fit into one, the least worth.

    The newest goes only if it is redundant, for it is what the next conversation may go on with.
    """
    open_ = free(crowd)
    words = {r.id: content(r.text) for r in open_}
    pairs = sorted(
        combinations(open_, 2), key=lambda p: -_shared(words[p[0].id], words[p[1].id])
    )  # sorting is stable, so of equal pairs the oldest leads
    for older, newer in pairs:
        for small, large in ((older, newer), (newer, older)):
            inside = len(words[small.id] & words[large.id]) >= SAID_ALREADY * len(words[small.id])
            if inside and not _adds(small.text, large.text):
                return Cut((small,), f"memory {large.id} says the same", RULES)
    for older, newer in pairs:
        if _shared(words[older.id], words[newer.id]) < ALIKE:
            break
        if text := joined(older, newer, length):
            return Cut((older, newer), "both are about the same", RULES, text)
    settled = open_[:-1] or open_
    least = min(settled, key=lambda r: (worth(r, now), r.valid_from, r.id))
    return Cut((least,), f"worth least now ({worth(least, now):.2f})", RULES)


def worth(record: Record, now: datetime) -> float:
    """Importance, half of which fades with age unless answers use the memory."""
    used = record.usage.last_used_at if record.usage.cited else None
    return record.importance * (0.5 + 0.5 * decay(used or record.valid_from, record.usage.cited, now))


def joined(first: Record, second: Record, length: int) -> str | None:
    """The sentences of two memories, each thing once; None where they are too much for one."""
    known = sentences(first.text)
    text = " ".join([*known, *(s for s in sentences(second.text) if not any(_repeats(s, k) for k in known))])
    return text if len(text) <= SLACK * length else None


def decided(answer: Compaction, crowd: Sequence[Record], length: int, rule: str) -> Cut:
    """A model's decision on memories that it was shown numbered from 1, the new one last."""
    if not 1 <= answer.targetMemoryId <= len(crowd):
        raise ModelUnavailable(f"the decision names memory {answer.targetMemoryId} of {len(crowd)}.")
    if answer.action == "edit" and len(crowd) < 2:
        raise ModelUnavailable("the decision merges where there is only one memory.")
    target = crowd[answer.targetMemoryId - 1]
    reason = answer.reason.strip() or "no reason given"
    if answer.action == "delete":
        return Cut((target,), reason, rule)
    text = fitted(answer.newContent or "", length)
    others = [r for r in reversed(crowd) if r.id != target.id]  # the new one leads, where none stands out
    told = max(others, key=lambda r: round(containment(r.text, text), 2))
    return Cut((target, told), reason, rule, text)


def _shared(a: frozenset[str], b: frozenset[str]) -> float:
    return len(a & b) / (len(a | b) or 1)


def _repeats(sentence: str, known: str) -> bool:
    return containment(sentence, known) >= SAID_ALREADY and not _adds(sentence, known)


def _adds(small: str, large: str) -> bool:
    """Whether a text whose words another one has still differs from it in a number or a denial."""
    return negated(small) != negated(large) or not numbers(small) <= numbers(large)

"""Feedback: which memories of a context the answer used, told by the caller or seen in the reply."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from recollect.context.assemble import hashes
from recollect.context.expand import known
from recollect.errors import InvalidInput
from recollect.ingest.remember import wake
from recollect.model.context import Feedback, Shown
from recollect.model.record import Status
from recollect.store import chunks, conversations, memories, usage
from recollect.store.database import Tx
from recollect.store.scope import Scope
from recollect.text.similarity import content

MIN_SHARED = 2
MIN_SHARE = 0.34
"""From this share of its own distinctive words in a reply, an item is taken to have been used."""
_BRACKETED = re.compile(r"\[\s*([a-z]?\d{1,6}(?:\s*[,;]\s*[a-z]?\d{1,6})*)\s*\]")
_BARE = re.compile(r"(?<![\w-])([tmcx]\d{3,6})(?![\w-])")


def told(scope: Scope, context: str, cited: Iterable[str], ignored: Iterable[str]) -> Feedback:
    """Count what the caller says was used and what was passed over, each by ref or id."""

    def work(tx: Tx) -> Feedback:
        shown = known(tx, scope, context)
        found = Feedback(context=shown.id, cited=_ids(shown, cited), ignored=_ids(shown, ignored))
        _count(tx, scope, found)
        return found

    return scope.write(work)


def detect(scope: Scope, context: str, reply: str) -> Feedback:
    """See in a reply what was used: refs it names, else words that only one item could have given it."""

    def work(tx: Tx) -> Feedback:
        shown = known(tx, scope, context)
        why = _named(shown, reply) or _echoed(shown, reply, _texts(tx, scope, shown))
        cited = tuple(id for id in dict.fromkeys(item.id for item in shown.items) if id in why)
        passed = dict.fromkeys(i.id for i in shown.items if i.id not in why and not i.standing)
        found = Feedback(context=shown.id, cited=cited, ignored=tuple(passed) if why else (), why=why)
        _count(tx, scope, found)
        return found

    return scope.write(work)


def _count(tx: Tx, scope: Scope, found: Feedback) -> None:
    now = scope.now()
    usage.count(tx, sorted(found.cited), "cited", now)
    usage.count(tx, sorted(found.ignored), "ignored", now)
    for record in memories.by_id(tx, found.cited, scope.view.spaces).values():
        if record.status == Status.ARCHIVED:
            wake(tx, record, now)


def _ids(shown: Shown, given: Iterable[str]) -> tuple[str, ...]:
    if isinstance(given, str):
        raise InvalidInput("cited and ignored are lists of refs or ids")
    by_ref = {item.ref: item.id for item in shown.items}
    held = set(by_ref.values())
    found = []
    for one in given:
        plain = one.strip().strip("[]")
        id = by_ref.get(plain, plain)
        if id not in held:
            raise InvalidInput(f"{one!r} is not in the context {shown.id}: pass refs or ids that it took")
        found.append(id)
    return tuple(dict.fromkeys(found))


def _named(shown: Shown, reply: str) -> dict[str, str]:
    """Items whose ref the reply names."""
    refs = {ref.strip() for run in _BRACKETED.findall(reply) for ref in re.split(r"[,;]", run)}
    refs |= set(_BARE.findall(reply))
    return {item.id: f"named as {item.ref}" for item in shown.items if item.ref in refs}


def _echoed(shown: Shown, reply: str, texts: Mapping[str, str]) -> dict[str, str]:
    """Items that share distinctive words with the reply: not the query's, not those of many items."""
    words = {id: content(text) for id, text in texts.items()}
    spread = Counter(word for held in words.values() for word in held)
    common = max(2, len(words) // 10)
    said = content(reply)
    asked = set(shown.asked)
    fresh = {word for word in said if not asked.intersection(hashes(shown.id, word))}
    found = {}
    for id, held in words.items():
        telling = {w for w in held if spread[w] <= common and not asked.intersection(hashes(shown.id, w))}
        shared = telling & fresh
        if (
            len(shared) >= min(MIN_SHARED, len(telling))
            and shared
            and len(shared) >= MIN_SHARE * len(telling)
        ):
            found[id] = "echoed: " + " ".join(sorted(shared)[:6])
    return found


def _texts(tx: Tx, scope: Scope, shown: Shown) -> dict[str, str]:
    ids: Sequence[str] = [item.id for item in shown.items]
    spaces = scope.view.spaces
    found = {id: r.text for id, r in memories.by_id(tx, ids, spaces).items()}
    found |= {id: m.text for id, m in conversations.messages_by_id(tx, ids, spaces).items()}
    found |= {id: c.summary for id, c in chunks.by_id(tx, ids).items() if c.space in spaces}
    return found

"""The judge job: an LLM decides on pairs that the rules found doubtful, once for each pair of versions."""

from functools import partial

from recollect.model.record import Record
from recollect.models.llm import LLM
from recollect.store import contradictions, judgements, memories
from recollect.store.database import Tx
from recollect.store.judgements import Pair
from recollect.store.scope import Scope
from recollect.upkeep.claims import is_claim
from recollect.upkeep.prompts.contradiction import CONTRADICTION, Judgement


def judge_waiting(scope: Scope, llm: LLM) -> int:
    """Ask about every pair that waits; how many contradictions that gave.

    Each verdict is stored with what follows from it, so a failure in between asks only about the rest.
    """
    found = 0
    while pairs := scope.read(partial(judgements.waiting, limit=1)):
        (pair,) = pairs
        sides = scope.read(partial(_sides, pair=pair))
        if sides is None:
            scope.write(partial(judgements.drop, pair=pair))
            continue
        a, b = sides
        answer = CONTRADICTION.ask(
            llm,
            a=a.text,
            b=b.text,
            when_a=f"{a.valid_from:%Y-%m-%d}",
            when_b=f"{b.valid_from:%Y-%m-%d}",
        )
        made_by = f"{CONTRADICTION.version} {llm.name}"
        found += scope.write(partial(_keep, scope=scope, pair=pair, answer=answer, made_by=made_by))
    return found


def _sides(tx: Tx, pair: Pair) -> tuple[Record, Record] | None:
    """Both memories, if they still are what was noted."""
    held = memories.by_id(tx, [pair.memory_a, pair.memory_b], [pair.space])
    a, b = held.get(pair.memory_a), held.get(pair.memory_b)
    if a is None or b is None or (a.version, b.version) != (pair.version_a, pair.version_b):
        return None
    return (a, b) if is_claim(a) and is_claim(b) else None


def _keep(tx: Tx, scope: Scope, pair: Pair, answer: Judgement, made_by: str) -> int:
    sides = _sides(tx, pair)
    if sides is None or not judgements.settle(tx, pair, answer.verdict, made_by, scope.now()):
        return 0
    a, b = sides
    if answer.verdict != "contradiction" or b.id in contradictions.rivals(tx, a.id):
        return 0
    contradictions.record(tx, a, b, answer.reason.strip(), scope.now())
    return 1

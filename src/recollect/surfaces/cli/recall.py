"""The recall command, with an explanation a person can read."""

from argparse import Namespace

from recollect.ingest import gate
from recollect.model.conversation import Chunk, Message, Trust
from recollect.model.filter import Filter
from recollect.model.found import Found
from recollect.model.record import Kind, Record, Status
from recollect.surfaces.cli.command import Command, argument, flag, repeated
from recollect.surfaces.cli.output import Session, time


def recall(session: Session, given: Namespace) -> None:
    """Find the best of everything said and remembered."""
    wanted = Filter(
        kinds=gate.choices(given.kind, Kind, "kind"),
        statuses=gate.choices(given.status, Status, "status"),
        categories=tuple(given.category),
        tags=tuple(given.tag),
        min_importance=given.importance,
        min_trust=None if given.trust is None else Trust(given.trust),
        since=time(given.since),
        until=time(given.until),
        recorded_since=time(given.recorded_since),
        recorded_until=time(given.recorded_until),
        items=tuple(given.only),
        conversation=given.conversation,
        speakers=tuple(given.speaker),
    )
    with session.memory() as memory:
        session.catch_up(memory)
        recalled = memory.recall(
            given.query,
            wanted=wanted,
            limit=given.limit,
            recipe=given.recipe,
            rerank_ms=given.rerank_ms,
            threshold=given.threshold,
            as_of=time(given.as_of),
        )
        session.warn(recalled.warnings)
        if session.json:
            session.show(recalled, "")
        elif given.explain:
            columns = ("score", "path", "parts", "words", "what", "sources")
            session.show_table(recalled.found, columns, map(_explained, recalled.found))
        else:
            rows = ((f"{f.score:.2f}", _kind(f), _when(f), f.text, f.id) for f in recalled.found)
            session.show_table(recalled.found, ("score", "kind", "when", "text", "id"), rows)


def _explained(f: Found) -> tuple[str, ...]:
    parts = " ".join(f"{name} {part:.2f}" for name, part in f.scores.items())
    return (f"{f.score:.3f}", f.path, parts, " ".join(f.terms), f"{_kind(f)}: {f.text}", " ".join(f.sources))


def _kind(f: Found) -> str:
    doubt = ", doubtful" if isinstance(f.item, Record) and f.item.doubtful else ""
    return f"{f.kind}{doubt}"


def _when(f: Found) -> str:
    if isinstance(f.item, Message):
        return f"{f.item.said_at:%Y-%m-%d}"
    at = f.item.recorded_at if isinstance(f.item, Chunk) else f.item.valid_from
    return f"{at:%Y-%m-%d}"


COMMANDS = (
    Command("recall", recall, "Find the best of everything said and remembered for a query.", (
        argument("query", help="a question, or words"),
        argument("--limit", type=int, default=10, help="at most this many (10)"),
        flag("--explain", "show each score's parts, the words that matched, the way and the sources"),
        repeated("--only", "only these", choices=["message", "chunk", "memory"]),
        repeated("--kind", "only memories of this kind", choices=[str(kind) for kind in Kind]),
        repeated("--status", "only this status; else what is believed", choices=[str(s) for s in Status]),
        repeated("--category", "only this category"),
        repeated("--tag", "only with this tag"),
        repeated("--speaker", "only said by this speaker"),
        argument("--conversation", help="only from this conversation"),
        argument("--importance", type=float, default=0.0, help="at least this important"),
        argument("--trust", choices=[str(trust) for trust in Trust], help="at least this trusted"),
        argument("--since", help="said or true from this time on"),
        argument("--until", help="said or true before this time"),
        argument("--recorded-since", help="recorded from this time on"),
        argument("--recorded-until", help="recorded before this time"),
        argument("--as-of", help="as it was known at this time"),
        argument("--recipe", help="default, local, classic or words; else what fits the embedder"),
        argument("--threshold", type=float, help="least score of a hit, 0 to 1; else the recipe's"),
        argument("--rerank-ms", type=float, default=0.0, help="let a cross-encoder read for this long"),
    )),
)  # fmt: skip

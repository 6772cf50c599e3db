"""Commands on what waits for a person, and on why a memory is as it is."""

from argparse import Namespace
from collections.abc import Iterator

from recollect.model.decision import Explanation
from recollect.surfaces.cli.command import Command, argument, flag, page
from recollect.surfaces.cli.output import Session


def explain(session: Session, given: Namespace) -> None:
    """Show the path from message to memory."""
    with session.memory() as memory:
        found = memory.review.explain(given.id)
        session.show(found, "\n".join(told(found)))


def promote(session: Session, given: Namespace) -> None:
    """Believe pending or quarantined memories from now on."""
    with session.writing() as memory:
        receipt = memory.review.promote(*given.ids)
        session.show(receipt, "\n".join(f"{e.action} {e.id} ({e.reason})" for e in receipt.entries))


def review(session: Session, given: Namespace) -> None:
    """List what waits for a person."""
    with session.memory() as memory:
        listed = memory.review.quarantined if given.quarantined else memory.review.pending
        found = listed(limit=given.limit, after=given.after)
        rows = ((r.id, r.kind, r.trust, r.confidence, r.text) for r in found.items)
        session.show_page(found, ("id", "kind", "trust", "confidence", "text"), rows)


def told(found: Explanation) -> Iterator[str]:
    """An explanation in lines a person can read."""
    if found.memory is not None:
        m = found.memory
        yield f"{m.kind} {m.id} ({m.status}, confidence {m.confidence:g}, trust {m.trust})"
        yield f"  {m.text}"
        yield f"  made by {m.made_by or 'hand'}, version {m.version}"
    for said in found.messages:
        who = said.speaker or said.role
        yield f"said {said.said_at:%Y-%m-%d %H:%M} by {who} in turn {said.turn} ({said.id})"
        yield f"  {said.text}"
    for source in found.memories if found.memory is not None else ():
        yield f"from memory {source.id}: {source.text}"
    for d in found.decisions:
        yield f"{d.decided_at:%Y-%m-%d %H:%M} {d.outcome}: {d.text}"
        yield f"  because: {d.reason} (rule {d.rule}" + (f", memory {d.memory})" if d.memory else ")")


COMMANDS = (
    Command("explain", explain, "Show the path from message to memory: sources, rules, decisions.", (
        argument("id", help="a memory or a message"),
    )),
    Command("promote", promote, "Believe pending or quarantined memories from now on.", (
        argument("ids", nargs="+", metavar="ID", help="memories"),
    )),
    Command("review", review, "List what waits for a person: pending memories, or quarantined texts.", (
        flag("--quarantined", "texts from untrusted sources that give orders"),
        *page(),
    )),
)  # fmt: skip

"""The inbox of contradictions: both sides with their dates, sources and trust, and deciding."""

from argparse import Namespace
from collections.abc import Iterator

from recollect.model.record import Record
from recollect.model.relation import Dispute, Resolution
from recollect.surfaces.cli.command import Command, argument, flag
from recollect.surfaces.cli.output import Session


def listed(session: Session, given: Namespace) -> None:
    """Show what waits for a decision."""
    with session.memory() as memory:
        if not session.later:
            memory.jobs.run()
        found = memory.contradictions.list(all=given.all)
        text = "\n\n".join("\n".join(_told(one)) for one in found)
        session.show(found, text or "no contradictions" + ("" if given.all else " wait for a decision"))


def show(session: Session, given: Namespace) -> None:
    """Show one contradiction."""
    with session.memory() as memory:
        found = memory.contradictions.get(given.id)
        session.show(found, "\n".join(_told(found)))


def resolve(session: Session, given: Namespace) -> None:
    """Decide who is right."""
    with session.writing() as memory:
        settled = memory.contradictions.resolve(given.id, given.resolution, note=given.note, text=given.text)
        session.show(settled, "\n".join(_told(settled)))


def reopen(session: Session, given: Namespace) -> None:
    """Take a resolution back."""
    with session.writing() as memory:
        found = memory.contradictions.reopen(given.id)
        session.show(found, "\n".join(_told(found)))


def _told(found: Dispute) -> Iterator[str]:
    c = found.contradiction
    state = "open" if found.open else (str(c.resolution) if c.resolution else "moot: one side has ended")
    yield f"{c.id} ({state}, found {c.detected_at:%Y-%m-%d})"
    yield f"  {c.reason}"
    for name, side in (("a", found.a), ("b", found.b)):
        yield from _side(name, side)
    if c.note:
        yield f"  note: {c.note}"


def _side(name: str, r: Record) -> Iterator[str]:
    until = f" until {r.valid_to:%Y-%m-%d}" if r.valid_to else ""
    yield f"  {name}: {r.text}"
    sources = ", ".join(f"{s.kind} {s.id}" for s in r.sources) or "stated by hand"
    yield f"     {r.kind} {r.id}, {r.status}, true from {r.valid_from:%Y-%m-%d}{until}, trust {r.trust}"
    yield f"     from {sources}"


_ID = argument("id", metavar="ID", help="the contradiction")

COMMANDS = (
    Command("contradictions", listed, "Show memories that cannot both be true, and decide.", (
        flag("--all", "also those that are settled"),
    ), parts=(
        Command("show", show, "Show one contradiction with both sides.", (_ID,)),
        Command("resolve", resolve, "Decide who is right; all versions are kept.", (
            _ID,
            argument("resolution", choices=[str(r) for r in Resolution], help="how it is settled"),
            argument("--note", help="why"),
            argument("--text", help="for merged: what is true of both"),
        )),
        Command("reopen", reopen, "Take a resolution back.", (_ID,)),
    )),
)  # fmt: skip

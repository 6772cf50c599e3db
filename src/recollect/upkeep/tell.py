"""An LLM tells the new lines of a memory file; what it invents or may not leave out is put straight."""

from collections.abc import Sequence
from dataclasses import replace

from recollect.files.distil import New
from recollect.files.lines import PROTECTED
from recollect.files.memory_md import Heading, Item, as_read, line_of
from recollect.ingest.rules.orders import looks_like_orders
from recollect.models.llm import LLM
from recollect.text.similarity import content, numbers
from recollect.upkeep.prompts.reflection import REFLECTION, Line

MOST = 60
"""So many notes are shown to a model at once; the rest is told by the rules."""
GROUNDED = 0.7
"""The share of a line's telling words that must stand in its notes."""


class Teller:
    """One model that tells lines."""

    def __init__(self, llm: LLM) -> None:
        self._llm = llm
        self.made_by = f"{REFLECTION.version} {llm.name}"

    def __call__(self, new: Sequence[New], standing: Sequence[Item]) -> list[New]:
        """The new lines in the model's words where they are grounded, else in the rules'."""
        shown, rest = new[:MOST], new[MOST:]
        notes = "\n".join(
            f"{number}. [sig:{n.item.significance}] {n.record.valid_from:%Y-%m-%d}: {n.record.text}"
            for number, n in enumerate(shown, 1)
        )
        lines = "\n".join(line_of(replace(item, ref=None)) for item in standing) or "(none yet)"
        answer = REFLECTION.ask(self._llm, lines=lines, notes=notes)
        told: list[New] = []
        said: set[int] = set()
        for line in answer.lines:
            used = [number for number in line.numbers if 1 <= number <= len(shown) and number not in said]
            if used:
                said.update(used)
                told.append(_told(line, [shown[number - 1] for number in used]))
        weighty = [
            n for number, n in enumerate(shown, 1) if number not in said and _is_protected(n)
        ]  # a model does not leave these out
        return [*told, *weighty, *rest]


def _told(line: Line, notes: Sequence[New]) -> New:
    """A line for the first of its notes; in the rules' words where the model's are not theirs."""
    first = notes[0]
    weight = max([line.significance, *(n.item.significance or 1 for n in notes if _is_protected(n))])
    whole = " ".join(n.record.text for n in notes)
    words = content(line.text)
    grounded = (
        len(words & content(whole)) >= GROUNDED * len(words)
        and numbers(line.text) <= numbers(whole)
        and not looks_like_orders(line.text)
    )
    heading = Heading(line.heading)
    item = replace(
        first.item,
        heading=heading,
        text=line.text.strip() if grounded else first.item.text,
        significance=weight,
        day=None if heading == Heading.IS else first.record.valid_from.date(),
    )
    return New(first.record, as_read(item))


def _is_protected(new: New) -> bool:
    return (new.item.significance or 0) >= PROTECTED or new.record.pinned

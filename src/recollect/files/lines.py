"""Memories as lines of a memory file: which of them, under which heading, in which words."""

import re

from recollect.files.memory_md import Heading, Item, as_read, plain
from recollect.ingest.messages import UNTRUSTED
from recollect.model.record import SESSION, EpisodeType, Kind, Level, Record, Status

HAPPENED, DONE = "happened", "done"
"""The categories of what a person wrote under the second and the third heading."""
CATEGORIES = {Heading.IS: None, Heading.HAPPENED: HAPPENED, Heading.DONE: DONE}
PROTECTED = 4
"""From this significance on, a line is a person's business only."""
LONGEST = 240
"""Characters of a line that recollect writes."""
_FINISHED = re.compile(
    r"\b(?:finished|completed|shipped|released|deployed|merged|implemented|launched|fixed|solved|resolved)\b",
    re.IGNORECASE,
)
_SPEAKER = re.compile(r"(?:User|Assistant): ")
_DONE = (EpisodeType.TASK_COMPLETED, EpisodeType.PROBLEM_SOLVED)


def ref_of(id: str) -> str:
    """The short mark of a memory: the end of its id, which is random."""
    return id.replace("-", "")[-12:]


def heading_of(record: Record) -> Heading | None:
    """Where a memory stands, if it belongs in a file that assistants read as a person's own words.

    Passages and everything from documents, tools and imports stay out: a file has no fences.
    """
    if record.status != Status.ACTIVE or record.kind == Kind.PASSAGE or record.trust in UNTRUSTED:
        return None
    if record.episode is not None:
        return Heading.DONE if record.episode.type in _DONE else Heading.HAPPENED
    if record.category == DONE:
        return Heading.DONE
    if record.category in (HAPPENED, SESSION) or record.kind == Kind.ERROR:
        return Heading.HAPPENED
    if record.key is None and record.kind == Kind.FACT and _FINISHED.search(record.text):
        return Heading.DONE
    return Heading.IS


def item_of(record: Record, heading: Heading) -> Item:
    """The line of a memory as it will be read back; what happens has its day."""
    return as_read(
        Item(
            heading=heading,
            text=_short(record),
            significance=record.significance,
            day=None if heading == Heading.IS else record.valid_from.date(),
            ref=ref_of(record.id),
        )
    )


def _short(record: Record) -> str:
    whole = plain(_SPEAKER.sub("", record.text, count=1) if record.episode else record.text)
    if len(whole) <= LONGEST:
        return whole
    told = plain(record.at(Level.SUMMARY))
    return told if len(told) <= LONGEST else told[: LONGEST - 1].rstrip() + "…"

"""Reflection: what one pass over a memory file did, in the file and in the store."""

from dataclasses import dataclass

from recollect.model.receipt import Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Something only a person can decide: the line, the memory it stands for, and why it is asked."""

    line: str
    memory: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reflection:
    """What a pass read, wrote and asks.

    `read` is what a person's edits did to memories; `added`, `updated`, `removed`, `merged` and `pruned`
    count lines that recollect wrote. `diff` is how the file changed, or would change on a dry run.
    """

    path: str
    space: str
    conversations: int = 0
    read: tuple[Entry, ...] = ()
    added: int = 0
    updated: int = 0
    removed: int = 0
    merged: int = 0
    pruned: int = 0
    contradictions: int = 0
    questions: tuple[Question, ...] = ()
    problems: tuple[str, ...] = ()
    made_by: str = "rules:reflect"
    written: bool = False
    dry_run: bool = False
    diff: str = ""

"""LongMemEval: do the sessions and turns that hold the evidence come up? A space per question."""

from __future__ import annotations

import json
import lzma
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from recollect.errors import InvalidInput
from recollect.surfaces.bench.systems import System, Turn

TITLE = "LongMemEval: sessions and turns that hold the evidence"
CUTS = (5, 10)
DEPTH = 100
"""How many turns are asked for, so that ten distinct sessions are among them."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question, its haystack of sessions, and where the answer is."""

    id: str
    kind: str
    text: str
    asked_at: datetime
    haystack: tuple[tuple[str, datetime], ...]
    gold: frozenset[str]


@dataclass(frozen=True, slots=True)
class Data:
    """All questions, and the sessions they share: (speaker, text, holds the answer) per turn."""

    questions: tuple[Question, ...]
    sessions: dict[str, list[tuple[str, str, bool]]]


def load(folder: Path) -> Data:
    """Questions that have an answer, and all sessions."""
    try:
        lines = (folder / "questions.jsonl").read_text("utf-8").splitlines()
        with lzma.open(folder / "sessions.jsonl.xz", "rt", encoding="utf-8") as file:
            raw_sessions = [json.loads(line) for line in file]
    except FileNotFoundError as missing:
        raise InvalidInput(
            f"No LongMemEval data: {missing.filename} is missing (see bench/README.md)."
        ) from None
    sessions = {
        raw["id"]: [(t["role"], t["text"], bool(t.get("has_answer"))) for t in raw["turns"]]
        for raw in raw_sessions
    }
    raw_questions = [json.loads(line) for line in lines]
    return Data(tuple(_question(raw) for raw in raw_questions if not raw["abstain"]), sessions)


def _question(raw: dict[str, Any]) -> Question:
    return Question(
        id=raw["id"],
        kind=raw["type"],
        text=raw["question"],
        asked_at=_moment(raw["asked_at"]),
        haystack=tuple((session, _moment(date)) for session, date in raw["haystack"]),
        gold=frozenset(raw["gold_sessions"]),
    )


def _moment(text: str) -> datetime:
    return datetime.strptime(text[:10] + text[-5:], "%Y/%m/%d%H:%M").replace(tzinfo=UTC)


def turns_of(data: Data, question: Question) -> Iterator[tuple[Turn, bool]]:
    """The turns of a question's haystack, each with whether it holds the answer."""
    for session, at in question.haystack:
        for number, (speaker, text, holds) in enumerate(data.sessions[session]):
            moment = at + timedelta(seconds=number)
            yield Turn(f"{session}/{number}", session, number, speaker, moment, text), holds


def run(system: System, data: Data) -> list[dict[str, Any]]:
    """A receipt per question: sessions and turns found, wanted, and what share of them."""
    receipts = []
    for question in data.questions:
        turns = list(turns_of(data, question))
        system.add(question.id, [turn for turn, _ in turns])
        answering = {turn.id for turn, holds in turns if holds}
        # Evidence may be stamped later on the day of the question, so all of that day counts.
        asked_at = question.asked_at.replace(hour=23, minute=59)
        found = system.search(question.id, question.text, asked_at, DEPTH)
        ids = [hit.id for hit in found]
        sessions = list(dict.fromkeys(name.rpartition("/")[0] for name in ids))
        receipts.append(
            {
                "system": system.name,
                "id": question.id,
                "question": question.text,
                "type": question.kind,
                "gold": sorted(question.gold),
                "sessions": sessions[: max(CUTS)],
                "ranked": ids[: max(CUTS)],
                "scores": [round(hit.score, 4) for hit in found[: max(CUTS)]],
                **_measures(question.gold, sessions, answering, ids),
            }
        )
    return receipts


def _measures(
    gold: frozenset[str], sessions: list[str], answering: set[str], ids: list[str]
) -> dict[str, float]:
    measures: dict[str, float] = {}
    for k in CUTS:
        measures[f"any@{k}"] = float(not gold.isdisjoint(sessions[:k]))
        measures[f"all@{k}"] = float(gold <= set(sessions[:k]))
        if answering:
            measures[f"turn@{k}"] = len(answering & set(ids[:k])) / len(answering)
    return measures


def report(receipts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Means overall and by type of question."""
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for receipt in receipts:
        groups["all"].append(receipt)
        groups[receipt["type"]].append(receipt)
    names = [f"{what}@{k}" for what in ("any", "all", "turn") for k in CUTS]
    return {
        group: {"n": len(rows), **{name: _mean(rows, name) for name in names}}
        for group, rows in groups.items()
    }


def _mean(rows: Sequence[dict[str, Any]], name: str) -> float:
    values = [row[name] for row in rows if name in row]
    return round(sum(values) / len(values), 3) if values else 0.0

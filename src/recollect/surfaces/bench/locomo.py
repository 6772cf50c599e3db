"""LoCoMo: do the turns that hold the evidence come up among the first k? One space a conversation."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from recollect.errors import InvalidInput
from recollect.surfaces.bench.systems import System, Turn

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "inference", 4: "single-hop"}
TITLE = "LoCoMo, turn level, categories 1-4: recall of evidence turns"
CUTS = (5, 10, 20)
_EVIDENCE = re.compile(r"D(\d+):(\d+)")


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the turns that answer it."""

    text: str
    category: int
    gold: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Conversation:
    """All sessions of two people, and the questions about them, asked a day after the last."""

    name: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]
    asked_at: datetime


def load(folder: Path) -> list[Conversation]:
    """Every conversation of every JSON file in the folder."""
    files = sorted(folder.glob("*.json"))
    if not files:
        raise InvalidInput(f"No LoCoMo data: {folder} has no .json file (see bench/README.md).")
    return [_conversation(raw) for file in files for raw in json.loads(file.read_text("utf-8"))]


def _conversation(raw: dict[str, Any]) -> Conversation:
    told = raw["conversation"]
    numbers = sorted(int(k.split("_")[1]) for k in told if re.fullmatch(r"session_\d+", k))
    turns = []
    for number in numbers:
        at = datetime.strptime(told[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y")
        for place, turn in enumerate(told[f"session_{number}"]):
            shown = f" [shared {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            moment = at.replace(tzinfo=UTC) + timedelta(seconds=place)
            session = f"session {number}"
            text = turn["text"] + shown
            turns.append(Turn(turn["dia_id"], session, place, turn["speaker"], moment, text))
    questions = []
    for qa in raw["qa"]:
        evidence = _EVIDENCE.findall(" ".join(qa.get("evidence", ())))
        gold = tuple(dict.fromkeys(f"D{int(s)}:{int(t)}" for s, t in evidence))
        if gold and qa["category"] in CATEGORIES:
            questions.append(Question(qa["question"], qa["category"], gold))
    last = max(turn.at for turn in turns)
    name = raw["sample_id"]
    return Conversation(name, tuple(turns), tuple(questions), last + timedelta(days=1))


def run(system: System, data: Sequence[Conversation]) -> list[dict[str, Any]]:
    """A receipt per question: what was found, what was wanted, and recall at every cut."""
    receipts = []
    for conversation in data:
        system.add(conversation.name, conversation.turns)
        for question in conversation.questions:
            found = system.search(conversation.name, question.text, conversation.asked_at, max(CUTS))
            ids = [hit.id for hit in found]
            receipts.append(
                {
                    "system": system.name,
                    "conversation": conversation.name,
                    "question": question.text,
                    "category": question.category,
                    "gold": question.gold,
                    "ranked": ids,
                    "scores": [round(hit.score, 4) for hit in found],
                    "recall": {k: len(set(question.gold) & set(ids[:k])) / len(question.gold) for k in CUTS},
                }
            )
    return receipts


def report(receipts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Mean recall at every cut, overall, by category and by conversation."""
    groups: dict[str, list[dict[int, float]]] = defaultdict(list)
    for receipt in receipts:
        groups["all"].append(receipt["recall"])
        groups[CATEGORIES[receipt["category"]]].append(receipt["recall"])
        groups[receipt["conversation"]].append(receipt["recall"])
    return {
        name: {"n": len(rows), **{f"R@{k}": _mean([row[k] for row in rows]) for k in CUTS}}
        for name, rows in groups.items()
    }


def _mean(values: Sequence[float]) -> float:
    return round(100 * sum(values) / len(values), 2)

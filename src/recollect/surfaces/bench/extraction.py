"""Extraction: how much of what people say about themselves the rules find, and how much of it is right.

- personas: the share of persona facts that some candidate of that person carries. A candidate
  carries a fact when it holds at least 60 % of the fact's telling stems (all of them where there
  are one or two) and both are affirmed or both denied. Many facts never come up in the talk: `said`
  counts those that some single message of that person carries by the same test, about the ceiling
  for any extractor.
- locomo: the share of observations that a candidate from the observation's own source turn carries:
  stem overlap (F1) of at least 0.4, same polarity.
- support: the share of candidates all of whose telling stems stand in their source message.
- precision: from judged samples (right, wrong, junk), by candidate ids; verdicts whose candidate is no
  longer produced are counted as stale and left out.

Indices are split: rules were designed on even ones, so `odd` is the figure to trust.
"""

import hashlib
import json
import random
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from recollect.ingest.rules.candidate import Candidate, Said
from recollect.ingest.rules.extract import MIN_CONFIDENCE, extract
from recollect.surfaces.bench.folders import folder_of, rows, share, shown, written
from recollect.text.similarity import negated
from recollect.text.terms import STOP_WORDS, stem, words

TIME = datetime(2024, 5, 1, 12, tzinfo=UTC)
_GENERIC = frozenset(
    """have has had am is are was were like likes love loves enjoy enjoys i'm i've my me user also
    really very favorite favourite currently recently often get go going s don't doesn't
    didn't can't not never no their they them speaker like person name""".split()
)


@dataclass(frozen=True, slots=True)
class Turn:
    """One message with its place: data set, conversation, turn id."""

    source: str
    conversation: int
    turn: str
    said: Said
    previous: Said | None


def persona_turns(data: Path) -> Iterator[tuple[int, dict[str, list[str]], list[Turn]]]:
    """Each persona conversation with its facts and turns."""
    folder = folder_of(data, "personas", "conversations.jsonl")
    for index, row in enumerate(rows(folder / "conversations.jsonl")):
        turns: list[Turn] = []
        previous: Said | None = None
        for number, text in enumerate(row["turns"]):
            speaker, _, body = text.partition(": ")
            said = Said(body, TIME, "user", speaker)
            turns.append(Turn("personas", index, str(number), said, previous))
            previous = said
        yield index, row["personas"], turns


def locomo_turns(data: Path) -> Iterator[tuple[int, dict[str, list[tuple[str, str]]], list[Turn]]]:
    """Each LoCoMo conversation with its observations by turn and its turns."""
    files = sorted(folder_of(data, "locomo", "*.json").glob("*.json"))
    told = (row for file in files for row in json.loads(file.read_text("utf-8")))
    for index, row in enumerate(told):
        turns: list[Turn] = []
        talk = row["conversation"]
        sessions = sorted((k for k in talk if re.fullmatch(r"session_\d+", k)), key=lambda k: int(k[8:]))
        for session in sessions:
            at = datetime.strptime(talk[session + "_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
            previous: Said | None = None
            for turn in talk[session]:
                said = Said(turn["text"], at, "user", turn["speaker"])
                turns.append(Turn("locomo", index, turn["dia_id"], said, previous))
                previous = said
        yield index, _observations(row), turns


def _observations(row: dict[str, Any]) -> dict[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    for session in row["observation"].values():
        for speaker, items in session.items():
            for text, source in items:
                for turn in re.findall(r"D\d+:\d+", str(source)):
                    found.setdefault(turn, []).append((speaker, text))
    return found


def candidates(turn: Turn) -> list[Candidate]:
    """What the rules would store of one turn."""
    return [c for c in extract(turn.said, turn.previous) if c.confidence >= MIN_CONFIDENCE]


def telling(text: str, drop: str = "") -> frozenset[str]:
    """The stems that carry a statement, without the speaker's name and generic verbs."""
    skip = {stem(w) for w in words(drop)} | {"1", "2"}
    found = (stem(w) for w in words(text) if w not in STOP_WORDS and w not in _GENERIC)
    return frozenset(s for s in found if s not in skip)


def carries(candidate: str, fact: str, speaker: str) -> bool:
    """Whether a candidate (or a message) holds a persona fact."""
    need, have = telling(fact, speaker), telling(candidate, speaker)
    if not need:
        return False
    share = len(need & have) / len(need)
    return share >= (1.0 if len(need) <= 2 else 0.6)


def overlaps(candidate: str, observation: str, speaker: str) -> bool:
    """Whether a candidate and an observation say about the same (F1 of their stems)."""
    a, b = telling(candidate, speaker), telling(observation, speaker)
    both = len(a & b)
    return bool(both) and 2 * both / (len(a) + len(b)) >= 0.4 and negated(candidate) == negated(observation)


def personas(data: Path) -> dict[str, Any]:
    """Recall of persona facts, all and those said, on both halves."""
    counts: dict[str, dict[str, Any]] = {
        half: {"facts": 0, "said": 0, "found": 0, "stored": 0} for half in ("even", "odd")
    }
    for index, facts, turns in persona_turns(data):
        tally = counts["odd" if index % 2 else "even"]
        made = {t.turn: candidates(t) for t in turns}
        tally["stored"] += sum(len(c) for c in made.values())
        for speaker, items in facts.items():
            mine = [t for t in turns if t.said.speaker == speaker]
            for fact in items:
                tally["facts"] += 1
                tally["said"] += any(carries(t.said.text, fact, speaker) for t in mine)
                tally["found"] += any(
                    carries(c.text, fact, speaker) and negated(c.text) == negated(fact)
                    for t in mine
                    for c in made[t.turn]
                )
    for tally in counts.values():
        tally["recall"] = share(tally["found"], tally["facts"])
        tally["recall_of_said"] = share(tally["found"], tally["said"])
    return counts


def locomo(data: Path) -> dict[str, Any]:
    """Recall of observations by candidates of their own source turn."""
    counts = {half: {"observations": 0, "found": 0, "stored": 0, "turns": 0} for half in ("even", "odd")}
    for index, observations, turns in locomo_turns(data):
        tally = counts["odd" if index % 2 else "even"]
        for turn in turns:
            made = candidates(turn)
            tally["turns"] += 1
            tally["stored"] += len(made)
            for speaker, text in observations.get(turn.turn, []):
                tally["observations"] += 1
                tally["found"] += any(overlaps(c.text, text, speaker) for c in made)
    return {half: {**t, "recall": share(t["found"], t["observations"])} for half, t in counts.items()}


def every_candidate(data: Path) -> Iterator[tuple[Turn, Candidate]]:
    """All candidates of both sets."""
    for _, _, turns in persona_turns(data):
        for turn in turns:
            yield from ((turn, c) for c in candidates(turn))
    for _, _, turns in locomo_turns(data):
        for turn in turns:
            yield from ((turn, c) for c in candidates(turn))


def identify(turn: Turn, candidate: Candidate) -> str:
    """An id without data text: place, rule and a digest of the statement."""
    digest = hashlib.sha256(candidate.text.encode()).hexdigest()[:8]
    return f"{turn.source}/{turn.conversation}/{turn.turn}/{candidate.rule}/{digest}"


def support(data: Path) -> dict[str, Any]:
    """The share of candidates whose words all stand in their source or the question answered."""
    total = held = 0
    for turn, candidate in every_candidate(data):
        source = turn.said.text + " " + (turn.previous.text if turn.previous else "")
        text = re.sub(r"\([^)]*\d[^)]*\)", "", candidate.text)
        mine = telling(text, turn.said.speaker) - {"other", "ask", "want", "call", "decid"}
        total += 1
        held += mine <= telling(source, turn.said.speaker) | {stem(w) for w in words(source)}
    return {"candidates": total, "supported": share(held, total)}


def sample(data: Path, size: int, seed: int, source: str) -> list[tuple[Turn, Candidate]]:
    """A seeded random sample over both sets or one, drawn from the sorted ids."""
    pool = sorted(every_candidate(data), key=lambda pair: identify(*pair))
    pool = [pair for pair in pool if source in ("", pair[0].source)]
    return random.Random(seed).sample(pool, min(size, len(pool)))


def precision(data: Path, samples: Path) -> dict[str, Any]:
    """Verdicts of the judged samples in a folder, as far as their candidates are still made."""
    known = {identify(*pair) for pair in every_candidate(data)}
    result: dict[str, Any] = {}
    for path in sorted(samples.glob("extraction*.jsonl")):
        judged = list(rows(path))
        live = [row for row in judged if row["id"] in known]
        right = sum(row["verdict"] == "right" for row in live)
        result[path.stem] = {
            "judged": len(judged), "stale": len(judged) - len(live), "right": right,
            "wrong": sum(row["verdict"] == "wrong" for row in live),
            "junk": sum(row["verdict"] == "junk" for row in live),
            "precision": share(right, len(live)),
            "precision_as_drawn": share(sum(r["verdict"] == "right" for r in judged), len(judged)),
        }  # fmt: skip
    return result


def speed(data: Path) -> dict[str, Any]:
    """Processor time for one message, over every LoCoMo turn."""
    turns = [t for _, _, turns in locomo_turns(data) for t in turns]
    begin = time.process_time()
    for turn in turns:
        extract(turn.said, turn.previous)
    spent = time.process_time() - begin
    return {"messages": len(turns), "ms_per_message": round(1000 * spent / len(turns), 3)}


def measure(data: Path, json: str | None, samples: Path | None) -> None:
    """Run every measure that there is data for, and print it."""
    figures = {
        "personas": personas(data),
        "locomo": locomo(data),
        "support": {"all": support(data)},
        "speed": {"locomo": speed(data)},
    }
    if samples is not None:
        figures["precision"] = precision(data, samples)
    for name, table in figures.items():
        shown(f"Extraction: {name}", table)
    written(figures, json)


def to_judge(data: Path, size: int, seed: int, source: str) -> None:
    """Print a sample of candidates with their source for a person to judge."""
    for turn, made in sample(data, size, seed, source):
        print(f"{identify(turn, made)}\n  said: {turn.said.text}\n  kept: {made.text}")

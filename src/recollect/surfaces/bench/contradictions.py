"""Contradictions: how many are found, and how many of those found are ones, without a model.

Labelled pairs (every `*.jsonl` of the folder with `a`, `b` and `label`) are given to the detector. Where a
set only says `not_entailment`, a pair may or may not be a contradiction: those are left out. Pairs are
split in two halves by a hash of the first statement's words; the rules were fitted on `tuned` alone.

Keyed conflicts are made from lists of facts in which later ones overwrite earlier ones: two facts that are
equal up to what follows the verb ("Chanel was founded by …") conflict; each fact is paired with the most
similar one that is about something else, to see what is found too much. The same facts are also remembered
as plain notes in a real store, whose inbox is then compared with the conflicts that are there.
"""

import hashlib
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from typing import Any

from recollect.memory import Memory
from recollect.surfaces.bench.folders import folder_of, maybe_folder, rows, share, shown, written
from recollect.text.clash import DOUBTFUL, SURE, Claim, clash
from recollect.text.reading import missing, read
from recollect.text.similarity import content
from recollect.upkeep.claims import claim_in

AT = datetime(2024, 5, 1, 12, tzinfo=UTC)
_FRAME = re.compile(
    r"(?P<frame>.+? (?:is|was|are|were|plays|speaks|works|worked|died|has)\b"
    r"(?: (?:an?|the|in|by|of|with|for|to|as|city|country|continent|position|sport|language|religion|"
    r"citizen|famous|known|born|written|[a-z]+ed)\b)*) (?P<value>.+?)\.?"
)


def measure(data: Path, json: str | None, embedder: str | None) -> None:
    """Measure on the labelled pairs and on the lists of facts that the folder has; print tables."""
    folder = folder_of(data, "contradiction", "*.jsonl")
    receipts = [receipt for file in sorted(folder.glob("*.jsonl")) for receipt in _pairs(file)]
    table = {name: _figures(some) for name, some in _groups(receipts).items()}
    shown("Pairs: the detector alone", table)
    figures: dict[str, Any] = {"pairs": table}
    updates = maybe_folder(data, "fact_updates", "facts.jsonl")
    if updates is not None:
        keyed = [receipt for row in rows(updates / "facts.jsonl") for receipt in _keyed(row)]
        names = sorted({receipt["source"] for receipt in keyed})
        table = {name: _figures([r for r in keyed if r["source"] == name]) for name in names}
        shown("Keyed conflicts: the detector alone", table)
        lists = {row["name"]: _through_store(row["facts"], embedder) for row in rows(updates / "facts.jsonl")}
        shown("Keyed conflicts: facts as notes in a store", lists)
        figures |= {"keyed": table, "store": lists}
        receipts += keyed
    written({"figures": figures, "receipts": receipts}, json)


def _pairs(file: Path) -> list[dict[str, Any]]:
    """What the detector says of each labelled pair."""
    found = []
    for row in rows(file):
        if "label" in row and row["label"] != "not_entailment":
            found.append(
                _receipt(file.stem, row["a"], row["b"], row["label"] == "contradiction")
                | {"set": row.get("set", ""), "half": half(row["a"])}
                | {"same_words": _same_words(row["a"], row["b"])}
            )
    return found


def half(text: str) -> str:
    """`tuned` or `held`, by the words of a statement, so that variants of it fall together."""
    digest = hashlib.sha256(" ".join(sorted(content(text))).encode()).digest()
    return "held" if digest[0] % 2 else "tuned"


def _same_words(a: str, b: str) -> bool:
    """Whether one denies in words that the other has too: a denial in so many words."""
    one, other = read(a), read(b)
    short, long = sorted((one, other), key=lambda r: len(r.words))
    return one.denies != other.denies and bool(short.words) and not missing(short.words, long.words)


def _receipt(source: str, a: str, b: str, gold: bool, claims: Sequence[Claim] = ()) -> dict[str, Any]:
    found = clash(*(claims or (Claim(a), Claim(b))))
    return {
        "source": source,
        "a": a,
        "b": b,
        "contradiction": gold,
        "ground": None if found is None else str(found.ground),
        "confidence": 0.0 if found is None else found.confidence,
    }


def _groups(receipts: Sequence[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Receipts by source and half, and those that deny in the same words."""
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for receipt in receipts:
        groups[f"{receipt['source']}, {receipt['half']}"].append(receipt)
        if receipt["set"]:
            groups[f"{receipt['source']} {receipt['set']}, {receipt['half']}"].append(receipt)
        if receipt["same_words"]:
            groups[f"denied in the same words, {receipt['half']}"].append(receipt)
    return {name: groups[name] for name in sorted(groups)}


def _figures(receipts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Recall and precision of what is sure, and of all that has a sign of a contradiction."""
    gold = sum(receipt["contradiction"] for receipt in receipts)
    figures: dict[str, Any] = {"n": len(receipts), "gold": gold}
    for name, least in (("", SURE), (", any", DOUBTFUL)):
        taken = [receipt for receipt in receipts if receipt["confidence"] >= least]
        right = sum(receipt["contradiction"] for receipt in taken)
        figures[f"recall{name}"] = share(right, gold)
        figures[f"precis.{name}"] = share(right, len(taken))
    return figures


def _frames(facts: Iterable[str]) -> dict[str, list[str]]:
    """The facts by what they are about: those of one frame differ in the value only."""
    found: dict[str, list[str]] = defaultdict(list)
    for fact in dict.fromkeys(facts):
        match = _FRAME.fullmatch(fact)
        found[match["frame"] if match else fact].append(fact)
    return found


def _keyed(row: dict[str, Any]) -> list[dict[str, Any]]:
    """Every conflict of a list, and for each fact its most similar stranger."""
    frames = _frames(row["facts"])
    made = []
    for some in frames.values():
        for a, b in combinations(some, 2):
            made.append((a, b, True))
    frame_of = {fact: frame for frame, some in frames.items() for fact in some}
    having: dict[str, list[str]] = defaultdict(list)
    for fact in frame_of:
        for word in content(fact):
            having[word].append(fact)
    for fact, frame in frame_of.items():
        rare = sorted(content(fact), key=lambda word: (len(having[word]), word))[:4]
        near = {other for word in rare for other in having[word][:200] if frame_of[other] != frame}
        if near:
            made.append(
                (fact, max(near, key=lambda other: (len(content(fact) & content(other)), other)), False)
            )
    return [_receipt(row["name"], a, b, gold, (claim_in(a, AT), claim_in(b, AT))) for a, b, gold in made]


def _through_store(facts: Sequence[str], embedder: str | None) -> dict[str, Any]:
    """Remember each fact as a note; what is in the inbox afterwards."""
    frames = _frames(facts)
    gold = {frozenset(pair) for some in frames.values() for pair in combinations(some, 2)}
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "bench.db"
        with Memory(place, view="bench:facts", embedder=embedder, background=False) as memory:
            for fact in dict.fromkeys(facts):
                memory.remember(fact)
            memory.jobs.run()
            found = {frozenset((d.a.text, d.b.text)) for d in memory.contradictions.list()}
    right = len(found & gold)
    return {
        "facts": len(set(facts)),
        "gold": len(gold),
        "found": len(found),
        "recall": share(right, len(gold)),
        "precis.": share(right, len(found)),
    }

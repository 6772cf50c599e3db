"""Keyed updates: whether the newest value answers when all facts of a list were heard in order.

`rules` reads facts and questions with the extraction rules alone (single-hop lists only). `first` and
`among 5` ask a real store that heard the facts as messages: the share of questions whose answer stands in the
first memory recalled, or in one of the first five.
"""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from recollect.ingest.rules.candidate import Said
from recollect.ingest.rules.extract import extract
from recollect.ingest.rules.reconcile import Known, reconcile
from recollect.ingest.rules.relations import Relation, ask
from recollect.memory import Memory
from recollect.model.conversation import NewMessage
from recollect.model.filter import Filter
from recollect.surfaces.bench.extraction import TIME
from recollect.surfaces.bench.folders import folder_of, rows, share, shown, written


def measure(data: Path, json: str | None, embedder: str | None) -> None:
    """Measure on every list of facts in the folder; print a table."""
    folder = folder_of(data, "fact_updates", "facts.jsonl")
    table: dict[str, dict[str, Any]] = {}
    receipts = []
    for row in rows(folder / "facts.jsonl"):
        asked = _asked(row, embedder)
        receipts += asked
        n = len(asked)
        single = "sh" in row["name"].split("_")
        table[row["name"]] = {
            "facts": len(row["facts"]),
            "questions": n,
            "rules": share(sum(_by_rules(row)), n) if single else "-",
            "first": share(sum(r["place"] == 1 for r in asked), n),
            "among 5": share(sum(0 < r["place"] <= 5 for r in asked), n),
        }
    shown("Fact updates: the newest value answers", table)
    written({"figures": table, "receipts": receipts}, json)


def _by_rules(row: dict[str, Any]) -> list[bool]:
    """Whether the newest keyed fact answers each single-hop question."""
    current = consolidated(row["facts"])
    found = []
    for question in row["questions"]:
        answers = {a.casefold() for a in question["answers"]}
        best = ask(question["question"], current)
        found.append(bool(best) and best[0].value.casefold() in answers)
    return found


def consolidated(facts: Sequence[str]) -> list[Relation]:
    """The relations in force after all facts have been heard in order."""
    held: dict[tuple[str, str], list[Known]] = {}
    order: dict[str, Relation] = {}
    for number, text in enumerate(facts):
        for made in extract(Said(text, TIME, "user")):
            slot = held.setdefault((made.subject, made.key), [])
            verdict = reconcile(made, slot)
            if verdict.action in ("add", "supersede", "contradiction"):
                slot[:] = [k for k in slot if k.id not in verdict.replaces]
                known = Known.of(made, str(number))
                slot.append(known)
                order[known.id] = Relation(made.subject, made.key, made.key, made.value)
    live = {k.id for slot in held.values() for k in slot}
    return [relation for number, relation in order.items() if number in live]


def _asked(row: dict[str, Any], embedder: str | None) -> list[dict[str, Any]]:
    """At which place of what is recalled from a real store each question's answer stands; 0 for nowhere."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "bench.db"
        with Memory(place, view="bench:facts", embedder=embedder, background=False) as memory:
            for start in range(0, len(row["facts"]), 500):
                memory.add_many([NewMessage(text=fact) for fact in row["facts"][start : start + 500]])
            memory.jobs.run()
            for question in row["questions"]:
                hits = memory.recall(question["question"], wanted=Filter(items=("memory",)), limit=5).found
                answers = [answer.casefold() for answer in question["answers"]]
                places = (
                    i for i, hit in enumerate(hits, 1) if any(a in hit.text.casefold() for a in answers)
                )
                found.append(
                    {
                        "list": row["name"],
                        "question": question["question"],
                        "answers": question["answers"],
                        "recalled": [hit.text for hit in hits],
                        "place": next(places, 0),
                    }
                )
    return found

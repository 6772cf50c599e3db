"""How much of the evidence is in a context of 500 to 8,000 tokens: `python bench/context.py --data FOLDER`.

Ours (the layout `chat`, rendered with refs and days) against the last messages that fit, plain top-k (the
most similar by the same embedder, a dated line each, until the budget is full), and our own recall's hits
listed in the same plain way. A gold turn counts by the
share of its text that is shown. One store per haystack, whose sessions are over when the question comes.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from common import table
from recollect import Context, Filter, Memory, Message, NewMessage
from recollect.models import registry
from recollect.models.tokens import tokenizer_for
from recollect.surfaces.bench import locomo, longmemeval
from recollect.surfaces.bench.run import Remembering
from recollect.surfaces.bench.systems import Dense, Turn

BUDGETS = (500, 1_000, 2_000, 4_000, 8_000)
COUNT = tokenizer_for("o200k").count


@dataclass(frozen=True)
class Case:
    """A question with its haystack and the turns that answer it."""

    space: str
    turns: Sequence[Turn]
    question: str
    asked_at: datetime
    gold: frozenset[str]


def locomo_cases(folder: Path) -> Iterator[Case]:
    """Every question of LoCoMo that has evidence."""
    for talk in locomo.load(folder):
        for question in talk.questions:
            yield Case(talk.name, talk.turns, question.text, talk.asked_at, frozenset(question.gold))


def longmemeval_cases(folder: Path) -> Iterator[Case]:
    """Every question of LongMemEval whose evidence is marked turn by turn."""
    data = longmemeval.load(folder)
    for question in data.questions:
        told = list(longmemeval._turns(data, question))
        gold = frozenset(turn.id for turn, holds in told if holds)
        if gold:
            at = question.asked_at.replace(hour=23, minute=59)
            yield Case(question.id, [turn for turn, _ in told], question.text, at, gold)


class Bench:
    """One store for all haystacks, and what was measured."""

    def __init__(self, path: Path, embedder: str) -> None:
        self.now = datetime.now().astimezone()
        model = Remembering(registry.embedder(embedder))
        self.memory = Memory(path, embedder=model, clock=lambda: self.now, background=False)
        self.dense = Dense(model)
        self.names: dict[str, dict[str, Turn]] = {}
        self.shares: dict[tuple[str, int], list[tuple[float, bool, bool, int]]] = defaultdict(list)

    def store(self, case: Case) -> Memory:
        """The haystack of a case, stored once."""
        view = self.memory.view(f"bench:{case.space}")
        if case.space in self.names:
            return view
        names: dict[str, Turn] = {}
        sessions: dict[str, list[Turn]] = defaultdict(list)
        for turn in case.turns:
            if turn.text.strip():
                sessions[turn.conversation].append(turn)
        for title, said in sessions.items():
            chat = view.conversations.start(title)
            roles = {"user": "user", "assistant": "assistant"}
            messages = [
                NewMessage(text=t.text, role=roles.get(t.speaker, "user"), speaker=t.speaker, said_at=t.at)  # type: ignore[arg-type]
                for t in said
            ]
            receipt = view.add_many(messages, conversation=chat.id)
            names.update(zip(receipt.ids, said, strict=True))
            view.conversations.end(chat.id)
        self.names[case.space] = names
        self.dense.add(case.space, [turn for turn in case.turns if turn.text.strip()])
        self.memory.jobs.run()
        return view

    def ask(self, case: Case) -> None:
        """All systems at all budgets for one question."""
        view = self.store(case)
        self.now = case.asked_at
        found = view.recall(case.question, wanted=Filter(items=("message",)), limit=200)
        ranked = [f.item for f in found if isinstance(f.item, Message)]
        similar = self.dense.search(case.space, case.question, case.asked_at, 300)
        by_name = {turn.id: turn for turn in case.turns}
        for budget in BUDGETS:
            made = view.context(case.question, layout="chat", budget=budget)
            assert made.tokens <= budget
            self._note("recollect", budget, case, self._shown(made, case), made.tokens)
            self._note("recall, listed", budget, case, *self._until_full(ranked, case, budget))
            nearest = [(f.id, by_name[f.id]) for f in similar]
            self._note("top-k", budget, case, *_lines(nearest, budget))
            last = sorted(case.turns, key=lambda t: (t.at, t.number), reverse=True)
            self._note("last", budget, case, *_lines([(t.id, t) for t in last], budget))

    def _shown(self, made: Context, case: Case) -> dict[str, float]:
        names = self.names[case.space]
        return {
            names[t.id].id: min(1.0, len(t.text) / len(names[t.id].text)) for t in made.taken if t.id in names
        }

    def _until_full(self, ranked: Sequence[Message], case: Case, budget: int) -> tuple[dict[str, float], int]:
        names = self.names[case.space]
        return _lines([(names[m.id].id, names[m.id]) for m in ranked], budget)

    def _note(self, system: str, budget: int, case: Case, shown: dict[str, float], tokens: int) -> None:
        held = [shown.get(turn, 0.0) for turn in case.gold]
        share = sum(held) / len(held)
        self.shares[system, budget].append((share, min(held) > 0, max(held) > 0, tokens))


def _lines(turns: Sequence[tuple[str, Turn]], budget: int) -> tuple[dict[str, float], int]:
    """Dated lines one after another until the next one does not fit."""
    used = 0
    shown: dict[str, float] = {}
    for name, turn in turns:
        cost = COUNT(f"[{turn.at:%Y-%m-%d %H:%M}] {turn.speaker}: {turn.text}\n")
        if used + cost > budget:
            break
        used += cost
        shown[name] = 1.0
    return shown, used


def report(bench: Bench, title: str) -> None:
    """A row for every system and budget."""
    rows = []
    for (system, budget), held in sorted(bench.shares.items(), key=lambda one: (one[0][1], one[0][0])):
        n = len(held)
        share, all_, any_ = (sum(float(row[i]) for row in held) / n for i in range(3))
        tokens = sum(row[3] for row in held) / n
        per = 1000 * share / tokens if tokens else 0.0
        figures = (
            f"{100 * share:.1f}",
            f"{100 * all_:.1f}",
            f"{100 * any_:.1f}",
            f"{per:.2f}",
            f"{tokens:.0f}",
        )
        rows.append((f"{budget:,}", system, *figures))
    print(f"\n{title}, {n} questions\n")
    table(("budget", "system", "evidence %", "all turns %", "any turn %", "evidence/1,000", "tokens"), rows)


def main() -> None:
    """Measure on the sets that the folder has."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("RECOLLECT_BENCH_DATA"))
    parser.add_argument("--only", choices=["locomo", "longmemeval"])
    parser.add_argument("--embedder", default=registry.LIGHT_EMBEDDER)
    parser.add_argument("--every", type=int, default=1, help="only every n-th question")
    options = parser.parse_args()
    if options.data is None:
        sys.exit("name the folder with the data: --data FOLDER, or set RECOLLECT_BENCH_DATA")
    for name, cases in (("locomo", locomo_cases), ("longmemeval", longmemeval_cases)):
        folder = next(iter(sorted(Path(options.data).glob(f"{name}*"))), None)
        if folder is None or options.only not in (None, name):
            continue
        with tempfile.TemporaryDirectory() as place:
            bench = Bench(Path(place) / "bench.db", options.embedder)
            for number, case in enumerate(cases(folder)):
                if number % options.every == 0:
                    bench.ask(case)
            bench.memory.close()
        report(bench, name)


if __name__ == "__main__":
    main()

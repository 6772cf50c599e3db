"""Context: how much of the evidence is in a context of 500 to 8,000 tokens.

Ours (the layout `chat`, rendered with refs and days) against the last messages that fit, plain top-k (the
best by BM25, or the most similar by the same embedder: a dated line each, until the budget is full), and our
own recall's hits listed in the same plain way. A gold turn counts by the share of its text that is shown.
One store per haystack, whose sessions are over when the question comes.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from recollect.errors import InvalidInput
from recollect.memory import Memory
from recollect.model.context import Context
from recollect.model.conversation import Message, NewMessage, Role
from recollect.model.filter import Filter
from recollect.models import registry
from recollect.models.tokens import tokenizer_for
from recollect.surfaces.bench import locomo, longmemeval
from recollect.surfaces.bench.folders import maybe_folder, shown, written
from recollect.surfaces.bench.run import Remembering
from recollect.surfaces.bench.systems import Bm25, Dense, System, Turn

BUDGETS = (500, 1_000, 2_000, 4_000, 8_000)


@dataclass(frozen=True, slots=True)
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
        told = list(longmemeval.turns_of(data, question))
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
        self.plain: dict[str, System] = {"vector top-k": Dense(model), "BM25 top-k": Bm25()}
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
            messages = [
                NewMessage(text=t.text, role=_role(t.speaker), speaker=t.speaker, said_at=t.at) for t in said
            ]
            receipt = view.add_many(messages, conversation=chat.id)
            names.update(zip(receipt.ids, said, strict=True))
            view.conversations.end(chat.id)
        self.names[case.space] = names
        for system in self.plain.values():
            system.add(case.space, [turn for turn in case.turns if turn.text.strip()])
        self.memory.jobs.run()
        return view

    def ask(self, case: Case) -> None:
        """All systems at all budgets for one question."""
        view = self.store(case)
        self.now = case.asked_at
        found = view.recall(case.question, wanted=Filter(items=("message",)), limit=200)
        ranked = [f.item for f in found if isinstance(f.item, Message)]
        by_name = {turn.id: turn for turn in case.turns}
        plain = {
            name: [(f.id, by_name[f.id]) for f in one.search(case.space, case.question, case.asked_at, 300)]
            for name, one in self.plain.items()
        }
        for budget in BUDGETS:
            made = view.context(case.question, layout="chat", budget=budget)
            assert made.tokens <= budget
            self._note("recollect", budget, case, self._shown(made, case), made.tokens)
            self._note("recall, listed", budget, case, *self._until_full(ranked, case, budget))
            for name, best in plain.items():
                self._note(name, budget, case, *_lines(best, budget))
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
        cost = tokenizer_for("o200k").count(f"[{turn.at:%Y-%m-%d %H:%M}] {turn.speaker}: {turn.text}\n")
        if used + cost > budget:
            break
        used += cost
        shown[name] = 1.0
    return shown, used


def _role(speaker: str) -> Role:
    return Role.ASSISTANT if speaker == "assistant" else Role.USER


def report(bench: Bench) -> dict[str, dict[str, float]]:
    """Figures for every system and budget."""
    table = {}
    for (system, budget), held in sorted(bench.shares.items(), key=lambda one: (one[0][1], one[0][0])):
        n = len(held)
        part, every, some = (sum(float(row[i]) for row in held) / n for i in range(3))
        tokens = sum(row[3] for row in held) / n
        table[f"{budget:,} {system}"] = {
            "n": n,
            "evidence %": round(100 * part, 1),
            "all turns %": round(100 * every, 1),
            "any turn %": round(100 * some, 1),
            "per 1,000": round(1000 * part / tokens, 2) if tokens else 0.0,
            "tokens": round(tokens),
        }
    return table


def measure(data: Path, json: str | None, embedder: str | None, only: str | None, every: int) -> None:
    """Measure on those of LoCoMo and LongMemEval that the folder has; of each, every n-th question."""
    figures = {}
    for name, needs, cases in (
        ("locomo", "*.json", locomo_cases),
        ("longmemeval", "questions.jsonl", longmemeval_cases),
    ):
        folder = maybe_folder(data, name, needs) if only in (None, name) else None
        if folder is None:
            continue
        with tempfile.TemporaryDirectory() as place:
            bench = Bench(Path(place) / "bench.db", embedder or registry.LIGHT_EMBEDDER)
            for number, case in enumerate(cases(folder)):
                if number % every == 0:
                    bench.ask(case)
            bench.memory.close()
        figures[name] = report(bench)
        shown(f"Evidence in a context: {name}", figures[name])
    if not figures:
        raise InvalidInput(f"{data} has no folder locomo* or longmemeval*: see bench/README.md")
    written(figures, json)

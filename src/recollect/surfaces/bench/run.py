"""Run a protocol on recollect, as a user would open it, and on the baselines, in one run."""

import json
import math
import tempfile
import time
from argparse import Namespace
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from recollect.memory import Memory
from recollect.model.conversation import NewMessage
from recollect.model.filter import Filter
from recollect.models import registry
from recollect.recall.recipes import Recipe
from recollect.surfaces.bench.systems import Bm25, Dense, Found, Rrf, System, Turn

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from recollect.models.ports import Embedder

AS_LONG_AS_IT_TAKES = math.inf


class Evaluation(Protocol):
    """A protocol: its data, its run over a system, and its table."""

    TITLE: str

    def load(self, folder: Path) -> Any:
        """The data in a folder."""

    def run(self, system: System, data: Any) -> list[dict[str, Any]]:
        """A receipt for every question."""

    def report(self, receipts: Sequence[dict[str, Any]]) -> dict[str, dict[str, Any]]:
        """Figures by group of questions."""


def measure(protocol: Evaluation, options: Namespace) -> None:
    """Measure recollect and the baselines; print a table each, write the receipts."""
    local = options.recipe == "local"
    spec = options.embedder or (registry.LOCAL_EMBEDDER if local else registry.LIGHT_EMBEDDER)
    embedder = Remembering(registry.embedder(spec))
    patience = options.rerank_ms if options.rerank_ms is not None else (AS_LONG_AS_IT_TAKES if local else 0.0)
    data = protocol.load(options.data)
    print(f"{protocol.TITLE}\nembedder {spec}, reranking {'on' if patience else 'off'}\n")
    receipts: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "bench.db", embedder, options.recipe, patience)
        systems: list[System] = [store]
        if not options.no_baselines:
            words, dense = Bm25(), Dense(embedder)
            systems += [words, dense, Rrf(words, dense)]
        for system in systems:
            started = time.perf_counter()
            rows = protocol.run(system, data)
            receipts += rows
            _print(system.name, protocol.report(rows), time.perf_counter() - started)
        store.close()
    if options.json:
        Path(options.json).write_text(json.dumps(receipts, indent=1), "utf-8")


class Store:
    """recollect itself: a real store, its jobs and its recall, one space for each haystack."""

    def __init__(self, path: Path, embedder: "Embedder", recipe: str, rerank_ms: float) -> None:
        self.name = f"recollect ({recipe})"
        self._now = datetime.now().astimezone()
        self._memory = Memory(path, embedder=embedder, clock=lambda: self._now, background=False)
        self.recipe: str | Recipe = recipe
        self._rerank_ms = rerank_ms
        self._turns: dict[str, dict[str, str]] = {}

    def add(self, space: str, turns: Sequence[Turn]) -> None:
        """Store each conversation of a haystack, and do the follow-up work."""
        view = self._memory.view(f"bench:{space}")
        names: dict[str, str] = {}
        by_conversation: dict[str, list[Turn]] = {}
        for turn in turns:
            by_conversation.setdefault(turn.conversation, []).append(turn)
        for title, said in by_conversation.items():
            chat = view.conversations.start(title)
            kept = [turn for turn in said if turn.text.strip()]
            messages = [NewMessage(text=t.text, speaker=t.speaker, said_at=t.at) for t in kept]
            receipt = view.add_many(messages, conversation=chat.id)
            names.update({id: turn.id for id, turn in zip(receipt.ids, kept, strict=True)})
        self._turns[space] = names
        self._memory.jobs.run()

    def search(self, space: str, query: str, at: datetime, limit: int) -> list[Found]:
        """What recall finds at that time, as turns."""
        self._now = at
        found = self._memory.view(f"bench:{space}").recall(
            query,
            wanted=Filter(items=("message",)),
            limit=limit,
            recipe=self.recipe,
            rerank_ms=self._rerank_ms,
        )
        names = self._turns[space]
        return [Found(names[f.id], f.score) for f in found]

    def close(self) -> None:
        """Give the file back."""
        self._memory.close()


class Remembering:
    """An embedder that embeds no text twice: haystacks share most of their sessions."""

    def __init__(self, inner: "Embedder") -> None:
        self._inner = inner
        self._known: dict[str, Any] = {}
        self.name, self.dim = inner.name, inner.dim

    def embed(self, texts: Sequence[str], *, query: bool = False) -> "NDArray[np.float32]":
        """The vectors, made or remembered."""
        import numpy as np

        if query:
            return self._inner.embed(texts, query=True)
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, self._inner.embed(new), strict=True))
        return np.stack([self._known[text] for text in texts])


def _print(name: str, table: dict[str, dict[str, Any]], seconds: float) -> None:
    columns = list(next(iter(table.values())))
    print(f"{name:34}" + "".join(f"{column:>9}" for column in columns) + f"   {seconds:.1f} s")
    for group, row in table.items():
        print(f"  {group:32}" + "".join(f"{row[column]:>9}" for column in columns))
    print(flush=True)

"""How fast recall is, by size: p50/p95/p99 warm with one and eight threads, cold start, adding.

Texts come from a seeded generator: Zipfian words made of syllables, in conversations of twenty
turns. Vectors are unit vectors around topics, as an embedder's are. A query asks for some words of
one text, frame and all, and its embedding is measured with it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from recollect.models.registry import LIGHT_EMBEDDER
from recollect.models.registry import embedder as make_embedder
from recollect.recall.query import parse
from recollect.recall.recipes import DEFAULT
from recollect.recall.score import rank
from recollect.store.index.ask import Ask
from recollect.store.index.feed import Change
from recollect.store.index.index import Index

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SYLLABLES = "ba de fi go lu ma ne pi ro su ta ve zo ka re li mo nu sa te".split()
VOCABULARY = 60_000
DIM = 256


class Corpus:
    """A feed of generated messages; any of them can be made again from its number."""

    def __init__(self, size: int, seed: int = 1) -> None:
        self.size = size
        self._words = [self._word(number) for number in range(VOCABULARY)]
        rng = np.random.default_rng(seed)
        self._topics = rng.standard_normal((512, DIM)).astype(np.float32)
        self._topics /= np.linalg.norm(self._topics, axis=1, keepdims=True)

    @staticmethod
    def _word(number: int) -> str:
        parts = [SYLLABLES[number % 20]]
        while number := number // 20:
            parts.append(SYLLABLES[number % 20])
        return "".join(parts)

    def head(self) -> int:
        """How many messages there are."""
        return self.size

    def changes(self, after: int, limit: int) -> list[Change]:
        """Messages after a number."""
        return [self.change(seq) for seq in range(after + 1, min(after + limit, self.size) + 1)]

    def text(self, seq: int) -> str:
        """Ten to forty words, frequent ones often."""
        rng = np.random.default_rng((seq, 7))
        rank_ = np.minimum(rng.zipf(1.25, int(rng.integers(10, 40))), VOCABULARY) - 1
        return " ".join(self._words[int(i)] for i in rank_)

    def change(self, seq: int) -> Change:
        """One message with its vector."""
        rng = np.random.default_rng((seq, 11))
        vector = self._topics[seq // 20 % 512] + rng.standard_normal(DIM).astype(np.float32) / 16
        vector /= np.linalg.norm(vector)
        return Change(
            seq=seq,
            kind="message",
            id=f"m{seq:011d}",
            space="user:alex",
            text=self.text(seq),
            conversation=f"c{seq // 20}",
            turn=seq % 20,
            speaker="user" if seq % 2 else "assistant",
            at=1_600_000_000_000_000 + seq * 60_000_000,
            vector=vector.astype(np.float16).tobytes(),
        )

    def query(self, number: int) -> str:
        """A question about some message: four of its rarer words in a frame."""
        rng = np.random.default_rng((number, 3))
        words = sorted(set(self.text(int(rng.integers(1, self.size + 1))).split()), key=len)[-6:]
        return f"What did I say about {' '.join(words[:4])}?"


def ask_once(index: Index, embedder: object, text: str) -> float:
    """One whole recall, query embedding included; the seconds it took."""
    started = time.perf_counter()
    query = parse(text, now=NOW)
    vector = embedder.embed([text], query=True)[0]  # type: ignore[attr-defined]
    ask = Ask(
        spaces=("user:alex",),
        terms=query.terms,
        weights=query.weights,
        vector=vector,
        spans=query.spans,
        reach=DEFAULT.reach,
    )
    pool, stats = index.search(ask)
    rank(pool, query, stats, DEFAULT, now=NOW, limit=10)
    return time.perf_counter() - started


def measure(size: int, queries: int, folder: Path) -> dict[str, float]:
    """All figures for one size."""
    corpus, embedder = Corpus(size), make_embedder(LIGHT_EMBEDDER)
    started = time.perf_counter()
    index = Index(corpus, dim=DIM, folder=folder, key="speed")
    index.refresh()
    built = time.perf_counter() - started
    index.compact()
    texts = [corpus.query(number) for number in range(queries)]
    for text in texts[:20]:
        ask_once(index, embedder, text)
    figures = {"size": size, "build_s": built, "bytes_per_item": index.memory() / size}
    figures |= _percentiles("warm", [ask_once(index, embedder, text) for text in texts])
    with ThreadPoolExecutor(8) as threads:
        times = list(threads.map(lambda text: ask_once(index, embedder, text), texts))
    figures |= _percentiles("threads8", times)
    figures["cold_s"] = _cold(size, folder)
    figures |= _adding(index, corpus)
    return figures


def _percentiles(name: str, seconds: Sequence[float]) -> dict[str, float]:
    return {f"{name}_p{p}_ms": 1000 * float(np.percentile(seconds, p)) for p in (50, 95, 99)}


def _cold(size: int, folder: Path) -> float:
    """A new process that maps the cache and answers one query, interpreter start included."""
    command = [sys.executable, __file__, "--cold", str(folder), "--sizes", str(size)]
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def _adding(index: Index, corpus: Corpus) -> dict[str, float]:
    """The mean and the worst time of following one new message, over 256 of them."""
    times = []
    for _ in range(256):
        corpus.size += 1
        started = time.perf_counter()
        index.refresh()
        times.append(time.perf_counter() - started)
    return {"add_mean_ms": 1000 * float(np.mean(times)), "add_max_ms": 1000 * max(times)}


def main() -> None:
    """Print a line per size; with --json also write the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="1000,10000,100000,1000000")
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--cold", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    if options.cold:
        corpus = Corpus(sizes[0])
        index = Index(corpus, dim=DIM, folder=options.cold, key="speed")
        ask_once(index, make_embedder(LIGHT_EMBEDDER), corpus.query(1))
        return
    rows = []
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            rows.append(measure(size, options.queries, Path(folder)))
        print({name: round(value, 2) for name, value in rows[-1].items()}, flush=True)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1), "utf-8")


if __name__ == "__main__":
    main()

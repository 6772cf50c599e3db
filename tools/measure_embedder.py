"""Measure an embedder: recall on LoCoMo turns and LongMemEval turns, and speed.

    python tools/measure_embedder.py static:recollect-256 --data FOLDER [--longmemeval]
    python tools/measure_embedder.py local:bge-small-en-v1.5 --rerank local:ms-marco-minilm-l-12

FOLDER holds `locomo_dev/locomo5.json` and `longmemeval_dev/`; RECOLLECT_BENCH_DATA names it too.
Recall@k is the mean share of a question's evidence turns among the k nearest turns of the same
conversation (LoCoMo, categories 1 to 4 with evidence) or haystack (LongMemEval).
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import re
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from recollect.models.ports import Embedder, Reranker
from recollect.models.registry import embedder, reranker

CUTOFFS = (5, 10, 20)
RERANKED = 30
KINDS = {1: "multi-hop", 2: "temporal", 3: "inference", 4: "single-hop"}


@dataclass(frozen=True, slots=True)
class Task:
    """One store of texts and the questions asked of it, each with the rows that answer it."""

    texts: list[str]
    questions: list[tuple[str, frozenset[int], str]]


def locomo(folder: Path) -> Iterator[Task]:
    """One task per conversation; a turn is its date, speaker, words and image caption."""
    for sample in json.loads((folder / "locomo_dev/locomo5.json").read_text("utf-8")):
        texts: list[str] = []
        row_of: dict[str, int] = {}
        talk = sample["conversation"]
        for key in talk:
            if not re.fullmatch(r"session_\d+", key):
                continue
            for turn in talk[key]:
                caption = f" [image: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
                row_of[turn["dia_id"]] = len(texts)
                texts.append(f"({talk[f'{key}_date_time']}) {turn['speaker']}: {turn['text']}{caption}")
        questions = []
        for qa in sample["qa"]:
            named = re.findall(r"D\d+:\d+", " ".join(qa.get("evidence") or []))
            rows = frozenset(row_of[turn] for turn in named if turn in row_of)
            if rows and qa["category"] in KINDS:
                questions.append((qa["question"], rows, KINDS[qa["category"]]))
        yield Task(texts, questions)


def longmemeval(folder: Path) -> Iterator[Task]:
    """One task per question: every turn of its haystack, the evidence turns being the answer."""
    with lzma.open(folder / "longmemeval_dev/sessions.jsonl.xz", "rt", encoding="utf-8") as lines:
        sessions = {record["id"]: record["turns"] for record in map(json.loads, lines)}
    for line in (folder / "longmemeval_dev/questions.jsonl").read_text("utf-8").splitlines():
        asked = json.loads(line)
        texts: list[str] = []
        rows: set[int] = set()
        for session, date in asked["haystack"]:
            for turn in sessions[session]:
                if turn.get("has_answer") and session in asked["gold_sessions"]:
                    rows.add(len(texts))
                texts.append(f"({date}) {turn['role']}: {turn['text']}")
        if rows:
            yield Task(texts, [(asked["question"], frozenset(rows), asked["type"])])


def recall(
    model: Embedder, tasks: Iterator[Task], judge: Reranker | None = None
) -> dict[str, list[tuple[float, ...]]]:
    """The recall of every question at every cut-off, by kind of question."""
    found: dict[str, list[tuple[float, ...]]] = defaultdict(list)
    for task in tasks:
        vectors = model.embed(task.texts)
        asked = model.embed([question for question, _, _ in task.questions], query=True)
        order = np.argsort(-(asked @ vectors.T), axis=1, kind="stable").tolist()
        for (question, rows, kind), ranked in zip(task.questions, order, strict=True):
            if judge is not None:
                scores = judge.score(question, [task.texts[row] for row in ranked[:RERANKED]])
                ranked[:RERANKED] = [
                    row for _, row in sorted(zip(scores, ranked, strict=False), reverse=True)
                ]
            shares = tuple(len(rows.intersection(ranked[:k])) / len(rows) for k in CUTOFFS)
            found[kind].append(shares)
            found["all"].append(shares)
    return found


def report(title: str, found: dict[str, list[tuple[float, ...]]]) -> None:
    """Print one row per kind of question, the whole last."""
    print(f"{title:28} {'n':>5}  " + "  ".join(f"R@{k:<3}" for k in CUTOFFS))
    for kind in sorted(found, key=lambda kind: (kind == "all", kind)):
        means = np.mean(found[kind], axis=0) * 100
        print(f"  {kind:26} {len(found[kind]):5}  " + "  ".join(f"{m:5.1f}" for m in means))


def speed(model: Embedder, texts: list[str], queries: list[str]) -> None:
    """Print texts a second and the median time of one query, after everything is warm."""
    model.embed(texts[:50])
    start = time.perf_counter()
    model.embed(texts)
    rate = len(texts) / (time.perf_counter() - start)
    times = []
    for query in queries:
        start = time.perf_counter()
        model.embed([query], query=True)
        times.append(time.perf_counter() - start)
    print(f"{rate:,.0f} texts/s, {np.median(times) * 1000:.3f} ms a query")


def main() -> None:
    """Read the arguments and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("spec", help="provider:model")
    parser.add_argument("--data", type=Path, default=os.environ.get("RECOLLECT_BENCH_DATA"))
    parser.add_argument("--longmemeval", action="store_true", help="that set too (slow)")
    parser.add_argument("--rerank", metavar="SPEC", help=f"order the first {RERANKED} anew (slow)")
    args = parser.parse_args()
    if args.data is None or not Path(args.data).is_dir():
        sys.exit("Name the folder of the data sets with --data or RECOLLECT_BENCH_DATA.")
    start = time.perf_counter()
    model = embedder(args.spec)
    model.embed(["warm"])
    print(f"{model.name}: {model.dim} d, first vector after {time.perf_counter() - start:.3f} s")
    tasks = list(locomo(Path(args.data)))
    report("LoCoMo", recall(model, iter(tasks)))
    if args.rerank:
        start = time.perf_counter()
        report(f"LoCoMo, {args.rerank}", recall(model, iter(tasks), reranker(args.rerank)))
        pairs = RERANKED * sum(len(task.questions) for task in tasks)
        print(f"{pairs} pairs in {time.perf_counter() - start:.0f} s")
    if args.longmemeval:
        report("LongMemEval", recall(model, longmemeval(Path(args.data))))
    texts = [text for task in tasks for text in task.texts][:2000]
    speed(model, texts, [question for question, _, _ in tasks[0].questions])


if __name__ == "__main__":
    main()

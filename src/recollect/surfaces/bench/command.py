"""The command line that the quality benchmarks share."""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from recollect.models.registry import LIGHT_EMBEDDER, LOCAL_EMBEDDER, LOCAL_RERANKER
from recollect.models.registry import embedder as make_embedder
from recollect.models.registry import reranker as make_reranker
from recollect.recall.recipes import recipe as find_recipe
from recollect.surfaces.bench.systems import Bm25, Dense, Engine, Rrf, System


def main(
    title: str,
    load: Callable[[Path], Any],
    run: Callable[[System, Any], list[dict[str, Any]]],
    report: Callable[[list[dict[str, Any]]], dict[str, Any]],
) -> None:
    """Measure recollect and the baselines in one run; print a table, write receipts."""
    options = _options(title)
    local = options.recipe == "local"
    embedder = make_embedder(options.embedder or (LOCAL_EMBEDDER if local else LIGHT_EMBEDDER))
    spec = options.reranker or (LOCAL_RERANKER if local else "")
    reranker = make_reranker(spec) if spec and spec != "none" else None
    engine = Engine(find_recipe(options.recipe), embedder, reranker, options.depth)
    systems: list[System] = [engine]
    if options.baselines:
        words, dense = Bm25(), Dense(embedder)
        systems += [words, dense, Rrf(words, dense)]
    data = load(options.data)
    print(f"{title}\nembedder {embedder.name}, reranker {spec or 'none'}\n")
    receipts = []
    for system in systems:
        started = time.perf_counter()
        rows = run(system, data)
        seconds = time.perf_counter() - started
        receipts += rows
        _print(system.name, report(rows), seconds)
    if options.json:
        options.json.write_text(json.dumps(receipts, indent=1), "utf-8")


def _options(title: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=title)
    parser.add_argument("--data", type=Path, default=os.environ.get("RECOLLECT_BENCH_DATA"))
    parser.add_argument("--recipe", default="default")
    parser.add_argument("--embedder")
    parser.add_argument("--reranker", help="a spec, or none")
    parser.add_argument("--depth", type=int, default=60, help="how many hits are reranked")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--no-baselines", dest="baselines", action="store_false")
    options = parser.parse_args()
    if options.data is None or not Path(options.data).is_dir():
        raise SystemExit("Name the data folder with --data FOLDER or RECOLLECT_BENCH_DATA.")
    options.data = Path(options.data)
    return options


def _print(name: str, table: dict[str, dict[str, Any]], seconds: float) -> None:
    columns = list(next(iter(table.values())))
    print(f"{name:34}" + "".join(f"{column:>9}" for column in columns) + f"   {seconds:.1f} s")
    for group, row in table.items():
        print(f"  {group:32}" + "".join(f"{row[column]:>9}" for column in columns))
    print(flush=True)

"""What each ingredient of the light recipe is worth on LoCoMo: `python bench/ablation.py --data FOLDER`.

One real store; every variation asks all questions again, so the figures compare.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from common import table
from recollect.models import registry
from recollect.recall.recipes import DEFAULT, Recipe
from recollect.surfaces.bench import locomo
from recollect.surfaces.bench.run import Store
from recollect.surfaces.bench.systems import Turn

VARIATIONS: dict[str, Recipe] = {
    "everything": DEFAULT,
    "a message borrows no words from its neighbours": replace(DEFAULT, reach=0),
    "… from one turn on each side instead of two": replace(DEFAULT, reach=1),
    "… from three": replace(DEFAULT, reach=3),
    "… from later turns as much as from earlier": replace(DEFAULT, ahead=1.0),
    "… long messages as much as short ones": replace(DEFAULT, lean=1e9),
    "a message of a few words counts in full": replace(DEFAULT, brevity=0.0),
    "no speaker preference": replace(DEFAULT, speaker=0.0),
    "no time preference": replace(DEFAULT, time=0.0),
    "no vectors": replace(DEFAULT, semantic=0.0),
    "no keywords": replace(DEFAULT, keyword=0.0),
    "no threshold": replace(DEFAULT, threshold=0.0),
    "the weights of the first design": Recipe("classic", 0.3, 0.4, recency=0.2, importance=0.1, reach=0),
}


class Once(Store):
    """A store that keeps a haystack it has, so that only the recipe varies."""

    def add(self, space: str, turns: Sequence[Turn]) -> None:
        """Store a haystack unless it is there."""
        if space not in self._turns:
            super().add(space, turns)


def main() -> None:
    """A row for every variation."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--data", default=os.environ.get("RECOLLECT_BENCH_DATA"))
    given = arguments.parse_args()
    if given.data is None:
        sys.exit("name the folder with the data: --data FOLDER, or set RECOLLECT_BENCH_DATA")
    folder = next(iter(sorted(Path(given.data).glob("locomo*"))), None)
    if folder is None:
        sys.exit(f"{given.data} has no folder locomo*")
    talks = locomo.load(folder)
    rows = []
    with tempfile.TemporaryDirectory() as place:
        store = Once(Path(place) / "m.db", registry.embedder(registry.LIGHT_EMBEDDER), "default", 0.0)
        for name, recipe in VARIATIONS.items():
            store.recipe = recipe
            found = locomo.report(locomo.run(store, talks))
            rows.append((name, *(f"{found['all'][column]:.1f}" for column in ("R@5", "R@10", "R@20"))))
            print(f"  {name}", file=sys.stderr, flush=True)
        store.close()
    table(("", "R@5", "R@10", "R@20"), rows)


if __name__ == "__main__":
    main()

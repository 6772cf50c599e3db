"""A process that keeps a memory in order and says how far it has come; the test of kills kills it.

After as many lines as it is told it waits to be killed; after 0 of them it does not.
"""

import sys
from datetime import datetime
from itertools import count

from recollect import Memory
from recollect.models.fakes import HashEmbedder
from recollect.upkeep import run, undo


def main(where: str, at: str, lines: int, undoing: str) -> None:
    run.BATCH = undo.BATCH = 3  # so that there are many moments between batches
    numbers = count(1)

    def clock() -> datetime:
        return datetime.fromisoformat(at)

    def say(*words: object) -> None:
        print(*words, flush=True)
        if next(numbers) == lines:
            sys.stdin.readline()  # the test's standard input never says anything

    with Memory(where, view="user:alex", embedder=HashEmbedder(), clock=clock, background=False) as memory:
        say("ready")
        if undoing:
            memory.upkeep.undo(undoing, progress=say)
        else:
            memory.upkeep(progress=say)
    say("done")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4])

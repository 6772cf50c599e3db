"""A process that keeps a memory in order and says how far it has come; the test of kills kills it."""

import sys
from datetime import datetime

from recollect import Memory
from recollect.models.fakes import HashEmbedder
from recollect.upkeep import run, undo


def main(where: str, at: str, undoing: str) -> None:
    run.BATCH = undo.BATCH = 3  # so that there are many moments between batches

    def clock() -> datetime:
        return datetime.fromisoformat(at)

    def report(step: str, done: int) -> None:
        print(step, done, flush=True)

    with Memory(where, view="user:alex", embedder=HashEmbedder(), clock=clock, background=False) as memory:
        print("ready", flush=True)
        if undoing:
            memory.upkeep.undo(undoing, progress=report)
        else:
            memory.upkeep(progress=report)
    print("done", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else "")

"""A worker process that says how far it has come; the test of killed workers starts and kills it."""

import sys
import threading

from recollect import Memory
from recollect.models.fakes import HashEmbedder


def watch(memory: Memory, stop: threading.Event) -> None:
    """Print a line whenever a conversation has moved on."""
    last: object = None
    while not stop.is_set():
        now = [(c.digested, c.chunked) for c in memory.conversations.list().items]
        if now != last:
            print(*now, flush=True)
            last = now


def main(where: str) -> None:
    with Memory(where, view="user:alex", embedder=HashEmbedder(), background=False) as memory:
        stop = threading.Event()
        watcher = threading.Thread(target=watch, args=(memory, stop), daemon=True)
        watcher.start()
        memory.jobs.run()
        stop.set()
        watcher.join()


if __name__ == "__main__":
    main(sys.argv[1])

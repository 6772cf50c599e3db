"""A process that changes the embedder and says how far it is; the test kills it."""

import sys

from recollect import Memory
from recollect.model.reembedding import Reembedding


def report(now: Reembedding) -> None:
    print(now.done, flush=True)
    sys.stdin.readline()  # wait to be killed: the test's standard input never says anything


if __name__ == "__main__":
    with Memory(sys.argv[1], view="user:alex", background=False) as memory:
        memory.vectors.reembed("fake:hash-32", progress=report)

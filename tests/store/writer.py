"""A process that writes to a memory until it is killed or done; the tests of crashes start it.

It prints one line for every acknowledged write, after the acknowledgement.
"""

import sys

from recollect import Memory, NewMessage
from recollect.models.fakes import HashEmbedder


def main(where: str, name: str, count: int) -> None:
    memory = Memory(where, view=f"user:{name}", embedder=HashEmbedder(), background=False)
    print("ready", flush=True)
    for i in range(count):
        receipt = memory.add_many([NewMessage(text=f"{name} says {i} {j}") for j in range(3)])
        print("said", *receipt.ids, flush=True)
        receipt = memory.remember(f"{name} remembers {i}", key="count", value=str(i))
        print("kept", receipt.id, i, flush=True)
        if i % 3 == 2:
            memory.jobs.run()
    memory.close()
    print("done", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))

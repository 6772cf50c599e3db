"""Numbers for names: hashes of ids and terms, and places that put a conversation's turns in a row.

A place is 44 bits of hash for the conversation and 20 bits of turn, so the neighbours of a message
are simply the places before and after its own, whatever segment they are in.
"""

from functools import lru_cache
from hashlib import blake2b

from recollect.store.index.feed import Change

TURN_BITS = 20
MAX_TURN = (1 << TURN_BITS) - 1


def digest(name: str) -> int:
    """64 bits that stand for a name, the same in every process."""
    return int.from_bytes(blake2b(name.encode("utf-8", "replace"), digest_size=8).digest(), "big")


term_digest = lru_cache(maxsize=1 << 17)(digest)
"""The digest of a search term; the same few thousand come again and again."""


def facet_term(facet: str) -> str:
    """The index term of a facet; no text holds a term with this prefix."""
    return f"\0{facet}"


@lru_cache(maxsize=4096)
def conversation_place(space: str, conversation: str) -> int:
    """Where turn 0 of a conversation stands."""
    return digest(f"c\0{space}\0{conversation}") >> TURN_BITS << TURN_BITS


def place(change: Change) -> int:
    """Where an item stands: messages in their conversation, everything else alone."""
    if change.kind == "message" and change.conversation is not None and change.turn is not None:
        start = conversation_place(change.space, change.conversation)
        return start | min(max(change.turn, 0), MAX_TURN)
    return digest(f"i\0{change.space}\0{change.kind}\0{change.id}") >> TURN_BITS << TURN_BITS


def item_digest(kind: str, name: str) -> int:
    """The digest by which an item is found again."""
    return digest(f"{kind}\0{name}")

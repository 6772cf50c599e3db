"""What is looked up by ids comes as it was asked for, whatever order a database finds it in."""

from recollect import Memory, NewMessage
from recollect.store import conversations, memories


def test_memories_and_messages_come_in_the_order_asked_for(memory: Memory) -> None:
    kept = [memory.remember(f"thing {i}").id for i in range(12)]
    said = memory.add_many([NewMessage(text=f"word {i}") for i in range(12)]).ids
    for id in kept[::3]:
        memory.update(id, text="changed, so PostgreSQL has it in another place")
    view = memory._scope.view.spaces
    for order in (slice(None, None, -1), slice(1, None, 4), slice(None)):
        found = memory._scope.read(lambda tx, order=order: memories.by_id(tx, kept[order], view))
        assert list(found) == kept[order]
        heard = memory._scope.read(
            lambda tx, order=order: conversations.messages_by_id(tx, said[order], view)
        )
        assert list(heard) == list(said[order])

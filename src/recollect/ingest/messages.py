"""Messages as the rules see them: who speaks, and whether a text speaks to the assistant."""

from recollect.ingest.rules.candidate import Role as SaidRole
from recollect.ingest.rules.candidate import Said
from recollect.ingest.rules.orders import looks_like_orders
from recollect.model.conversation import Message, Trust

UNTRUSTED = frozenset({Trust.TOOL, Trust.DOCUMENT, Trust.IMPORTED})
_ROLES: dict[Trust, SaidRole] = {
    Trust.USER: "user",
    Trust.ASSISTANT: "assistant",
    Trust.TOOL: "tool",
    Trust.DOCUMENT: "document",
    Trust.IMPORTED: "import",
}


def said(message: Message) -> Said:
    """A message as extraction reads it; one that was imported has the name of whoever's turn it was."""
    turn = str(message.role).capitalize() if message.trust == Trust.IMPORTED else ""
    return Said(message.text, message.said_at, _ROLES[message.trust], message.speaker or turn)


def name_of(message: Message) -> str:
    """The name that stands for whoever said it."""
    return said(message).name


def is_order(message: Message) -> bool:
    """Whether a message from an untrusted source speaks to the assistant."""
    return message.trust in UNTRUSTED and looks_like_orders(message.text)

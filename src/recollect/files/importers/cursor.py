"""Cursor agent transcripts: JSON Lines of {role, message: {content}}, without ids or times."""

import re
from collections.abc import Iterator
from hashlib import blake2b

from recollect.files.importers.talk import ROLES, Read, Said, Talk, Unread, objects, text_of
from recollect.model.conversation import Role

_QUERY = re.compile(r"<user_query>\s*(.*?)\s*</user_query>", re.DOTALL)


def parse(text: str, name: str) -> Iterator[Read]:
    """One transcript: a conversation by the name of its file; a message by its place and words."""
    said: list[Said] = []
    unread: list[Unread] = []
    for number, line in objects(text, unread):
        role = ROLES.get(str(line.get("role")))
        message = line.get("message")
        spoken = text_of(message.get("content") if isinstance(message, dict) else message)
        asked = _QUERY.search(spoken)
        spoken = asked[1] if asked and role == Role.USER else spoken
        if spoken and role in (Role.USER, Role.ASSISTANT):
            mark = blake2b(spoken.encode("utf-8"), digest_size=8).hexdigest()
            said.append(Said(key=f"{name}:{number}:{mark}", role=role, text=spoken))
    yield from unread
    if said:
        yield Talk(key=name, said=tuple(said))

"""Plain chats: JSON Lines with a message or a conversation a line, and Markdown with a speaker a turn."""

import re
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import Any

from recollect.files.importers.talk import ROLES, Read, Said, Talk, Unread, clean, moment, objects, text_of
from recollect.model.conversation import Role

_TIMES = ("timestamp", "said_at", "created_at", "time", "date", "at")
_CHATS = ("conversation", "conversation_id", "session_id", "thread_id")
_ROLE_LINE = re.compile(rf"(?i:({'|'.join(ROLES)}))\s*(?:[(\[](?P<at>[^)\]]+)[)\]])?\s*:\s*(?P<rest>.*)")
_NAMED_LINE = re.compile(
    r"(?:\*\*|__)(?P<name>[^*_:\n]{1,60}?)\s*(?:[(\[](?P<at>[^)\]]+)[)\]])?\s*:?\s*(?:\*\*|__)\s*:?\s*(?P<rest>.*)"
)
_HEADING = re.compile(
    r"#{2,6}\s+(?P<name>[^:(\[\n]{1,60}?)\s*(?:[(\[](?P<at>[^)\]]+)[)\]])?\s*:?\s*(?P<rest>)$"
)
_TITLE = re.compile(r"#\s+(.+)")


def parse_jsonl(text: str, name: str) -> Iterator[Read]:
    """Lines of {role, content, timestamp …}, or of {messages: […]}; a conversation by its id or the file."""
    talks: dict[str, list[Said]] = {}
    unread: list[Unread] = []
    for number, line in objects(text, unread):
        if isinstance(line.get("messages"), list):
            chat = _first(line, (*_CHATS, "id")) or f"{name}:{number}"
            inner = [m for m in line["messages"] if isinstance(m, dict)]
            said = (_said(message, chat, i) for i, message in enumerate(inner, 1))
            talks.setdefault(chat, []).extend(one for one in said if one is not None)
        else:
            chat = _first(line, _CHATS) or name
            one = _said(line, chat, number)
            if one is None:
                unread.append(Unread(f"line {number} has no text (content) or an unknown role"))
            else:
                talks.setdefault(chat, []).append(one)
    yield from unread
    for chat, all_said in talks.items():
        if all_said:
            yield Talk(key=chat, said=tuple(all_said), at=all_said[0].at)


def parse_markdown(text: str, name: str) -> Iterator[Read]:
    """Turns that begin with `User:`, `**Alex:**` or `## Assistant`; a first `# heading` is the title."""
    turns: list[tuple[str, str | None, list[str]]] = []
    title = None
    for line in text.splitlines():
        begun = _turn(line)
        if begun is not None:
            speaker, at, rest = begun
            turns.append((speaker, at, [rest] if rest else []))
        elif turns:
            turns[-1][2].append(line)
        elif (head := _TITLE.match(line)) is not None:
            title = clean(head[1], 200)
    said = []
    for i, (speaker, at, lines) in enumerate(turns, 1):
        spoken = clean("\n".join(lines))
        role = ROLES.get(speaker.lower())
        if spoken:
            named = None if role is not None else speaker
            said.append(
                Said(
                    key=f"{name}:{i}:{_mark(spoken)}",
                    role=role or Role.USER,
                    text=spoken,
                    at=moment(at),
                    speaker=named,
                )
            )
    if said:
        yield Talk(key=name, said=tuple(said), title=title, at=said[0].at)
    else:
        yield Unread("no line begins a turn: write 'User: …', '**Alex:** …' or '## Assistant'")


def _turn(line: str) -> tuple[str, str | None, str] | None:
    for pattern in (_ROLE_LINE, _NAMED_LINE, _HEADING):
        hit = pattern.fullmatch(line.strip())
        if hit is not None:
            name = hit.groupdict().get("name") or hit[1]
            return name.strip(), hit["at"], hit["rest"].strip()
    return None


def _said(message: Mapping[str, Any], chat: str, number: int) -> Said | None:
    role = ROLES.get(str(_first(message, ("role", "sender", "author")) or "user").lower())
    text = text_of(message.get("content")) or clean(message.get("text"))
    if role is None or not text:
        return None
    at = next((found for part in _TIMES if (found := moment(message.get(part))) is not None), None)
    own = message.get("id")
    key = f"{chat}:{own}" if own else f"{chat}:{number}:{_mark(text)}"
    speaker = clean(_first(message, ("speaker", "name")), 200) or None
    return Said(key=key, role=role, text=text, at=at, speaker=speaker)


def _first(held: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    return next(
        (str(held[name]) for name in names if held.get(name) and not isinstance(held[name], dict)), None
    )


def _mark(text: str) -> str:
    return blake2b(text.encode("utf-8"), digest_size=8).hexdigest()

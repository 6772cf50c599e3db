"""ChatGPT exports: `conversations.json`, each conversation a tree of nodes of which one path is shown."""

from collections.abc import Iterator, Mapping
from typing import Any

from recollect.files.importers.export import Export, conversations
from recollect.files.importers.talk import LONGEST_OUTPUT, ROLES, Read, Said, clean, moment, text_of
from recollect.model.conversation import Role

_SPOKEN = ("text", "multimodal_text", "code", "execution_output")


def parse(text: str, name: str) -> Iterator[Read]:
    """All conversations of an export."""
    return conversations(text, name, _EXPORT)


def _all_said(chat: Mapping[str, Any], key: str) -> Iterator[Said]:
    return (one for node in _shown(chat, chat["mapping"]) for one in _said(node, key))


_EXPORT = Export(
    holds="mapping",
    kind=dict,
    keys=("conversation_id", "id"),
    title="title",
    at="create_time",
    said=_all_said,
)


def _shown(chat: Mapping[str, Any], mapping: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The nodes from the root to the one that is shown, or else to the end of the newest branch."""
    nodes = {id: _dict(node) for id, node in mapping.items()}
    at = str(chat.get("current_node"))
    if at not in nodes:
        at = next((id for id, node in nodes.items() if not node.get("parent")), "")
        seen: set[str] = set()
        while at not in seen and (children := nodes.get(at, {}).get("children")):
            seen.add(at)
            at = str(children[-1])
    path: dict[str, Mapping[str, Any]] = {}
    while at in nodes and at not in path:
        path[at] = nodes[at] | {"id": at}
        at = str(nodes[at].get("parent"))
    return list(path.values())[::-1]


def _said(node: Mapping[str, Any], chat: str) -> Iterator[Said]:
    message = _dict(node.get("message"))
    author, content = _dict(message.get("author")), _dict(message.get("content"))
    hidden = _dict(message.get("metadata")).get("is_visually_hidden_from_conversation")
    role = ROLES.get(str(author.get("role")))
    if role in (None, Role.SYSTEM) or hidden or content.get("content_type") not in _SPOKEN:
        return
    longest = LONGEST_OUTPUT if role == Role.TOOL else None
    held = content.get("parts") if "parts" in content else content.get("text")
    text = text_of(held) if longest is None else text_of(held, longest)
    if text:
        key = f"{chat}:{message.get('id') or node['id']}"
        speaker = clean(author.get("name"), 200) or None
        yield Said(key=key, role=role, text=text, at=moment(message.get("create_time")), speaker=speaker)


def _dict(held: Any) -> dict[str, Any]:
    return held if isinstance(held, dict) else {}

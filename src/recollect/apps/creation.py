"""Creation: what an app keeps of a conversation that has ended, told by a model or by the rules."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from recollect.apps.prompts.creation import CREATION
from recollect.apps.records import conversation_of, fitted, origin
from recollect.errors import ModelUnavailable
from recollect.ingest.chunking import told
from recollect.ingest.enhance import rendered, worth_showing
from recollect.ingest.messages import UNTRUSTED, is_order, name_of
from recollect.ingest.rules.orders import looks_like_orders
from recollect.ingest.sessions import Ended, Told, chatter, learnt, note_id, session_note, whole
from recollect.model.app import App
from recollect.model.conversation import ConversationStatus, Message, Role, Trust
from recollect.model.record import Kind, Record, Source, SourceKind
from recollect.store import conversations, memories
from recollect.store.database import Tx
from recollect.store.scope import Scope
from recollect.text.keyphrases import keyphrases
from recollect.text.sentences import sentences
from recollect.text.similarity import containment, content
from recollect.text.summarise import Turn, summarise

if TYPE_CHECKING:
    from recollect.models.llm import LLM

RULES = "rules:app"
COVERED = 0.5
"""From this share of its words in what is known on, a sentence is not told again."""
MIN_ROOM = 40
_ACKNOWLEDGED = re.compile(
    r"\W*(?:noted|got it|understood|sure|certainly|of course|ok|okay|done|great|will do|no problem|"
    r"you're welcome|(?:i'll|i will|i have|i've|i'm|i am|let me) (?:just |now |also )?(?:keep|remember|note|"
    r"noted|make|made|remind|add|added|save|saved|look|check|know|glad|happy|here)|"
    r"(?:is there )?anything else|happy to|glad)\b",
    re.IGNORECASE,
)
MAX_TAGS = 5
MAX_RELATED = 5
RELATED_FROM = 0.2
"""From this share of common words on, two conversations are about the same."""


def ready(tx: Tx, id: str) -> Ended | None:
    """A conversation that its app should keep something of; None while it is not read, or if that is done."""
    conversation = conversations.find(tx, id)
    if conversation is None or conversation.status != ConversationStatus.ENDED or not conversation.summary:
        return None
    if memories.known(tx, [note_id(tx.tenant, conversation)]):
        return None
    ended = whole(tx, conversation)
    return ended if ended.app is not None and ended.app.installed else None


def still(tx: Tx, ended: Ended, note: Record | None) -> bool:
    """Whether all that a memory tells of is still there, and its app as it was."""
    now = ready(tx, ended.conversation.id)
    if now is None or now.app != ended.app:
        return False
    if [m.id for m in now.rest] != [m.id for m in ended.rest]:
        return False
    present = {c.id for c in now.chunks} | {r.id for r in now.learnt} | {m.id for m in now.rest}
    return note is None or all(source.id in present for source in note.sources)


def draft(scope: Scope, ended: Ended, app: App, known: Sequence[Record], llm: "LLM | None") -> Record | None:
    """The memory of a conversation; None where it was nothing but small talk."""
    made = tell(ended, app.length)
    if made is None:
        return None
    made_by, tags = RULES, keyphrases(made.text, MAX_TAGS, ignore=_names(ended))
    shown = [m for m in ended.rest if worth_showing(m)]
    if llm is not None and (shown or ended.chunks):
        made, tags = _analysed(ended, shown, app, llm)
        made_by = f"{CREATION.version} {llm.name}"
    note = session_note(scope, ended.conversation, made, made_by)
    return replace(
        note, tags=tuple(tags), metadata=origin(ended.conversation.id, _related(note, tags, known))
    )


def tell(ended: Ended, length: int) -> Told | None:
    """A few whole sentences by the rules: the weightiest things learnt, then the most telling things said."""
    facts = [r for r in ended.learnt if r.kind != Kind.EPISODE]
    spoken = [m for m in ended.rest if m.role != Role.SYSTEM and not chatter(m) and not is_order(m)]
    parts = [learnt(facts, length, len)] if facts else []
    more = _said(ended, spoken, parts[0].text if parts else "", length)
    if more:
        parts.append(Told(more, *_rest_on(ended, spoken)))
    if not parts:
        return None
    used = {source.id for part in parts for source in part.sources}
    stated = {s.id for r in facts if r.id in used for s in r.sources}
    own = [Source(SourceKind.MESSAGE, m.id) for m in ended.rest if m.id in stated]
    return Told(
        fitted(" ".join(part.text for part in parts), length),
        tuple(dict.fromkeys([*(s for part in parts for s in part.sources), *own])),
        tuple(trust for part in parts for trust in part.trusts),
        max(part.importance for part in parts),
    )


def _rest_on(ended: Ended, shown: Sequence[Message]) -> tuple[tuple[Source, ...], tuple[Trust, ...]]:
    """What a telling of chunks and messages rests on, and how far each may be believed."""
    sources = (
        *(Source(SourceKind.CHUNK, chunk.id) for chunk in ended.chunks),
        *(Source(SourceKind.MESSAGE, m.id) for m in shown),
    )
    return sources, (*(chunk.trust for chunk in ended.chunks), *(m.trust for m in shown))


def _said(ended: Ended, spoken: Sequence[Message], known: str, length: int) -> str:
    """What was said beyond what is known, as far as there is room; without mere acknowledgements."""
    room = length - len(known) - 1
    turns: list[Turn | str] = [chunk.summary for chunk in ended.chunks]
    for turn in told(spoken):
        telling = [s for s in sentences(turn.text) if not _ACKNOWLEDGED.match(s)]
        fresh = [s for s in telling if not known or containment(s, known) < COVERED]
        turns.append(Turn(turn.speaker, " ".join(fresh)))
    if known and room < MIN_ROOM:
        return ""
    text = summarise(turns, max(room, 1), len)
    return text if not known or len(text) <= room else ""


def _names(ended: Ended) -> set[str]:
    """Words that name who speaks: they are in every memory, so they tell nothing."""
    return {name_of(m) for m in ended.rest} | {"User", "Assistant"}


def _analysed(ended: Ended, shown: Sequence[Message], app: App, llm: "LLM") -> tuple[Told, list[str]]:
    """What a model makes of the conversation; it rests on everything that the model was shown."""
    text = "\n".join([*(chunk.summary for chunk in ended.chunks), rendered(shown)])
    answer = CREATION.ask(llm, length=str(app.length), conversation=text)
    sources, trusts = _rest_on(ended, shown)
    if Trust.least(*trusts) in UNTRUSTED and looks_like_orders(answer.memory):
        raise ModelUnavailable(f"{llm.name} repeated orders from an untrusted source.")
    made = Told(fitted(answer.memory, app.length), sources, trusts, answer.importance / 10)
    return made, list(dict.fromkeys(tag.strip() for tag in answer.tags))[:MAX_TAGS]


def _related(note: Record, tags: Sequence[str], known: Sequence[Record]) -> list[str]:
    """The conversations whose memories share a tag or many words with a new one, the likest first."""
    own, labels = content(note.text), {tag.casefold() for tag in tags}
    near = []
    for other in known:
        conversation, words = conversation_of(other), content(other.text)
        share = len(own & words) / (len(own | words) or 1)
        shared_tag = bool(labels & {tag.casefold() for tag in other.tags})
        if conversation and (shared_tag or share >= RELATED_FROM):
            near.append((share, conversation))
    return [conversation for _, conversation in sorted(near, reverse=True)[:MAX_RELATED]]

"""The verbs of what is said and what becomes of it: conversations, links, review."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any

from recollect.errors import NotFound
from recollect.ingest import conversations as talk
from recollect.ingest import gate, relate, review
from recollect.ingest.options import DigestOptions
from recollect.model.conversation import Conversation, ConversationStatus, Message, Recent
from recollect.model.decision import Explanation
from recollect.model.filter import Page
from recollect.model.ids import checked_id
from recollect.model.receipt import Receipt
from recollect.model.record import Narrative, Record, Status
from recollect.model.relation import Link, LinkType, Step
from recollect.store import chunks, conversations
from recollect.store.scope import Scope


class Conversations:
    """What was said."""

    def __init__(self, scope: Scope, stir: Callable[[], None], options: DigestOptions) -> None:
        self._scope = scope
        self._stir = stir
        self._options = options

    def start(self, title: str | None = None, *, metadata: dict[str, Any] | None = None) -> Conversation:
        """Begin a conversation in the view's first space."""
        return talk.start(self._scope, title, metadata)

    def pause(self, id: str) -> Conversation:
        """Set a conversation aside; adding to it resumes it."""
        return talk.move(self._scope, id, ConversationStatus.PAUSED)

    def resume(self, id: str) -> Conversation:
        """Go on with a paused conversation."""
        return talk.move(self._scope, id, ConversationStatus.ACTIVE)

    def end(self, id: str) -> Conversation:
        """Close a conversation for good."""
        ended = talk.move(self._scope, id, ConversationStatus.ENDED)
        self._stir()
        return ended

    def get(self, id: str) -> Conversation:
        """One conversation of the view."""
        wanted = checked_id(id, "the conversation id")
        return self._scope.read(lambda tx: talk.existing(tx, self._scope, wanted))

    def list(self, *, limit: int = 50, after: str | None = None) -> Page[Conversation]:
        """Conversations of the view, newest first."""
        gate.count(limit, "limit", 1, 1_000)
        before = None if after is None else checked_id(after, "after")
        seen = self._scope.view.spaces
        found = self._scope.read(lambda tx: conversations.page(tx, seen, before, limit))
        return Page(found, found[-1].id if len(found) == limit else None)

    def messages(self, id: str, *, after: int = 0, limit: int = 1_000) -> Sequence[Message]:
        """Messages of a conversation after a turn, in order."""
        wanted = checked_id(id, "the conversation id")
        gate.count(limit, "limit", 1, 100_000)
        gate.count(after, "after", 0, 2**53)

        def work(tx: Any) -> Sequence[Message]:
            talk.existing(tx, self._scope, wanted)
            return conversations.messages(tx, wanted, self._scope.view.spaces, after, limit)

        return self._scope.read(work)

    def message(self, id: str) -> Message:
        """One message of the view."""
        wanted = checked_id(id, "the message id")
        seen = self._scope.view.spaces
        found = self._scope.read(lambda tx: conversations.messages_by_id(tx, [wanted], seen))
        if wanted not in found:
            raise NotFound(f"no message {wanted} in {', '.join(seen)}")
        return found[wanted]

    def said(
        self, *, since: datetime | None = None, until: datetime | None = None, limit: int = 100
    ) -> Sequence[Message]:
        """The last things said in a period, in any conversation of the view, oldest first."""
        start, end = gate.optional_moment(since, "since"), gate.optional_moment(until, "until")
        gate.count(limit, "limit", 1, 100_000)
        seen = self._scope.view.spaces
        return self._scope.read(lambda tx: conversations.between(tx, seen, start, end, limit))

    def recent(self, id: str) -> Recent:
        """What a context carries of a conversation: summaries of what is old, then the last messages."""
        wanted = checked_id(id, "the conversation id")

        def work(tx: Any) -> Recent:
            found = talk.existing(tx, self._scope, wanted)
            return Recent(
                conversation=found,
                chunks=tuple(chunks.of_conversation(tx, wanted, [found.space])),
                messages=tuple(conversations.last_messages(tx, wanted, self._options.recent_window)),
            )

        return self._scope.read(work)

    def narrative(self, id: str) -> Narrative:
        """The arc of a conversation: its episodes by thirds, and the key moments."""
        from recollect.ingest.episodes import narrative

        wanted = checked_id(id, "the conversation id")
        return self._scope.read(lambda tx: narrative(tx, talk.existing(tx, self._scope, wanted)))


class Links:
    """What memories have to do with each other."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    def add(
        self,
        source: str,
        target: str,
        type: LinkType | str = LinkType.RELATED_TO,
        *,
        strength: float = 1.0,
    ) -> Link:
        """Say how one memory relates to another."""
        return relate.link(self._scope, source, target, type, strength)

    def remove(self, source: str, target: str, type: LinkType | str | None = None) -> int:
        """Remove the links from one memory to another; how many there were."""
        return relate.unlink(self._scope, source, target, type)

    def walk(self, start: str, *, types: Iterable[LinkType | str] = (), depth: int = 1) -> Sequence[Step]:
        """The memories reached from one by links in either direction, nearest first."""
        return relate.walk(self._scope, start, types, depth)


class Review:
    """What waits for a person to look at, and why every memory is as it is."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    def pending(self, *, limit: int = 50, after: str | None = None) -> Page[Record]:
        """Memories that are not sure enough to be believed yet, newest first."""
        gate.count(limit, "limit", 1, 1_000)
        return review.waiting(self._scope, Status.PENDING, limit, after)

    def quarantined(self, *, limit: int = 50, after: str | None = None) -> Page[Record]:
        """Texts from untrusted sources that give orders, held out of reach, newest first."""
        gate.count(limit, "limit", 1, 1_000)
        return review.waiting(self._scope, Status.QUARANTINED, limit, after)

    def promote(self, *ids: str) -> Receipt:
        """Believe pending or quarantined memories from now on."""
        return review.promote(self._scope, ids)

    def explain(self, id: str) -> Explanation:
        """The path from message to memory: sources, rules and every decision, of either of them."""
        return review.explain(self._scope, id)

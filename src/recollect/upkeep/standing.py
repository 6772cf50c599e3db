"""Standing: what else holds what a memory holds, so that the only record of something is never let go."""

from collections import Counter
from dataclasses import dataclass, field

from recollect.model.record import Record, SourceKind, Status
from recollect.model.relation import LinkType
from recollect.upkeep.options import UpkeepOptions
from recollect.upkeep.shelf import Shelf

_SAID = (SourceKind.MESSAGE, SourceKind.CHUNK)
Key = tuple[str, str]


@dataclass(slots=True)
class Standing:
    """Counts of the believed memories by key, subject and source; they shrink as memories leave."""

    shelf: Shelf
    options: UpkeepOptions
    _keys: Counter[Key] = field(default_factory=Counter)
    _subjects: Counter[str] = field(default_factory=Counter)
    _sources: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        for record in self.shelf.of(Status.ACTIVE):
            self._count(record, 1)

    def untouchable(self, record: Record) -> bool:
        """Whether a memory must stay: pinned, significant, or the only record of something."""
        return record.pinned or record.significance >= self.options.significant or self.only(record)

    def only(self, record: Record) -> bool:
        """Whether something would be lost with this memory.

        That is so where no other believed memory has its key, names its subject or was drawn from its
        document; and where nothing stands behind it: neither what was said, nor a memory in its place.
        """
        own = int(record.status == Status.ACTIVE)
        if record.key is not None and self._keys[_key(record)] <= own:
            return True
        if record.subject and self._subjects[record.subject.casefold()] <= own:
            return True
        if any(s.kind not in _SAID and self._sources[s.id] <= own for s in record.sources):
            return True
        if record.status == Status.SUPERSEDED:
            return not self._succeeded(record.id)
        return not any(s.kind in _SAID for s in record.sources)

    def rivalled(self, record: Record) -> bool:
        """Whether another believed memory holds the only value of its key."""
        if record.key is None or record.metadata.get("many"):
            return False
        return self._keys[_key(record)] > int(record.status == Status.ACTIVE)

    def leave(self, record: Record) -> None:
        """A memory is believed no longer."""
        self._count(record, -1)

    def enter(self, record: Record) -> None:
        """A memory is believed from now on."""
        self._count(record, 1)

    def _count(self, record: Record, by: int) -> None:
        if record.key is not None:
            self._keys[_key(record)] += by
        if record.subject:
            self._subjects[record.subject.casefold()] += by
        for source in record.sources:
            self._sources[source.id] += by

    def _succeeded(self, id: str) -> bool:
        """Whether a believed memory took its place, directly or through others."""
        seen, waiting = {id}, [id]
        while waiting:
            for link in self.shelf.links_of(waiting.pop()):
                newer = link.source
                if link.type == LinkType.SUPERSEDES and newer not in seen:
                    seen.add(newer)
                    held = self.shelf.records.get(newer)
                    if held is not None and held.status == Status.ACTIVE:
                        return True
                    waiting.append(newer)
        return False


def _key(record: Record) -> Key:
    return (record.subject or "").casefold(), record.key or ""

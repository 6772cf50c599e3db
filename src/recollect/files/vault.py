"""The user's global folder and the system vault: folders of documents, kept as passages.

A file is read again only when its digest changed; passages that stayed the same keep their vectors. What
vanished is set aside, not erased. Every file is one transaction; one that cannot be read is reported.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from recollect.errors import InvalidInput, ModelMissing, NotFound
from recollect.files import disk
from recollect.files.passages import MAX_BYTES, SUFFIXES, passages, text_in
from recollect.ingest import gate
from recollect.ingest.remember import set_status
from recollect.ingest.rules.orders import looks_like_orders
from recollect.jobs import queue
from recollect.model.conversation import Trust
from recollect.model.document import FOLDER, GONE, Document
from recollect.model.folder import Folder, FolderReading
from recollect.model.ids import derived_id
from recollect.model.record import (
    DEFAULT_IMPORTANCE,
    Artifact,
    ArtifactType,
    Kind,
    Record,
    Source,
    SourceKind,
    Status,
)
from recollect.model.space import Space
from recollect.store import documents, memories, spaces
from recollect.store.database import Tx
from recollect.store.scope import Scope
from recollect.text.levels import levels

MADE_BY = "file:passages"
MAX_FILES = 20_000
Report = Callable[[int], None]


@dataclass(slots=True)
class _Reading:
    """One reading of one folder."""

    scope: Scope
    space: str
    counts: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def count(self, what: str, by: int = 1) -> None:
        self.counts[what] = self.counts.get(what, 0) + by

    def result(self, root: Path) -> FolderReading:
        counts: dict[str, Any] = self.counts
        return FolderReading(path=str(root), space=self.space, problems=tuple(self.problems), **counts)


def read_folder(scope: Scope, given: str | Path, space: str, report: Report | None = None) -> FolderReading:
    """Bring the passages of a folder up to date with its files, and remember the folder."""
    root = Path(given).expanduser().resolve()
    if not root.is_dir():
        raise NotFound(f"no folder {root}: nothing was changed")
    reading = _Reading(scope, space)
    known = scope.write(partial(_registered, scope=scope, root=root, space=space))
    there: set[str] = set()
    for number, path in enumerate(_files(root, reading.problems), 1):
        there.add(str(path))
        _read(reading, path, known.get(str(path)))
        if report is not None:
            report(number)
    for name, document in known.items():
        inside = Path(name).is_relative_to(root) and document.digest not in (FOLDER, GONE)
        if inside and name not in there and not _belongs_elsewhere(name, root, known):
            scope.write(partial(_vanish, reading=reading, document=document))
    return reading.result(root)


def folders(scope: Scope) -> list[Folder]:
    """The folders that the view's spaces keep."""
    found = scope.read(lambda tx: documents.listed(tx, scope.view.spaces))
    files = [d for d in found if d.digest != FOLDER]
    kept = []
    for root in (d for d in found if d.digest == FOLDER):
        inside = [d for d in files if d.space == root.space and Path(d.path).is_relative_to(root.path)]
        kept.append(
            Folder(path=root.path, space=root.space, files=len(inside), bytes=sum(d.bytes for d in inside))
        )
    return kept


def remove_folder(scope: Scope, given: str | Path, space: str) -> FolderReading:
    """Keep a folder no longer: its passages are set aside, the files stay as they are."""
    root = Path(given).expanduser().resolve()
    reading = _Reading(scope, space)

    def work(tx: Tx) -> None:
        known = documents.known(tx, space)
        if str(root) not in known or known[str(root)].digest != FOLDER:
            raise NotFound(f"no folder {root} is kept in {space}: see `recollect vault list`")
        documents.remove(tx, known.pop(str(root)).id)
        for path, document in known.items():
            inside = Path(path).is_relative_to(root) and document.digest not in (FOLDER, GONE)
            if inside and not _belongs_elsewhere(path, root, known):
                _vanish(tx, reading, document)

    scope.write(work)
    return reading.result(root)


def _belongs_elsewhere(path: str, root: Path, known: dict[str, Document]) -> bool:
    """Whether a file is kept by another folder inside this one, or by a memory file's own row."""
    if Path(path).suffix.lower() not in SUFFIXES:
        return True
    inner = [d.path for d in known.values() if d.digest == FOLDER and d.path != str(root)]
    return any(Path(path).is_relative_to(other) and Path(other).is_relative_to(root) for other in inner)


def _registered(tx: Tx, scope: Scope, root: Path, space: str) -> dict[str, Document]:
    """What is known of the space's documents, the folder itself included."""
    now = scope.now()
    spaces.create(tx, Space(path=space, created_at=now))
    documents.put(tx, _document(tx, root, space, FOLDER, now))
    return documents.known(tx, space)


def _document(tx: Tx, path: Path, space: str, digest: str, now: datetime) -> Document:
    return Document(
        id=derived_id(now, tx.tenant, space, str(path)),
        space=space,
        path=str(path),
        digest=digest,
        bytes=0,
        changed_at=now,
        recorded_at=now,
    )


def _files(root: Path, problems: list[str]) -> Iterator[Path]:
    """The documents below a folder, by name; hidden ones and links that lead out of it are left alone."""
    found = 0
    for folder, inner, names in os.walk(
        root, onerror=lambda e: problems.append(f"{e.filename}: {e.strerror}")
    ):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        for name in sorted(names):
            path = Path(folder, name)
            if name.startswith(".") or path.suffix.lower() not in SUFFIXES:
                continue
            if not path.resolve().is_relative_to(root):
                problems.append(f"{path}: leads out of the folder")
                continue
            found += 1
            if found > MAX_FILES:
                problems.append(f"{root}: more than {MAX_FILES:,} files, the rest was left out")
                return
            yield path


def _read(reading: _Reading, path: Path, known: Document | None) -> None:
    """Read one file if it changed; what is wrong with it is noted, and what it said before stays."""
    try:
        held = path.stat()
        if not path.is_file() or held.st_size > MAX_BYTES:
            raise InvalidInput(f"{held.st_size:,} bytes are too many, the limit is {MAX_BYTES:,}")
        content = path.read_bytes()
        digest = disk.digest_of(content)
        if known is not None and known.digest == digest:
            reading.count("unchanged")
            return
        texts = passages(text_in(path, content))
    except OSError as error:
        reading.problems.append(f"{path}: {error.strerror}")
        return
    except (InvalidInput, ModelMissing) as error:
        reading.problems.append(f"{path}: {error}")
        return
    changed = datetime.fromtimestamp(held.st_mtime, UTC)
    reading.scope.write(
        partial(
            _keep, reading=reading, path=path, digest=digest, size=len(content), changed=changed, texts=texts
        )
    )


def _keep(
    tx: Tx, reading: _Reading, path: Path, digest: str, size: int, changed: datetime, texts: list[str]
) -> None:
    """Store the passages of a file: those that stayed stay, new ones come, the others are set aside."""
    now = reading.scope.now()
    known = documents.by_path(tx, reading.space, str(path))
    document = known or _document(tx, path, reading.space, digest, now)
    documents.put(tx, replace(document, digest=digest, bytes=size, changed_at=changed))
    new = {r.id: r for r in _records(tx, document, changed, texts, now)}
    drawn = memories.from_sources(tx, [document.id])
    held = {r.id: r for r in memories.by_id(tx, drawn, [reading.space]).values() if r.kind == Kind.PASSAGE}
    memories.insert(tx, [r for id, r in new.items() if id not in held])
    for id, old in held.items():
        if id in new and (old.status == Status.FORGOTTEN or old.metadata != new[id].metadata):
            back = replace(old, status=new[id].status, metadata=new[id].metadata)
            memories.replace_version(tx, old, replace(back, recorded_at=max(now, old.recorded_at)))
        elif id not in new and old.status != Status.FORGOTTEN:
            set_status(tx, old, Status.FORGOTTEN, now)
            reading.count("forgotten")
    reading.count("read")
    reading.count("passages", len(new))
    reading.count("quarantined", sum(r.status == Status.QUARANTINED for r in new.values()))
    queue.enqueue(tx, "embed", now, key="embed")


def _vanish(tx: Tx, reading: _Reading, document: Document) -> None:
    """A file that is gone: its passages are set aside; should it return, so do they."""
    now = reading.scope.now()
    for record in memories.by_id(tx, memories.from_sources(tx, [document.id]), [document.space]).values():
        if record.kind == Kind.PASSAGE and record.status != Status.FORGOTTEN:
            set_status(tx, record, Status.FORGOTTEN, now)
            reading.count("forgotten")
    documents.put(tx, replace(document, digest=GONE, bytes=0, changed_at=now))
    reading.count("vanished")


def _records(
    tx: Tx, document: Document, changed: datetime, texts: list[str], now: datetime
) -> Iterator[Record]:
    """The passages of a document: data with its origin; one that gives orders is held for review."""
    seen: dict[str, int] = {}
    for part, text in enumerate(texts, 1):
        body, _ = gate.redacted(text)
        seen[body] = seen.get(body, 0) + 1
        sizes = levels(body)
        yield Record(
            id=derived_id(document.recorded_at, tx.tenant, document.id, body, str(seen[body])),
            space=document.space,
            kind=Kind.PASSAGE,
            text=body,
            summary=sizes.summary or None,
            brief=sizes.brief or None,
            tag=sizes.tag or None,
            trust=Trust.DOCUMENT,
            recorded_at=now,
            valid_from=changed,
            importance=DEFAULT_IMPORTANCE[Kind.PASSAGE],
            status=Status.QUARANTINED if looks_like_orders(body) else Status.ACTIVE,
            made_by=MADE_BY,
            metadata={"part": part},
            sources=(Source(SourceKind.DOCUMENT, document.id),),
            artifacts=(Artifact(ArtifactType.FILE, Path(document.path).name[: gate.MAX_NAME]),),
        )

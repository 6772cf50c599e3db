"""The verbs on the file tiers: `memory.files.distill()` and so on."""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.errors import InvalidInput
from recollect.files.tools import FileTools
from recollect.ingest import conversations as talk
from recollect.ingest import gate, remember
from recollect.jobs import schedule
from recollect.model.conversation import Trust
from recollect.model.document import Tier
from recollect.model.folder import Folder, FolderReading
from recollect.model.ids import checked_id
from recollect.model.job import Schedule
from recollect.model.receipt import Receipt
from recollect.model.record import Kind, importance_of
from recollect.model.reflection import Reflection
from recollect.model.space import SYSTEM, checked_space
from recollect.store.scope import Scope

if TYPE_CHECKING:
    from recollect.files.memory_md import Heading

MAX_LINES = 1_000


class Files:
    """Memory as files: the project's memory.md, and folders of documents."""

    def __init__(self, scope: Scope, stir: Callable[[], None], tools: FileTools) -> None:
        self._scope = scope
        self._stir = stir
        self._tools = tools

    def get_context(self, tier: Tier | str, *, path: str | Path | None = None) -> str:
        """What a tier holds as text: session, project (its file, if there is one), user or system."""
        from recollect.files.tiers import text_of

        chosen = gate.choice(tier, Tier, "tier")
        return text_of(self._scope, chosen, Path(path or self._tools.project_file), self._tools.recent)

    def distill(
        self,
        user: str | None = None,
        agent: str | None = None,
        *,
        path: str | Path | None = None,
        dry_run: bool = False,
    ) -> Reflection:
        """A reflection pass: a person's edits to memory.md become memories, what was learnt becomes lines.

        With `user` or `agent`, what was learnt in that user's or agent's space of the view counts too.
        """
        from recollect.upkeep.reflect import reflect

        sources = [self._named(name, kinds) for name, kinds in ((user, _USERS), (agent, _AGENTS)) if name]
        request = self._tools.request(self._scope, path, sources)
        found = reflect(self._scope, request, dry_run=dry_run)
        self._stir()
        return found

    def summarize_session(self, conversation: str | None = None) -> str:
        """What a conversation was about, or the open one; what has not ended is told so far."""
        from recollect.ingest.sessions import summary_of

        if conversation is None:
            from recollect.store.conversations import newest_open

            found = self._scope.read(lambda tx: newest_open(tx, self._scope.view.home))
            if found is None:
                raise InvalidInput("no conversation is open: name one")
            return summary_of(self._scope, found)
        wanted = checked_id(conversation, "the conversation id")
        return summary_of(self._scope, self._scope.read(lambda tx: talk.existing(tx, self._scope, wanted)))

    def record_fact(self, text: str, significance: int = 3) -> Receipt:
        """Remember a fact of the project; the next reflection gives it a line."""
        from recollect.files.memory_md import Heading

        receipt = self._record(text, Heading.IS, significance)
        self._stir()
        return receipt

    def update_project_memory(
        self,
        lines: Sequence[str] = (),
        *,
        heading: str = "What is",
        significance: int = 3,
        path: str | Path | None = None,
        trust: Trust | str = Trust.USER,
    ) -> Reflection:
        """Remember lines under a heading of memory.md, and write the file now."""
        from recollect.files.memory_md import Heading

        if isinstance(lines, str) or len(lines) > MAX_LINES:
            raise InvalidInput(f"lines must be a list of at most {MAX_LINES:,} texts")
        chosen = gate.choice(heading, Heading, "heading")
        for line in lines:
            gate.text(line, "a line")
        for line in lines:
            self._record(line, chosen, significance, gate.choice(trust, Trust, "trust"))
        return self.distill(path=path)

    def schedule_distill(self, cron: str = "@daily", *, path: str | Path | None = None) -> Schedule:
        """Let a reflection of this view and file come round by a cron expression, in UTC."""
        from recollect.files.disk import project_path

        file = project_path(path or self._tools.project_file)
        payload: dict[str, Any] = {"path": str(file), "view": list(self._scope.view.spaces)}
        now = self._scope.now()
        name = f"reflect {file}"[-gate.MAX_NAME :]
        return self._scope.write(lambda tx: schedule.put(tx, name, cron, "reflect", now, payload))

    def read_folder(
        self, path: str | Path, space: str | None = None, *, progress: Callable[[int], None] | None = None
    ) -> FolderReading:
        """Keep a folder of texts, Markdown and PDF as passages; files are read again only when they changed.

        Without a space: `system`, if the view sees it, else the view's first.
        """
        from recollect.files.vault import read_folder

        reading = read_folder(self._scope, path, self._place(space), progress)
        self._stir()
        return reading

    def folders(self) -> Sequence[Folder]:
        """The folders that are kept in the view's spaces."""
        from recollect.files.vault import folders

        return folders(self._scope)

    def remove_folder(self, path: str | Path, space: str | None = None) -> FolderReading:
        """Keep a folder no longer: its passages are set aside, and come back with `read_folder`."""
        from recollect.files.vault import remove_folder

        return remove_folder(self._scope, path, self._place(space))

    def watch_folder(
        self,
        path: str | Path,
        space: str | None = None,
        *,
        each: Callable[[FolderReading], None] | None = None,
        stop: threading.Event | None = None,
    ) -> None:
        """Read a folder now and whenever something in it changes, until `stop` is set."""
        from recollect.files.watch import changes

        for _ in changes(Path(path), stop):
            reading = self.read_folder(path, space)
            if each is not None:
                each(reading)

    def _place(self, space: str | None) -> str:
        seen = self._scope.view.spaces
        if space is None:
            return SYSTEM if SYSTEM in seen else seen[0]
        if checked_space(space) not in seen:
            raise InvalidInput(f"the view does not see {space}: add it to the view")
        return space

    def _record(self, text: str, heading: "Heading", significance: int, trust: Trust = Trust.USER) -> Receipt:
        from recollect.files.lines import CATEGORIES
        from recollect.files.tiers import space_of

        weight = importance_of(gate.count(significance, "significance", 1, 5))
        category = CATEGORIES[heading]
        kind = Kind.FACT if category is None else Kind.NOTE
        home = self._scope.seeing(space_of(self._scope.view, Tier.PROJECT))
        given: remember.Fields = {"kind": kind, "importance": weight, "category": category, "trust": trust}
        return remember.remember(home, text, given)

    def _named(self, name: str, kinds: Sequence[str]) -> str:
        """The space of the view that belongs to a user or an agent."""
        wanted = [f"{kind}:{name}" for kind in kinds]
        for space in self._scope.view.spaces:
            if space.rpartition("/")[2] in wanted:
                return space
        raise InvalidInput(f"the view has no space of {name!r}: add {' or '.join(wanted)} to it")


_USERS = ("user",)
_AGENTS = ("agent", "app")

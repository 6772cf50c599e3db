"""What the file tiers work with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from recollect.ingest.llms import LLMs
    from recollect.store.scope import Scope
    from recollect.upkeep.reflect import Request


@dataclass(frozen=True, slots=True)
class FileTools:
    """The project's file, the model if there is one, the recent window."""

    project_file: str
    recent: int
    llms: Callable[[], LLMs]

    def request(self, scope: Scope, path: str | Path | None, sources: Sequence[str] = ()) -> Request:
        """A reflection of the project that a view sees, told by the model where there is one."""
        from recollect.files.tiers import space_of
        from recollect.model.document import Tier
        from recollect.upkeep.reflect import RULES, Request
        from recollect.upkeep.tell import Teller

        space = space_of(scope.view, Tier.PROJECT)
        llm = self.llms().metered(scope)
        tell = None if llm is None else Teller(llm)
        return Request(
            path=Path(path or self.project_file),
            space=space,
            sources=tuple(dict.fromkeys((space, *sources))),
            tell=tell,
            made_by=RULES if tell is None else tell.made_by,
        )

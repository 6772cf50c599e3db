"""Wiring: the settings as each part wants them, and what each kind of job does."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from typing import TYPE_CHECKING

from recollect.files.tools import FileTools
from recollect.ingest.options import DigestOptions
from recollect.jobs.worker import Handler
from recollect.model.job import Job
from recollect.recall.toolbox import Toolbox
from recollect.settings import Settings
from recollect.store.scope import Scope
from recollect.upkeep.options import UpkeepOptions

if TYPE_CHECKING:
    from recollect.ingest.llms import LLMs
    from recollect.models.llm import LLM
    from recollect.models.options import ModelOptions


def model_options(chosen: Settings) -> "ModelOptions":
    """How models behind HTTP are reached."""
    from recollect.models.options import ModelOptions

    return ModelOptions(
        base_url=chosen.base_url or None, api_key=chosen.api_key or None, timeout=chosen.model_timeout
    )


def digest_options(chosen: Settings) -> DigestOptions:
    """How conversations are digested."""
    return DigestOptions(
        promote_at=chosen.promote_at,
        recent_window=chosen.recent_window,
        chunk_size=chosen.chunk_size,
        max_chunks=chosen.max_chunks,
        idle=timedelta(hours=chosen.idle_hours),
    )


def upkeep_options(chosen: Settings) -> UpkeepOptions:
    """How memories are kept in order."""
    return UpkeepOptions(
        max_episodes=chosen.max_episodes, forget_after=timedelta(days=chosen.forget_after_days)
    )


def llms(chosen: Settings, llm: "str | LLM | None") -> Callable[[], "LLMs"]:
    """The LLM that is asked for, if any, with its energy; made when a job first needs it."""

    @cache
    def made() -> "LLMs":
        from recollect.ingest.llms import LLMs

        wanted = chosen.llm if llm is None else llm
        return LLMs(wanted, model_options(chosen), chosen.energy_capacity, chosen.energy_refill)

    return made


def file_tools(chosen: Settings, llms: Callable[[], "LLMs"]) -> FileTools:
    """What the file tiers work with."""
    return FileTools(chosen.project_file, chosen.recent_window, llms)


def handlers(
    scope: Scope, toolbox: Toolbox, files: FileTools, options: DigestOptions, kept: UpkeepOptions
) -> dict[str, Handler]:
    """What each kind of job does."""
    work = _Work(scope, toolbox, files, options, kept)
    return {
        "embed": work.embed,
        "digest": work.digest,
        "idle": work.idle,
        "enhance": work.enhance,
        "app-memory": work.app_memory,
        "app-compact": work.app_compact,
        "scan": work.scan,
        "judge": work.judge,
        "reflect": work.reflect,
        "reembed": work.reembed,
        "upkeep": work.upkeep,
    }


@dataclass(frozen=True, slots=True)
class _Work:
    """The work that jobs stand for; they come from all tenants of the database."""

    scope: Scope
    toolbox: Toolbox
    files: FileTools
    options: DigestOptions
    kept: UpkeepOptions

    def _own(self, job: Job) -> Scope:
        return self.scope.as_tenant(job.tenant)

    def embed(self, job: Job) -> None:
        from recollect.ingest.embed import embed_pending

        embed_pending(self._own(job), self.toolbox.embedders.of(self._own(job)))

    def digest(self, job: Job) -> None:
        from recollect.ingest.digest import digest

        digest(self._own(job), job.payload["conversation"], self.options)
        self.files.llms().promise(self._own(job), job.payload["conversation"])

    def enhance(self, job: Job) -> None:
        self.files.llms().enhance(self._own(job), job.payload["conversation"], self.options)

    def idle(self, job: Job) -> None:
        from recollect.ingest.sessions import end_if_idle

        end_if_idle(self._own(job), job.payload["conversation"], self.options)

    def app_memory(self, job: Job) -> None:
        from recollect.apps.keeper import Keeper

        Keeper(self._own(job), self.files.llms()).keep(job.payload["conversation"])

    def app_compact(self, job: Job) -> None:
        from recollect.apps.keeper import Keeper

        Keeper(self._own(job), self.files.llms()).compact(job.payload["space"])

    def scan(self, job: Job) -> None:
        from recollect.upkeep.contradictions import scan_pending

        scan_pending(self._own(job), self.toolbox.nearest, judged=bool(self.files.llms().wanted))

    def judge(self, job: Job) -> None:
        from recollect.upkeep.judge import judge_waiting

        self.files.llms().spend(self._own(job), lambda llm: judge_waiting(self._own(job), llm))

    def reflect(self, job: Job) -> None:
        from recollect.upkeep.reflect import reflect

        seen = self._own(job).seeing(*job.payload.get("view", self.scope.view.spaces))
        reflect(seen, self.files.request(seen, job.payload.get("path")))

    def reembed(self, job: Job) -> None:
        from recollect.upkeep.reembed import run

        run(self._own(job), self.toolbox.embedders.named(job.payload["to"]))

    def upkeep(self, job: Job) -> None:
        """Upkeep of every space of the tenant, a run for each."""
        from recollect.store import spaces
        from recollect.upkeep.verbs import Upkeep

        own = self._own(job)
        for space in own.read(spaces.every):
            Upkeep(own.seeing(space.path), self.kept, _nothing, _nothing, self.files.llms)()
        self.toolbox.indexes.of(own, self.toolbox.embedders.of(own)).compact()


def _nothing() -> None:
    """The worker that runs this looks for work by itself, and holds no uses to write down."""

"""Wiring: the settings as each part wants them, and what each kind of job does."""

from collections.abc import Callable
from datetime import timedelta
from functools import cache
from typing import TYPE_CHECKING

from recollect.files.verbs import FileTools
from recollect.ingest.embed import embed_pending
from recollect.ingest.options import DigestOptions
from recollect.jobs.worker import Handler
from recollect.model.job import Job
from recollect.recall.toolbox import Toolbox
from recollect.settings import Settings
from recollect.store.scope import Scope

if TYPE_CHECKING:
    from recollect.ingest.llms import LLMs
    from recollect.models.energy import Budget
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


def budget(chosen: Settings) -> "Budget":
    """How much LLM work there is."""
    from recollect.models.energy import Budget

    return Budget(chosen.energy_capacity, chosen.energy_refill)


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


def handlers(scope: Scope, toolbox: Toolbox, files: FileTools, options: DigestOptions) -> dict[str, Handler]:
    """What each kind of job does; jobs come from all tenants of the database."""
    embedders, llms = toolbox.embedders, files.llms

    def own(job: Job) -> Scope:
        return scope.as_tenant(job.tenant)

    def embed(job: Job) -> None:
        embed_pending(own(job), embedders.of(own(job)))

    def digest(job: Job) -> None:
        from recollect.ingest.digest import digest

        digest(own(job), job.payload["conversation"], options)
        llms().promise(own(job), job.payload["conversation"])

    def enhance(job: Job) -> None:
        llms().enhance(own(job), job.payload["conversation"], options)

    def idle(job: Job) -> None:
        from recollect.ingest.sessions import end_if_idle

        end_if_idle(own(job), job.payload["conversation"], options)

    def app_memory(job: Job) -> None:
        from recollect.apps.keeper import Keeper

        Keeper(own(job), llms()).keep(job.payload["conversation"])

    def app_compact(job: Job) -> None:
        from recollect.apps.keeper import Keeper

        Keeper(own(job), llms()).compact(job.payload["space"])

    def scan(job: Job) -> None:
        from recollect.upkeep.contradictions import scan_pending

        scan_pending(own(job), toolbox.nearest, judged=bool(llms().wanted))

    def judge(job: Job) -> None:
        from recollect.upkeep.judge import judge_waiting

        llms().spend(own(job), lambda llm: judge_waiting(own(job), llm))

    def reflect(job: Job) -> None:
        from recollect.upkeep.reflect import reflect

        seen = own(job).seeing(*job.payload.get("view", scope.view.spaces))
        reflect(seen, files.request(seen, job.payload.get("path")))

    def reembed(job: Job) -> None:
        from recollect.upkeep.reembed import run

        run(own(job), embedders.named(job.payload["to"]))

    return {
        "embed": embed,
        "digest": digest,
        "idle": idle,
        "enhance": enhance,
        "app-memory": app_memory,
        "app-compact": app_compact,
        "scan": scan,
        "judge": judge,
        "reflect": reflect,
        "reembed": reembed,
    }

"""Wiring: the settings as each part wants them, and what each kind of job does."""

from collections.abc import Callable
from datetime import timedelta
from functools import cache
from typing import TYPE_CHECKING

from recollect.ingest.embed import embed_pending
from recollect.ingest.embedders import Embedders
from recollect.ingest.options import DigestOptions
from recollect.jobs.worker import Handler
from recollect.model.job import Job
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


def handlers(
    scope: Scope, embedders: Embedders, llms: Callable[[], "LLMs"], options: DigestOptions
) -> dict[str, Handler]:
    """What each kind of job does; jobs come from all tenants of the database."""

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

    return {"embed": embed, "digest": digest, "idle": idle, "enhance": enhance}


def upkeep_handlers(scope: Scope, options: UpkeepOptions) -> dict[str, Handler]:
    """The job that comes round by schedule: upkeep of every space of the tenant, a run for each."""

    def upkeep(job: Job) -> None:
        from recollect.store import spaces
        from recollect.upkeep.verbs import Upkeep

        own = scope.as_tenant(job.tenant)
        for space in own.read(spaces.every):
            Upkeep(own.seeing(space.path), options, _nothing, _nothing)()

    return {"upkeep": upkeep}


def _nothing() -> None:
    """The worker that runs this looks for work by itself, and holds no uses to write down."""

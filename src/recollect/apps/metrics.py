"""The figures of apps: how much is kept, how often it is made and given out, and what it costs."""

from datetime import datetime, timedelta
from functools import partial

from recollect.apps.prompts import compaction, creation
from recollect.model.app import App, AppEnergy, AppStats
from recollect.models.energy import LOW_LEVEL, Budget, Meter
from recollect.store import apps
from recollect.store.database import Tx
from recollect.store.energy import EnergyLedger
from recollect.store.scope import Scope

PURPOSES = (creation.PURPOSE, compaction.PURPOSE)
POLL = "app-energy"
FAR = timedelta(days=365)


def stats(scope: Scope, app: App | None) -> AppStats:
    """Figures of one app, or of all that are installed."""
    return scope.read(partial(_stats, app=app, now=scope.now()))


def _stats(tx: Tx, app: App | None, now: datetime) -> AppStats:
    chosen = [one for one in apps.every(tx) if one.installed] if app is None else [app]
    paths = [one.space for one in chosen]
    filled = apps.filled(tx, paths)
    lately = apps.counters(tx, paths, apps.day_before(now))
    compactions = sum(lately.get(name, 0) for name in apps.COMPACTIONS)
    had, given = apps.talks(tx, paths)
    return AppStats(
        apps=len(chosen),
        with_memories=len(filled),
        memories=sum(filled.values()),
        room=sum(one.cap for one in chosen),
        conversations=had,
        conversations_with_memories=given,
        created_per_hour=lately.get("created", 0) / 24,
        compactions_per_app_and_day=_share(compactions, len(chosen)),
        utilisation=_share(len(filled), len(chosen)),
        injection_rate=_share(given, had),
        energy=sum(apps.spent(tx, PURPOSES, paths).values()),
        counters=apps.counters(tx, paths),
    )


def _share(some: int, all: int) -> float:
    return some / all if all else 0.0


def energy(scope: Scope, budget: Budget) -> AppEnergy:
    """What apps cost since the last time this was asked, in all, and at this pace in the next day."""
    now = scope.now()
    meter = Meter(budget, EnergyLedger(scope))
    left, level = meter.left(now), meter.level(now)
    pace = EnergyLedger(scope).spent_since(now - timedelta(hours=24)) / 24

    def work(tx: Tx) -> tuple[dict[str, int], int, int]:
        paths = [app.space for app in apps.every(tx)]
        by_space = apps.spent(tx, PURPOSES, paths)
        lately = sum(apps.spent(tx, PURPOSES, paths, now - timedelta(hours=24)).values())
        return by_space, lately, apps.poll(tx, POLL, sum(by_space.values()))

    by_space, lately, since = scope.write(work)
    return AppEnergy(
        since_last_poll=since,
        total=sum(by_space.values()),
        by_app={space.partition(":")[2]: n for space, n in sorted(by_space.items())},
        level=level,
        left=left,
        capacity=budget.capacity,
        refill_per_hour=budget.refill_per_hour,
        per_hour=lately / 24,
        next_day=lately,
        low_at=_low_at(budget, left, pace, now),
    )


def _low_at(budget: Budget, left: int, pace: float, now: datetime) -> datetime | None:
    """When the level falls under 20 % at a pace of spending; None if it comes back as fast as it goes."""
    spare = left - LOW_LEVEL * budget.capacity
    if spare <= 0:
        return now
    loss = pace - budget.refill_per_hour
    if loss <= 0:
        return None
    wait = timedelta(hours=min(spare / loss, FAR.total_seconds() / 3_600))
    return None if wait >= FAR else now + wait

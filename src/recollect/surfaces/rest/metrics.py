"""Metrics for Prometheus: how many requests, how they ended, how long they took, and the figures of apps."""

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from recollect.model.app import AppStats

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """Counters of one server process. Their labels are operations and statuses, never tenants or spaces."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "recollect_requests", "Requests answered.", ("operation", "status"), registry=self._registry
        )
        self._seconds = Histogram(
            "recollect_request_seconds", "Time to answer.", ("operation",), registry=self._registry
        )

    def observe(self, operation: str, status: int, seconds: float) -> None:
        """Count one request."""
        self._requests.labels(operation, str(status)).inc()
        self._seconds.labels(operation).observe(seconds)

    def text(self) -> bytes:
        """All of them as Prometheus reads them."""
        return generate_latest(self._registry)


class AppMetrics:
    """The figures of a tenant's apps, read when they are asked for: every process tells the same."""

    def __init__(self, found: AppStats) -> None:
        self._found = found

    def collect(self) -> Iterator[Metric]:
        """Each figure as a metric; rates are for Prometheus to make of what only grows."""
        found = self._found
        for name, value, told in (
            ("apps", found.apps, "Apps that are installed."),
            ("apps_with_memories", found.with_memories, "Apps that have any memory."),
            ("app_memories", found.memories, "Memories that apps keep."),
            ("app_conversations", found.conversations, "Conversations of apps."),
            (
                "app_conversations_with_memories",
                found.conversations_with_memories,
                "Conversations of apps that were given memories.",
            ),
        ):
            yield GaugeMetricFamily(f"recollect_{name}", told, value)
        yield CounterMetricFamily("recollect_app_energy", "Tokens that keeping memories cost.", found.energy)
        events = CounterMetricFamily(
            "recollect_app_events", "What happened to memories of apps.", labels=["event"]
        )
        for event, count in found.counters.items():
            events.add_metric([event], count)
        yield events

    def text(self) -> bytes:
        """All of them as Prometheus reads them."""
        registry = CollectorRegistry()
        registry.register(self)
        return generate_latest(registry)

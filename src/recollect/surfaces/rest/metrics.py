"""Metrics for Prometheus: how many requests, how they ended and how long they took; nothing of anybody's."""

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest

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

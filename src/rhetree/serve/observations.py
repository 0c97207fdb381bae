"""What ``/metrics`` tells Prometheus. No label has a value that a client can choose."""

from collections.abc import Callable

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
_SENTENCES = (1, 2, 4, 8, 16, 32, 64, 128, 256)


class Observations:
    """The counters of one service, in a registry of its own."""

    def __init__(self, n_places: int) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "rhetree_requests", "Requests that were answered", ["route", "status"], registry=self._registry
        )
        self._seconds = Histogram(
            "rhetree_request_seconds",
            "Time from the first byte of a request to the last byte of its answer",
            ["route"],
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._failures = Counter(
            "rhetree_failures",
            "Requests that failed, by the code of their error",
            ["code"],
            registry=self._registry,
        )
        self._sentences = Counter("rhetree_sentences", "Sentences through the model", registry=self._registry)
        self._batches = Histogram(
            "rhetree_batch_sentences", "Sentences in a batch", buckets=_SENTENCES, registry=self._registry
        )
        self._places = Gauge("rhetree_places", "Most requests at a time", registry=self._registry)
        self._places.set(n_places)
        self._taken = Gauge(
            "rhetree_places_taken", "Requests that wait or are at work", registry=self._registry
        )
        ProcessCollector(registry=self._registry)
        PlatformCollector(registry=self._registry)

    def watch_places(self, n_taken: Callable[[], float]) -> None:
        """Look up the number of places that are taken whenever it is asked for."""
        self._taken.set_function(n_taken)

    def answered(self, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        self._requests.labels(route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def failed(self, code: str) -> None:
        """Count a failure."""
        self._failures.labels(code).inc()

    def ran_batch(self, _n_requests: int, n_sentences: int) -> None:
        """Count a batch of the model."""
        self._sentences.inc(n_sentences)
        self._batches.observe(n_sentences)

    def text(self) -> bytes:
        """Everything in Prometheus's text format."""
        return generate_latest(self._registry)

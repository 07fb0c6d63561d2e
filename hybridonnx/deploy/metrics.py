"""What a server counts, for Prometheus and for the protocol's statistics."""

from __future__ import annotations

import threading
from collections import Counter
from typing import Any

import prometheus_client as prometheus


class Metrics:
    """The counts of a server."""

    def __init__(self) -> None:
        self._registry = prometheus.CollectorRegistry()
        common: Any = {"registry": self._registry}
        named = ["model"]
        self.requests = prometheus.Counter(
            "hybridonnx_requests", "Requests that were answered.", ["model", "code"], **common
        )
        self.rows = prometheus.Counter("hybridonnx_rows", "Rows that were predicted.", named, **common)
        self.batches = prometheus.Counter(
            "hybridonnx_batches", "Batches that the model ran.", named, **common
        )
        self.run_seconds = prometheus.Counter(
            "hybridonnx_run_seconds", "Time in which the model ran.", named, **common
        )
        self.seconds = prometheus.Histogram(
            "hybridonnx_request_seconds", "Time from a whole request to its answer.", named, **common
        )
        self.in_work = prometheus.Gauge("hybridonnx_requests_in_work", "Requests that are in work.", **common)

    def text(self) -> bytes:
        """All of them as Prometheus reads them."""
        return prometheus.generate_latest(self._registry)


class ModelMetrics:
    """The counts of a model."""

    def __init__(self, metrics: Metrics, model: str) -> None:
        self._metrics, self._model = metrics, model
        self._lock = threading.Lock()
        self._batches: Counter[int] = Counter()
        self._seconds: Counter[int] = Counter()

    def answered(self, code: int) -> None:
        """Note a request."""
        self._metrics.requests.labels(self._model, str(code)).inc()

    def took(self, seconds: float) -> None:
        """Note how long a request took that was answered with outputs."""
        self._metrics.seconds.labels(self._model).observe(seconds)

    def batch_done(self, rows: int, seconds: float) -> None:
        """Note a batch."""
        self._metrics.rows.labels(self._model).inc(rows)
        self._metrics.batches.labels(self._model).inc()
        self._metrics.run_seconds.labels(self._model).inc(seconds)
        with self._lock:
            self._batches[rows] += 1
            self._seconds[rows] += round(seconds * 1e9)

    def statistics(self) -> dict[str, Any]:
        """What the protocol's extension of statistics says of it."""
        with self._lock:
            batches, seconds = dict(self._batches), dict(self._seconds)
        return {
            "name": self._model,
            "version": "1",
            "inference_count": sum(rows * count for rows, count in batches.items()),
            "execution_count": sum(batches.values()),
            "batch_stats": [
                {"batch_size": rows, "compute_infer": {"count": batches[rows], "ns": seconds[rows]}}
                for rows in sorted(batches)
            ],
        }

"""Metrics of an `Estimator`: which ones are taken, and which fit a loss."""

from __future__ import annotations

from collections.abc import Iterable

from ....errors import AttributeValueError
from ....metric import Accuracy, EvalMetric
from ...loss import SoftmaxCrossEntropyLoss
from .event_handler import listed

__all__: list[str] = []

_check_metrics = listed


def _check_metric_known(handler: object, metric: EvalMetric, known_metrics: Iterable[EvalMetric]) -> None:
    """Refuse a handler's metric that is none of the estimator's own objects."""
    if not any(metric is known for known in known_metrics):
        raise AttributeValueError(
            f"{type(handler).__name__}: metrics of estimator.train_metrics and of estimator.val_metrics are "
            f"required, got {metric}."
        )


def _check_handler_metric_ref(handler: object, known_metrics: Iterable[EvalMetric]) -> None:
    """Refuse a handler whose metrics, or monitored one, are none of the estimator's."""
    monitored = getattr(handler, "monitor", None)
    for metric in (*(getattr(handler, "metrics", None) or ()), monitored):
        if isinstance(metric, EvalMetric):
            _check_metric_known(handler, metric, known_metrics)


def _suggest_metric_for_loss(loss: object) -> EvalMetric | None:
    """The metric that fits a loss, if there is one."""
    return Accuracy() if isinstance(loss, SoftmaxCrossEntropyLoss) else None

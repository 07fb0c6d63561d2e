"""Several metrics in one, and metrics by name."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from ..errors import AttributeValueError, suggest
from ..ndarray.ndarray import NDArray
from ..typing import Arrays
from ._base import EvalMetric, alias, register, registered
from ._functions import CustomMetric

MetricLike: TypeAlias = "EvalMetric | str | Callable[..., object] | Mapping[str, Any] | Sequence[MetricLike]"
"""A metric, its name or configuration, a function of labels and predictions, or several of these."""


def create(metric: MetricLike, *args: Any, **kwargs: Any) -> EvalMetric:
    """A metric from a registered name, a configuration, a function of NumPy arrays, or a list of these."""
    if isinstance(metric, EvalMetric):
        return metric
    if callable(metric):
        return CustomMetric(metric, *args, **kwargs)
    if isinstance(metric, list):
        composite = CompositeEvalMetric()
        for each in metric:
            composite.add(create(each, *args, **kwargs))
        return composite
    if isinstance(metric, Mapping):
        return create(**metric)
    if not isinstance(metric, str):
        raise AssertionError(
            "create: a name, a function of labels and predictions, a metric or a list of these is required, "
            f"got {type(metric).__name__}."
        )
    if metric.startswith(("[", "{")):
        return _from_text(metric)
    klass = registered.get(metric.lower())
    if klass is None:
        raise AssertionError(
            f"{metric} is not registered. Please register with metric.register first."
            f"{suggest(metric.lower(), registered)}"
        )
    return klass(*args, **kwargs)


def _from_text(text: str) -> EvalMetric:
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        read = None
    if isinstance(read, dict) and "metric" in read:
        return create(**read)
    if isinstance(read, list) and len(read) == 2 and isinstance(read[0], str) and isinstance(read[1], dict):
        return create(read[0], **read[1])
    raise AttributeValueError(f'create: text such as ["acc", {{"axis": 1}}] is required, got {text[:200]!r}.')


@register
@alias("composite")
class CompositeEvalMetric(EvalMetric):
    """Several metrics of the same labels and predictions."""

    def __init__(
        self,
        metrics: Sequence[MetricLike] | None = None,
        name: str = "composite",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        self.metrics = [create(each) for each in metrics or ()]
        super().__init__(name, output_names, label_names, has_global_stats=True)

    def add(self, metric: MetricLike) -> None:
        """Add a metric, or what `create` makes one from."""
        self.metrics.append(create(metric))

    def get_metric(self, index: int) -> Any:
        """The metric at an index."""
        if not -len(self.metrics) <= index < len(self.metrics):
            raise ValueError(f"Metric index {index} is out of range 0 and {len(self.metrics)}")
        return self.metrics[index]

    def update_dict(self, labels: Mapping[str, NDArray], preds: Mapping[str, NDArray]) -> None:
        """Give every metric those named arrays that `label_names` and `output_names` choose."""
        if self.label_names is not None:
            labels = {name: each for name, each in labels.items() if name in self.label_names}
        if self.output_names is not None:
            preds = {name: each for name, each in preds.items() if name in self.output_names}
        for metric in self.metrics:
            metric.update_dict(labels, preds)

    def update(self, labels: Arrays, preds: Arrays) -> None:
        """Give every metric the batch."""
        for metric in self.metrics:
            metric.update(labels, preds)

    def reset(self) -> None:
        """Reset every metric."""
        for metric in self.metrics:
            metric.reset()

    def reset_local(self) -> None:
        """Reset the local counts of every metric."""
        for metric in self.metrics:
            metric.reset_local()

    def get(self) -> tuple[list[Any], list[Any]]:
        """The names, and the values."""
        return _joined(metric.get_name_value() for metric in self.metrics)

    def get_global(self) -> tuple[list[Any], list[Any]]:
        """The names, and the global values."""
        return _joined(metric.get_global_name_value() for metric in self.metrics)

    def get_config(self) -> dict[str, Any]:
        """What `create` makes such a metric from."""
        return {**super().get_config(), "metrics": [metric.get_config() for metric in self.metrics]}


def _joined(groups: Iterator[list[tuple[Any, Any]]]) -> tuple[list[Any], list[Any]]:
    pairs = [pair for group in groups for pair in group]
    return [name for name, _ in pairs], [value for _, value in pairs]

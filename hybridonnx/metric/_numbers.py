"""Metrics of labels and predictions that are numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy

from ..errors import ShapeError
from ..ops import Array
from ..typing import Arrays
from ._base import EvalMetric, alias, check_label_shapes, pairs, register


class _Difference(EvalMetric):
    """A mean over batches of what the differences of labels and predictions give."""

    owner: ClassVar[str]

    def __init__(
        self, name: str, output_names: Sequence[str] | None = None, label_names: Sequence[str] | None = None
    ) -> None:
        super().__init__(name, output_names, label_names, has_global_stats=True)

    @staticmethod
    def _of(difference: Array) -> Any:
        raise NotImplementedError

    def update(self, labels: Arrays, preds: Arrays) -> None:
        """Take in a batch; arrays of one axis are columns."""
        for label, pred in pairs(labels, preds):
            label, pred = (x.reshape(-1, 1) if x.ndim == 1 else x for x in (label, pred))
            try:
                numpy.broadcast_shapes(label.shape, pred.shape)
                fits = len(label) == len(pred)
            except ValueError:
                fits = False
            if not fits:
                raise ShapeError(
                    f"{self.owner}: labels and predictions of one shape are required, got {label.shape} "
                    f"and {pred.shape}."
                )
            self._add(float(self._of(label.astype(numpy.float64) - pred)), 1)


@register
class MAE(_Difference):
    """The mean over batches of the mean absolute difference."""

    owner = "MAE"

    def __init__(
        self,
        name: str = "mae",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(name, output_names, label_names)

    @staticmethod
    def _of(difference: Array) -> Any:
        return abs(difference).mean()


@register
class MSE(_Difference):
    """The mean over batches of the mean squared difference."""

    owner = "MSE"

    def __init__(
        self,
        name: str = "mse",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(name, output_names, label_names)

    @staticmethod
    def _of(difference: Array) -> Any:
        return (difference**2).mean()


@register
class RMSE(_Difference):
    """The mean over batches of the root of the mean squared difference."""

    owner = "RMSE"

    def __init__(
        self,
        name: str = "rmse",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(name, output_names, label_names)

    @staticmethod
    def _of(difference: Array) -> Any:
        return (difference**2).mean() ** 0.5


@register
@alias("pearsonr")
class PearsonCorrelation(EvalMetric):
    """The correlation of labels and predictions of one shape.

    The average "macro" is the mean of the correlations of batches; otherwise it is that of all values.
    """

    def __init__(
        self,
        name: str = "pearsonr",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        average: str = "macro",
    ) -> None:
        self.average = average
        super().__init__(name, output_names, label_names, has_global_stats=True)

    def update(self, labels: Arrays, preds: Arrays) -> None:
        """Take in a batch."""
        for label, pred in pairs(labels, preds):
            check_label_shapes(label, pred, shape=True)
            both = numpy.stack([label.ravel(), pred.ravel()]).astype(numpy.float64)
            if self.average == "macro":
                self._add(float(numpy.asarray(numpy.corrcoef(both))[0, 1]), 1)
                continue
            self._moments.add(both)
            self._global_moments.add(both)
            self.num_inst += 1
            self.global_num_inst += 1

    def get(self) -> tuple[Any, Any]:
        """The name, and the value since the last reset of any kind; NaN if there was nothing."""
        if self.average == "macro" or not self.num_inst:
            return super().get()
        return self.name, self._moments.correlation()

    def get_global(self) -> tuple[Any, Any]:
        """The name, and the value since the last `reset`."""
        if self.average == "macro" or not self.global_num_inst:
            return super().get_global()
        return self.name, self._global_moments.correlation()

    def reset(self) -> None:
        """Forget everything."""
        super().reset()
        self._moments, self._global_moments = _Moments(), _Moments()

    def reset_local(self) -> None:
        """Forget everything but the global counts."""
        super().reset_local()
        self._moments = _Moments()


class _Moments:
    """Count, means and summed products of deviations of pairs, merged batch by batch without cancellation."""

    def __init__(self) -> None:
        self.count, self.mean, self.products = 0, numpy.zeros((2, 1)), numpy.zeros((2, 2))

    def add(self, both: Array) -> None:
        """Take in pairs (2, N)."""
        n = both.shape[1]
        if not n:
            return
        mean = both.mean(1, keepdims=True)
        step, total = mean - self.mean, self.count + n
        apart = both - mean
        self.products += apart @ apart.T + step @ step.T * (self.count * n / total)
        self.mean = self.mean + step * (n / total)
        self.count = total

    def correlation(self) -> float:
        """The correlation; NaN if labels or predictions are all the same."""
        spread = math.sqrt(self.products[0, 0] * self.products[1, 1])
        return float(self.products[0, 1] / spread) if spread else math.nan

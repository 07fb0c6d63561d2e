"""Metrics of labels and probabilities."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy

from ..ndarray.ndarray import NDArray
from ..typing import Arrays
from ._base import EvalMetric, alias, pairs, register


@register
class Perplexity(EvalMetric):
    """The exponential of the mean of -log of the probabilities, along `axis`, of the labels.

    Labels equal to `ignore_label` are left out, unless it is None.
    """

    def __init__(
        self,
        ignore_label: int | None,
        axis: int = -1,
        name: str = "perplexity",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(name, output_names, label_names, ignore_label=ignore_label, has_global_stats=True)
        self.ignore_label = ignore_label
        self.axis = axis

    def update(self, labels: Arrays, preds: Arrays) -> None:
        """Take in a batch."""
        if not isinstance(labels, NDArray) and len(labels) != len(preds):
            raise AssertionError(
                f"Perplexity: as many labels as predictions are required, got {len(labels)} and {len(preds)}."
            )
        for label, pred in pairs(labels, preds):
            scores = numpy.moveaxis(pred, self.axis, -1)
            scores, targets = scores.reshape(-1, scores.shape[-1]), label.ravel().astype(numpy.int64)
            if len(scores) != targets.size:
                raise AssertionError(f"Perplexity: shape mismatch: {label.shape} vs. {pred.shape}")
            mask = targets != self.ignore_label if self.ignore_label is not None else slice(None)
            classes = targets[mask].clip(0, scores.shape[1] - 1)
            probabilities = scores[mask][numpy.arange(len(classes)), classes].astype(numpy.float64)
            self._add(float(-numpy.log(probabilities.clip(1e-10)).sum()), len(classes))

    def _value(self, total: Any, count: int) -> Any:
        return math.exp(total / count) if count else math.nan


class _LogLikelihood(EvalMetric):
    """The mean of -log(probability + eps) of the labels, with probabilities (N, C)."""

    owner: ClassVar[str]

    def __init__(
        self, eps: float, name: str, output_names: Sequence[str] | None, label_names: Sequence[str] | None
    ) -> None:
        super().__init__(name, output_names, label_names, eps=eps, has_global_stats=True)
        self.eps = eps

    def update(self, labels: Arrays, preds: Arrays) -> None:
        """Take in a batch."""
        for label, pred in pairs(labels, preds):
            if pred.ndim != 2 or label.size != len(pred):
                raise AssertionError(
                    f"{self.owner}: one label for each row of probabilities (N, C) is required, "
                    f"got {label.shape} and {pred.shape}."
                )
            classes = label.ravel().astype(numpy.int64)
            probabilities = pred[numpy.arange(len(pred)), classes].astype(numpy.float64)
            self._add(float(-numpy.log(probabilities + self.eps).sum()), len(pred))


@register
@alias("ce")
class CrossEntropy(_LogLikelihood):
    """The mean of -log(probability + eps) of the labels, with probabilities (N, C)."""

    owner = "CrossEntropy"

    def __init__(
        self,
        eps: float = 1e-12,
        name: str = "cross-entropy",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(eps, name, output_names, label_names)


@register
@alias("nll_loss")
class NegativeLogLikelihood(_LogLikelihood):
    """The mean of -log(probability + eps) of the labels, with probabilities (N, C)."""

    owner = "NegativeLogLikelihood"

    def __init__(
        self,
        eps: float = 1e-12,
        name: str = "nll-loss",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(eps, name, output_names, label_names)

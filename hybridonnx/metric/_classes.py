"""Metrics of labels and predicted classes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy

from ..errors import ShapeError
from ..ops import Array
from ..typing import Arrays
from ._base import EvalMetric, alias, pairs, register, same_sizes


@register
@alias("acc")
class Accuracy(EvalMetric):
    """The share of labels that are the class with the largest score along `axis`, or the predicted class."""

    def __init__(
        self,
        axis: int = 1,
        name: str = "accuracy",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(name, output_names, label_names, axis=axis, has_global_stats=True)
        self.axis = axis

    def update(self, labels: Arrays, preds: Arrays) -> None:
        """Take in a batch."""
        for label, pred in pairs(labels, preds):
            chosen = pred if pred.shape == label.shape else pred.argmax(self.axis)
            same_sizes("Accuracy", label, pred, chosen.size)
            right = label.ravel().astype(numpy.int32) == chosen.ravel().astype(numpy.int32)
            self._add(int(right.sum()), right.size)


@register
@alias("top_k_accuracy", "top_k_acc")
class TopKAccuracy(EvalMetric):
    """The share of labels that are among the `top_k` classes with the largest scores (N, C)."""

    def __init__(
        self,
        top_k: int = 1,
        name: str = "top_k_accuracy",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(name, output_names, label_names, top_k=top_k, has_global_stats=True)
        if top_k <= 1:
            raise AssertionError(
                f"TopKAccuracy: top_k over 1 is required, got {top_k}. "
                "Please use Accuracy if top_k is no more than 1"
            )
        self.top_k = top_k
        self.name += f"_{top_k}"

    def update(self, labels: Arrays, preds: Arrays) -> None:
        """Take in a batch."""
        for label, pred in pairs(labels, preds):
            if pred.ndim > 2:
                raise AssertionError(
                    f"TopKAccuracy: predictions (N, C) are required, got {pred.shape}. Predictions should be "
                    "no more than 2 dims"
                )
            if pred.ndim < 2 or pred.shape[1] < self.top_k:
                raise ShapeError(
                    f"TopKAccuracy: predictions (N, C) with C of {self.top_k} or more are required, "
                    f"got {pred.shape}."
                )
            same_sizes("TopKAccuracy", label, pred, len(pred))
            best = numpy.argpartition(pred.astype(numpy.float32), -self.top_k, axis=1)[:, -self.top_k :]
            right = best == label.reshape(-1, 1).astype(numpy.int32)
            self._add(int(right.sum()), label.size)


class _Binary(EvalMetric):
    """A score of true and false positives and negatives.

    The average "macro" is the mean of the scores of batches; otherwise the score is that of all counts.
    """

    owner: ClassVar[str]

    def __init__(
        self, name: str, output_names: Sequence[str] | None, label_names: Sequence[str] | None, average: str
    ) -> None:
        self.average = average
        super().__init__(name, output_names, label_names, has_global_stats=True)

    @staticmethod
    def _score(counts: Array) -> float:
        """The score of the numbers of true and false positives, true and false negatives."""
        raise NotImplementedError

    def update(self, labels: Arrays, preds: Arrays) -> None:
        """Take in a batch: labels of 0 and 1, and scores of two classes (N, 2)."""
        counts = sum((self._counted(label, pred) for label, pred in pairs(labels, preds)), numpy.zeros(4))
        if self.average == "macro":
            self._add(self._score(counts), 1)
            return
        self._counts += counts
        self._global_counts += counts
        self.num_inst = int(self._counts.sum())
        self.sum_metric = self._score(self._counts) * self.num_inst
        self.global_num_inst = int(self._global_counts.sum())
        self.global_sum_metric = self._score(self._global_counts) * self.global_num_inst

    def _counted(self, label: Array, pred: Array) -> Array:
        if pred.ndim < 2:
            raise ShapeError(f"{self.owner}: scores of two classes (N, 2) are required, got {pred.shape}.")
        chosen, label = pred.argmax(1).ravel(), label.astype(numpy.int32).ravel()
        same_sizes(self.owner, label, pred, chosen.size)
        if len(numpy.unique(label)) > 2:
            raise ValueError(f"{self.owner} currently only supports binary classification.")
        positive, yes, negative, no = chosen == 1, label == 1, chosen == 0, label == 0
        both = (positive & yes, positive & no, negative & no, negative & yes)
        return numpy.array([each.sum() for each in both], dtype=numpy.float64)

    def reset(self) -> None:
        """Forget everything."""
        super().reset()
        self._counts, self._global_counts = numpy.zeros(4), numpy.zeros(4)

    def reset_local(self) -> None:
        """Forget everything but the global counts."""
        super().reset_local()
        self._counts = numpy.zeros(4)


@register
class F1(_Binary):
    """The harmonic mean of precision and recall of class 1."""

    owner = "F1"

    def __init__(
        self,
        name: str = "f1",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        average: str = "macro",
    ) -> None:
        super().__init__(name, output_names, label_names, average)

    @staticmethod
    def _score(counts: Array) -> float:
        right, wrong, _, missed = map(float, counts)
        return 2 * right / (2 * right + wrong + missed) if right else 0.0


@register
class MCC(_Binary):
    """The Matthews correlation coefficient of labels and predicted classes."""

    owner = "MCC"

    def __init__(
        self,
        name: str = "mcc",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        average: str = "macro",
    ) -> None:
        super().__init__(name, output_names, label_names, average)

    @staticmethod
    def _score(counts: Array) -> float:
        tp, fp, tn, fn = map(float, counts)
        sums = [each for each in (tp + fp, tp + fn, tn + fp, tn + fn) if each]
        return (tp * tn - fp * fn) / math.sqrt(math.prod(sums))


@register
class PCC(EvalMetric):
    """The Pearson correlation of labels and predicted classes, of which there may be any number."""

    k: int
    """The number of classes seen."""
    lcm: Array
    """How often each class was predicted (row) for each label (column), since the last reset of any kind."""
    gcm: Array
    """The same since the last `reset`."""

    def __init__(
        self,
        name: str = "pcc",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        has_global_stats: bool = True,
    ) -> None:
        self.k = 2
        super().__init__(name, output_names, label_names, has_global_stats=has_global_stats)

    def update(self, labels: Arrays, preds: Arrays) -> None:
        """Take in a batch: labels, and scores (N, C) or predicted classes."""
        for label, pred in pairs(labels, preds):
            chosen = pred if pred.shape == label.shape else pred.argmax(1)
            same_sizes("PCC", label, pred, chosen.size)
            indices = chosen.ravel().astype(numpy.int64), label.ravel().astype(numpy.int64)
            if any((each < 0).any() for each in indices):
                raise ValueError("PCC: classes from 0 are required, got a negative one.")
            self._grow(max(int(each.max(initial=0)) for each in indices) + 1)
            numpy.add.at(self.lcm, indices, 1)
            numpy.add.at(self.gcm, indices, 1)
        self.num_inst += 1
        self.global_num_inst += 1

    def _grow(self, count: int) -> None:
        more = max(0, count - self.k)
        self.k += more
        self.lcm, self.gcm = (numpy.pad(each, (0, more)) for each in (self.lcm, self.gcm))

    @staticmethod
    def _correlation(table: Array) -> float:
        n, chosen, label = table.sum(), table.sum(1), table.sum(0)
        both = table.trace() * n - (chosen * label).sum()
        spread = ((chosen * (n - chosen)).sum() * (label * (n - label)).sum()) ** 0.5
        return float(both / spread) if spread else math.nan

    @property
    def sum_metric(self) -> float:
        """The correlation, times the number of batches."""
        return self._correlation(self.lcm) * self.num_inst

    @property
    def global_sum_metric(self) -> float:
        """The global correlation, times the number of batches."""
        return self._correlation(self.gcm) * self.global_num_inst

    def reset(self) -> None:
        """Forget everything."""
        self.num_inst = self.global_num_inst = 0
        self.lcm, self.gcm = numpy.zeros((self.k, self.k)), numpy.zeros((self.k, self.k))

    def reset_local(self) -> None:
        """Forget everything but the global counts."""
        self.num_inst = 0
        self.lcm = numpy.zeros((self.k, self.k))

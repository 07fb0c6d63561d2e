"""Metrics of losses, and of a user's functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy

from ..ops import Array
from ..typing import Arrays
from ._base import EvalMetric, check_label_shapes, register, values


@register
class Loss(EvalMetric):
    """The mean of the predictions, which are losses; labels do not matter."""

    def __init__(
        self,
        name: str = "loss",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(name, output_names, label_names, has_global_stats=True)

    def update(self, _: Arrays | None, preds: Arrays) -> None:
        """Take in a batch of losses."""
        for pred in preds if isinstance(preds, list | tuple) else [preds]:
            losses = values(pred)
            self._add(float(losses.sum(dtype=numpy.float64)), losses.size)


@register
class Torch(Loss):
    """The mean of losses, under another name."""

    def __init__(
        self,
        name: str = "torch",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(name, output_names, label_names)


@register
class Caffe(Loss):
    """The mean of losses, under another name."""

    def __init__(
        self,
        name: str = "caffe",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(name, output_names, label_names)


@register
class CustomMetric(EvalMetric):
    """The mean over batches of a function of label and prediction, NumPy arrays.

    The function may give a sum and a count instead of a number.
    """

    def __init__(
        self,
        feval: Callable[[Array, Array], object],
        name: str | None = None,
        allow_extra_outputs: bool = False,
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        own = getattr(feval, "__name__", type(feval).__name__)
        name = name or (f"custom({own})" if "<" in own else own)
        super().__init__(name, output_names, label_names, has_global_stats=True)
        self._feval = feval
        self._allow_extra_outputs = allow_extra_outputs

    def update(self, labels: Arrays, preds: Arrays) -> None:
        """Take in a batch."""
        lists = [list(x) if isinstance(x, list | tuple) else [x] for x in (labels, preds)]
        if not self._allow_extra_outputs:
            check_label_shapes(lists[0], lists[1])
        for label, pred in zip(*lists, strict=False):
            score = self._feval(values(label), values(pred))
            self._add(*(score if isinstance(score, tuple) else (score, 1)))

    def get_config(self) -> dict[str, Any]:
        """Nothing: a function cannot be written as text."""
        raise NotImplementedError("CustomMetric cannot be serialized: keep the function, and make it anew.")


def np(
    numpy_feval: Callable[[Array, Array], object], name: str | None = None, allow_extra_outputs: bool = False
) -> CustomMetric:
    """A metric of a function of label and prediction, NumPy arrays, under the function's own name."""

    def feval(label: Array, pred: Array) -> Any:
        return numpy_feval(label, pred)

    feval.__name__ = getattr(numpy_feval, "__name__", "feval")
    return CustomMetric(feval, name, allow_extra_outputs)

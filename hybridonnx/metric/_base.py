"""What all metrics have, and the table of their names."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy

from ..errors import ShapeError
from ..ndarray.ndarray import NDArray
from ..ops import Array
from ..registry import share
from ..typing import Arrays

_Class = TypeVar("_Class", bound="type[EvalMetric]")

registered: dict[str, type[EvalMetric]] = {}


def register(klass: _Class, name: str | None = None) -> _Class:
    """Make a subclass of `EvalMetric` known by a name, its own unless another is given, in any case."""
    if not (isinstance(klass, type) and issubclass(klass, EvalMetric)):
        raise TypeError(f"register: a subclass of EvalMetric is required, got {klass!r}.")
    registered[(name or klass.__name__).lower()] = klass
    return klass


def alias(*aliases: str) -> Callable[[_Class], _Class]:
    """Make a subclass of `EvalMetric` known by these names."""

    def give_names(klass: _Class) -> _Class:
        for name in aliases:
            register(klass, name)
        return klass

    return give_names


def check_label_shapes(labels: Any, preds: Any, wrap: bool = False, shape: bool = False) -> tuple[Any, Any]:
    """Labels and predictions, if they are equally many, or with `shape` equally shaped.

    With `wrap`, arrays alone become lists of one.
    """
    sizes = (labels.shape, preds.shape) if shape else (len(labels), len(preds))
    if sizes[0] != sizes[1]:
        raise ValueError(f"Shape of labels {sizes[0]} does not match shape of predictions {sizes[1]}")
    if wrap:
        labels, preds = (x if isinstance(x, list | tuple) else [x] for x in (labels, preds))
    return labels, preds


def values(array: Any) -> Array:
    """The values of an array, not to be changed."""
    return array.asnumpy() if isinstance(array, NDArray) else numpy.asarray(array)


def pairs(labels: Any, preds: Any) -> Iterator[tuple[Array, Array]]:
    """The values of each label and its prediction."""
    labels, preds = check_label_shapes(labels, preds, wrap=True)
    return ((values(label), values(pred)) for label, pred in zip(labels, preds, strict=True))


class EvalMetric:
    """A metric that is a sum over a count.

    Subclasses define `update(labels, preds)`, which changes `sum_metric` and `num_inst`. What they pass to
    `super().__init__` as further keywords is part of their configuration. A metric is for one thread at
    a time.
    """

    sum_metric: Any
    num_inst: int
    global_sum_metric: Any
    global_num_inst: int

    def __init__(
        self,
        name: str,
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        **kwargs: Any,
    ) -> None:
        self.name = str(name)
        self.output_names = output_names
        self.label_names = label_names
        self._has_global_stats = kwargs.pop("has_global_stats", False)
        self._kwargs = kwargs
        self.reset()

    def __str__(self) -> str:
        return f"EvalMetric: {dict(self.get_name_value())}"

    def get_config(self) -> dict[str, Any]:
        """What `create` makes such a metric from."""
        names = {"name": self.name, "output_names": self.output_names, "label_names": self.label_names}
        return {**self._kwargs, "metric": type(self).__name__, **names}

    def update_dict(self, label: Mapping[str, NDArray], pred: Mapping[str, NDArray]) -> None:
        """Take in a batch of named arrays, of which `label_names` and `output_names` choose."""
        self.update(_chosen(label, self.label_names), _chosen(pred, self.output_names))

    def update(self, labels: Arrays, preds: Arrays) -> None:
        """Take in a batch: a list of labels, and a list of as many predictions."""
        raise NotImplementedError(
            f"{type(self).__name__}: a subclass with update(labels, preds) is required."
        )

    def _add(self, total: float, count: int) -> None:
        self.sum_metric += total
        self.num_inst += count
        self.global_sum_metric += total
        self.global_num_inst += count

    def reset(self) -> None:
        """Forget everything."""
        self.global_num_inst, self.global_sum_metric = 0, 0.0
        self.num_inst, self.sum_metric = 0, 0.0

    def reset_local(self) -> None:
        """Forget everything but the global counts."""
        self.num_inst, self.sum_metric = 0, 0.0

    def get(self) -> tuple[Any, Any]:
        """The name, and the value since the last reset of any kind; NaN if there was nothing."""
        return self.name, self._value(self.sum_metric, self.num_inst)

    def get_global(self) -> tuple[Any, Any]:
        """The name, and the value since the last `reset`."""
        if not self._has_global_stats:
            return self.get()
        return self.name, self._value(self.global_sum_metric, self.global_num_inst)

    def _value(self, total: Any, count: int) -> Any:
        return total / count if count else math.nan

    def get_name_value(self) -> list[tuple[Any, Any]]:
        """Pairs of name and value."""
        return _listed(self.get())

    def get_global_name_value(self) -> list[tuple[Any, Any]]:
        """Pairs of name and global value."""
        return _listed(self.get_global() if self._has_global_stats else self.get())


def _chosen(arrays: Mapping[str, Any], names: Sequence[str] | None) -> list[Any]:
    if names is None:
        return list(arrays.values())
    missing = [name for name in names if name not in arrays]
    if missing:
        raise KeyError(f"update_dict: {missing[0]} is required, got {', '.join(arrays) or 'nothing'}.")
    return [arrays[name] for name in names]


def _listed(names_and_values: tuple[Any, Any]) -> list[tuple[Any, Any]]:
    names, values = (x if isinstance(x, list) else [x] for x in names_and_values)
    return list(zip(names, values, strict=False))


def same_sizes(owner: str, label: Array, pred: Array, rows: int) -> None:
    if label.size != rows:
        raise ShapeError(
            f"{owner}: one label for each of {rows} predictions is required, got labels of shape "
            f"{label.shape} for predictions of shape {pred.shape}."
        )


share(EvalMetric, registered)
